"""Mirrors: the list, choosing one, trying them; one that lacks a file or lies is named, and nothing weaker is built."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from fake_index import WHEELS
from made import FOO, alignment_of, build_of, question_of

from trueup import setup
from trueup.cli.main import run
from trueup.cli.mirroring import with_sources
from trueup.cli.session import Session
from trueup.setup import mirrors, truth
from trueup.setup.config import PipSettings, child_environment
from trueup.setup.mirrors import Mirror, Probe, find, trial, with_mirror
from trueup.setup.settings import told
from trueup.setup.uv import Uv
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trueup.setup.events import Event

CUDNN = "nvidia-cudnn-cu11"
PIP = "pip-26.0-py3-none-any.whl"


def test_each_row_has_addresses_and_a_source() -> None:
    names = [mirror.name for mirror in mirrors.mirrors()]
    assert len(set(names)) == len(names)
    assert {"pypi", "tuna", "ustc", "aliyun", "tencent", "huawei", "sjtu", "bfsu", "douban"} <= set(names)
    for mirror in mirrors.mirrors():
        assert mirror.index or mirror.python
        assert all(address.startswith("https://") for address in (mirror.index, mirror.python) if address)
        assert mirror.source is not None
        assert mirror.source.confidence in {"high", "medium", "low"}


def test_mirror_is_found_by_name_or_address() -> None:
    assert find(" TUNA ").name == "tuna"
    own = find("http://10.0.0.7:8081/repository/pypi/simple")
    assert own.index == "http://10.0.0.7:8081/repository/pypi/simple"
    for wrong in ("tunaa", "", "ftp://host/simple", "https://", "/srv/wheels"):
        with pytest.raises(TrueupError) as caught:
            find(wrong)
        assert caught.value.hint is not None
    assert "tuna" in str(caught.value.hint)


def test_mirror_stands_in_for_the_main_index_alone() -> None:
    uv = Uv("uv", {"UV_INDEX_URL": "https://a.invalid", "UV_INDEX": "https://b.invalid", "HOME": "/h"})
    found = with_mirror(uv, Mirror("m", "m", "https://m.invalid/simple", "https://p.invalid"))
    assert found.env == {
        "UV_DEFAULT_INDEX": "https://m.invalid/simple",
        "UV_INDEX": "https://b.invalid",
        "UV_PYTHON_INSTALL_MIRROR": "https://p.invalid",
        "HOME": "/h",
    }
    assert with_mirror(uv, Mirror("m", "m", None)).env == uv.env


@pytest.fixture
def small_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    data = WHEELS[PIP]
    monkeypatch.setattr(
        trial, "probe", lambda: Probe("pip", PIP, hashlib.sha256(data).hexdigest(), len(data))
    )
    monkeypatch.setattr(trial, "needed", lambda: (("foo", "foo-1.0-py3-none-any.whl"),))


@pytest.mark.usefixtures("small_probe")
@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("good", "good"),
        ("wheel-other", "lies"),
        ("wheel-portal", "lies"),
        ("portal", "broken"),
        ("404", "unreachable"),
        ("500", "unreachable"),
        ("wheel-404", "unreachable"),
        ("wheel-cut", "unreachable"),
    ],
)
def test_trial_tells_how_a_mirror_is(index: str, name: str, state: str) -> None:
    tried = trial.one(Mirror("m", "m", f"{index}/{name}/simple"), {}, seconds=20)
    assert tried.state == state
    assert (tried.speed is not None) is (state == "good")


@pytest.mark.usefixtures("small_probe")
def test_trials_are_bounded_and_the_good_come_first(index: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "needed", lambda: (("foo", "foo-9.9-py3-none-any.whl"), (CUDNN, "c.whl")))
    partial = trial.one(Mirror("m", "m", f"{index}/good/simple"), {}, seconds=20)
    assert (partial.state, partial.lacks) == ("partial", ("foo-9.9-py3-none-any.whl", "c.whl"))
    monkeypatch.setattr(trial, "needed", tuple)
    asked = [Mirror(name, name, f"{index}/{name}/simple") for name in ("hang", "500", "good")]
    found = trial.attempt([*asked, Mirror("pythons", "p", None, "https://p.invalid")], {}, seconds=2)
    assert next((one.mirror.name, one.state) for one in found) == ("good", "good")
    assert {one.mirror.name: one.state for one in found[1:]} == {
        "hang": "unreachable",
        "500": "unreachable",
        "pythons": "no-index",
    }


def lock_from(index: str, *names: str, packages: tuple[str, ...] = ("foo",)) -> Any:
    """Lock packages with a GPU's library among them from mirrors in turn."""
    wanted = alignment_of(*(build_of(package, "1.0") for package in packages))
    return with_sources(
        Session("en"),
        [f"{index}/{name}/simple" for name in names],
        lambda uv: setup.lock(question_of(wanted), uv=uv),
    )


def test_mirror_that_lacks_a_library_is_refused_and_named(mood: Callable[[str], None], index: str) -> None:
    mood("500")
    with pytest.raises(setup.SetupError) as caught:
        lock_from(index, "good", packages=("foo", CUDNN))
    assert CUDNN in str(caught.value.message.params)
    assert caught.value.hint is not None


