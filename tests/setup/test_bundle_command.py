"""`trueup bundle` and `trueup up --from` as they are typed."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from bundles import ask, no_needs
from made import FOO, alignment_of, build_of, machine_here

from trueup.cli import bundle, up_from
from trueup.cli.main import run
from trueup.fit.model import Change, Rejection, Solution, Verdict
from trueup.fit.model import Outcome as Fit
from trueup.setup.bundle import make
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trueup.fit.model import Alignment
    from trueup.machine.model import Machine

pytestmark = pytest.mark.usefixtures("no_needs")
__all__ = ["no_needs"]
SCHEMAS = resources.files("trueup.report") / "schemas"


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch, mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    monkeypatch.setattr(bundle, "asked", lambda *_: [ask()])
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *_, **__: str(tmp_path / "data"))
    here(monkeypatch, FOO)


def here(monkeypatch: pytest.MonkeyPatch, best: Alignment | None, machine: Machine | None = None) -> None:
    """Play what this machine is and what is decided on it."""
    why = Verdict("driver-floor", Fit.NO, Message("fit.route-cpu"))
    rejected = () if best else (Rejection("cpu", "foo 1.0", (why,)),)
    solution = Solution("cpu-only" if best else "impossible", best, (), rejected, (), ())
    monkeypatch.setattr(up_from, "solve", lambda *_: solution)
    monkeypatch.setattr(up_from, "read_machine", lambda *_, **__: machine or machine_here())


def typed(capsys: pytest.CaptureFixture[str], *args: str, lang: str = "en") -> tuple[int, str, str]:
    status = run(["--lang", lang, *args])
    out = capsys.readouterr()
    return status, out.out, out.err


def valid(schema: str, text: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(text)
    jsonschema.validate(data, json.loads((SCHEMAS / schema).read_text("utf-8")))
    return data


@pytest.mark.usefixtures("decided")
def test_bundle_is_made_and_built_from(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder, env = tmp_path / "b", tmp_path / "env"
    status, out, _ = typed(capsys, "bundle", "foo", "-o", str(folder), "--no-pythons", "--yes", "--json")
    made = valid("bundle-1.json", out)
    assert (status, made["status"]) == (0, "made")
    status, out, _ = typed(
        capsys, "up", "--from", str(folder), "--env", str(env), "--yes", "--no-prove", "--json"
    )
    built = valid("up-1.json", out)
    assert (status, built["status"]) == (1, "unproven")
    assert built["bundle"] == {"path": str(folder), "sha256": made["made"]["sha256"], "target": "here"}
    assert (env / "trueup.json").is_file()


@pytest.mark.usefixtures("decided")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_dry_runs_show_and_change_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, lang: str
) -> None:
    folder, env = tmp_path / "b", tmp_path / "env"
    status, out, _ = typed(capsys, "bundle", "foo", "-o", str(folder), "--no-pythons", "--dry-run", lang=lang)
    assert status == 0
    assert str(folder) in out
    assert not list(tmp_path.glob("b*"))
    typed(capsys, "bundle", "foo", "-o", str(folder), "--no-pythons", "--yes")
    before = sorted(str(path) for path in tmp_path.iterdir())
    status, out, _ = typed(capsys, "up", "--from", str(folder), "--env", str(env), "--dry-run", lang=lang)
    assert status == 0
    assert str(env) in out
    assert sorted(str(path) for path in tmp_path.iterdir()) == before


@pytest.mark.usefixtures("decided")
def test_bundle_is_not_made_unasked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, _, err = typed(capsys, "bundle", "foo", "-o", str(tmp_path / "b"), "--no-pythons")
    assert status == 2
    assert "--yes" in err
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("bundle", "foo", "-o", ""), "-o FOLDER"),
        (("bundle", "foo"), "output"),
        (("up", "--from", "nowhere"), "trueup bundle"),
        (("up", "--from", "nowhere", "--python", "3.10"), "--from"),
        (("up",), "trueup up tensorflow"),
        (("up", "foo", "--env", ""), "--env FOLDER"),
    ],
)
def test_mistake_is_told_with_a_way_out(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], told: str
) -> None:
    status, _, err = typed(capsys, *args)
    assert status == 2
    assert told in err


@pytest.mark.usefixtures("decided")
def test_bundle_for_another_machine_is_refused_with_what_differs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, env = tmp_path / "b", tmp_path / "env"
    typed(capsys, "bundle", "foo", "-o", str(folder), "--no-pythons", "--yes")
    before = sorted(str(path) for path in tmp_path.iterdir())

    def refused(told: str) -> None:
        status, _, err = typed(capsys, "up", "--from", str(folder), "--env", str(env), "--yes")
        assert status == 2
        assert told in err
        assert "trueup bundle" in err
        assert sorted(str(path) for path in tmp_path.iterdir()) == before

    here(monkeypatch, FOO, replace(machine_here(), os="macos"))
    refused("made for linux, this is macos")
    here(monkeypatch, FOO, replace(machine_here(), pythons=()))
    refused("neither here nor in the bundle")
    here(monkeypatch, None)
    refused("the CPU")
    here(monkeypatch, alignment_of(build_of("foo", "2.0")))
    refused("does not hold here")


@pytest.mark.usefixtures("decided")
def test_wish_that_the_bundle_does_not_hold_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "b"
    typed(capsys, "bundle", "foo", "-o", str(folder), "--no-pythons", "--yes")
    for wish in ("bar", "foo>=2", "foo @@"):
        status, _, err = typed(
            capsys, "up", wish, "--from", str(folder), "--env", str(tmp_path / "e"), "--yes"
        )
        assert status == 2
        assert "foo" in err
    status, out, err = typed(
        capsys, "up", "foo==1.*", "--from", str(folder), "--env", str(tmp_path / "e"), "--dry-run"
    )
    assert (status, err.count("error")) == (0, 0), err
    assert "foo" in out


@pytest.mark.usefixtures("decided")
def test_change_that_the_machine_needs_first_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "b"
    typed(capsys, "bundle", "foo", "-o", str(folder), "--no-pythons", "--yes")
    here(monkeypatch, replace(FOO, changes=(Change("update-driver", Message("fit.do-update-driver")),)))
    status, _, _ = typed(capsys, "up", "--from", str(folder), "--env", str(tmp_path / "e"), "--yes")
    assert status == 1
    assert not (tmp_path / "e").exists()


def test_two_files_of_one_name_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pc.json").write_text('{"os": "linux", "gpus": []}', "utf-8")
    files = [part for name in ("a", "b") for part in ("--machine", str(tmp_path / name / "pc.json"))]
    status, _, err = typed(capsys, "bundle", "tensorflow", *files, "-o", str(tmp_path / "out"))
    assert status == 2
    assert "`pc`" in err


def test_machine_that_nothing_fits_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "old-mac.json"
    file.write_text('{"os": "linux", "arch": "x86_64", "gpus": [], "libc": "musl"}', "utf-8")
    status, _, err = typed(
        capsys,
        "bundle",
        "tensorflow==2.3.0",
        "--python",
        "3.13",
        "--machine",
        str(file),
        "-o",
        str(tmp_path / "o"),
    )
    assert status == 2
    assert "old-mac" in err


@pytest.mark.usefixtures("decided")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_interrupted_bundle_is_named_and_gone_on_with(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    words = ("bundle", "foo", "-o", str(tmp_path / "b"), "--no-pythons", "--yes")
    partial = str(tmp_path / "b.trueup-bundling")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(make.Maker, "_finish", interrupted)
        status, _, err = typed(capsys, *words, lang=lang)
    assert status == 130
    [kept] = [line for line in err.splitlines() if partial in line]
    assert {"en": "same command goes on", "zh": "接着继续"}[lang] in kept
    status, _, err = typed(capsys, *words, lang=lang)
    assert status == 0
    [on] = [line for line in err.splitlines() if partial in line]
    assert {"en": "goes on with", "zh": "接着上次"}[lang] in on
    assert [path.name for path in tmp_path.glob("b*")] == ["b"]