def test_next_mirror_is_asked_only_where_named_and_is_announced(
    mood: Callable[[str], None], index: str, capsys: pytest.CaptureFixture[str]
) -> None:
    mood("good")  # the user's own settings would have it: they are not fallen back to
    with pytest.raises(setup.SetupError):
        lock_from(index, "404")
    capsys.readouterr()
    found = lock_from(index, "404", "good")
    assert {package.name for package in found.packages} == {"foo", "pip"}
    err = capsys.readouterr().err
    assert "/404/simple" in err
    assert "next one" in err
    assert err.index("next one") < err.rindex("/good/simple")


def test_file_that_a_mirror_lists_and_lacks_is_named(
    mood: Callable[[str], None], index: str, tmp_path: Path
) -> None:
    from made import machine_here

    mood("500")

    def build(uv: Uv) -> Any:
        return setup.build(FOO, question_of(), tmp_path / "env", machine=machine_here(), uv=uv, on_event=seen)

    events: list[Event] = []
    seen = events.append
    with pytest.raises(setup.SetupError) as caught:
        with_sources(Session("en"), [f"{index}/wheel-404/simple"], build)
    assert caught.value.kind == "not-found"
    assert "foo-1.0" in caught.value.quote or "pip-26.0" in caught.value.quote
    assert not (tmp_path / "env").exists()
    made = with_sources(Session("en"), [f"{index}/wheel-404/simple", f"{index}/good/simple"], build)
    assert "/good/files/" in (made.path / "pylock.toml").read_text("utf-8")


def test_file_with_another_sum_than_pypis_is_not_locked(
    mood: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("good")
    setup.lock(question_of())
    known = {"foo": {"foo-1.0-py3-none-any.whl": "0" * 64}}
    monkeypatch.setattr(truth, "sums", lambda project: known.get(project, {}))
    with pytest.raises(setup.SetupError) as caught:
        setup.lock(question_of())
    assert caught.value.kind == "other-file"
    assert "foo-1.0" in str(caught.value.message.params["what"])


def test_facts_carry_the_sums_of_what_gpu_builds_need() -> None:
    for project, name in mirrors.needed():
        assert len(truth.sums(project)[name]) == 64


def test_settings_are_said_to_be_heeded_or_not() -> None:
    pip = PipSettings(
        index="https://user:secret@mirror.invalid/simple",
        extra=("file:///srv/wheels",),
        links=("/srv/wheels", "https://links.invalid/"),
        proxy="http://proxy.invalid:8080",
    )
    outer = {
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": str(pip.index),
        "PIP_EXTRA_INDEX_URL": pip.extra[0],
        "PIP_FIND_LINKS": " ".join(pip.links),
        "PIP_PROXY": str(pip.proxy),
        "UV_CONSTRAINT": "c.txt",
        "UV_NO_PROGRESS": "1",
        "UV_PYTHON_INSTALL_MIRROR": "https://p.invalid/x",
    }
    child = child_environment(outer, pip, uv_has_index=False, windows=False)
    assert child["UV_FIND_LINKS"] == "https://links.invalid/"
    found = {message.code.partition(".")[2]: message.params for message in told(child, outer=outer)}
    assert "secret" not in str(found)
    assert found["own-index"]["by"] == "pip"
    assert found["not-find-links"] == {"address": "/srv/wheels"}
    assert found["not-extra"]["address"].startswith("file:")  # type: ignore[union-attr]
    assert found["not-uv"] == {"names": "UV_CONSTRAINT"}
    assert {"own-python", "own-proxy"} <= found.keys()
    assert Message("mirrors.mirror-over-own", {"address": "https://mirror.invalid/simple"}) in list(
        told(child, mirrored=True, outer=outer)
    )


@pytest.mark.usefixtures("small_probe")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_command_lists_and_tries(capsys: pytest.CaptureFixture[str], index: str, lang: str) -> None:
    schema = json.loads((resources.files("trueup.report") / "schemas" / "mirrors-1.json").read_text("utf-8"))
    assert run(["--lang", lang, "mirrors"]) == 0
    assert "https://pypi.tuna.tsinghua.edu.cn/simple" in capsys.readouterr().out
    assert run(["--lang", lang, "mirrors", "--json"]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), schema)
    good, bad = f"{index}/good/simple", f"{index}/wheel-other/simple"
    assert run(["--lang", lang, "mirrors", good, bad, "--try"]) == 0
    assert f"--mirror {good}" in capsys.readouterr().out
    assert run(["--lang", lang, "mirrors", bad, "--try", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, schema)
    assert answer["tried"][0]["state"] == "lies"


def test_unknown_mirror_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lock", "tensorflow", "--mirror", "tsinghua-x", "--machine", "/nowhere.json"]) == 2
    assert run(["mirrors", "alyun"]) == 2
    assert run(["up", "tensorflow", "--dry-run", "--mirror", "alyun"]) == 2
    assert "aliyun" in capsys.readouterr().err


def test_kept_lock_of_another_mirror_is_not_gone_on_with(
    mood: Callable[[str], None], index: str, tmp_path: Path
) -> None:
    from made import machine_here

    mood("wheel-404")
    with pytest.raises(setup.SetupError):
        setup.build(FOO, question_of(), tmp_path / "env", machine=machine_here())
    uv = replace(setup.uv.find(), env={**setup.uv.find().env, "UV_DEFAULT_INDEX": f"{index}/good/simple"})
    made = setup.build(FOO, question_of(), tmp_path / "env", machine=machine_here(), uv=uv)
    assert "wheel-404" not in (made.path / "pylock.toml").read_text("utf-8")
