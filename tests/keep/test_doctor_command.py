"""`trueup doctor` and `trueup tune` as a user types them."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from examined import NAMES, examined
from tuned import REGISTRY, Windows

import trueup.report
from trueup.cli import doctor as doctor_command
from trueup.cli.main import run
from trueup.setup.changes import Store

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMAS = Path(trueup.report.__file__).parent / "schemas"


@pytest.fixture
def recording(tmp_path: Path) -> Callable[[str], str]:
    def write(start: str) -> str:
        name = next(name for name in NAMES if name.startswith(start))
        path = tmp_path / "machine.json"
        path.write_text(json.dumps(examined(name)[1]), "utf-8")
        return str(path)

    return write


def test_the_route_of_a_recorded_machine(
    recording: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = recording("long-path")
    assert run(["doctor", "--machine", path]) == 1
    assert "trueup tune long-paths --apply" in capsys.readouterr().out
    assert run(["--lang", "zh", "doctor", "--machine", path]) == 1
    assert "需管理员" in capsys.readouterr().out
    assert run(["doctor", "--machine", path, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads((SCHEMAS / "doctor-1.json").read_text("utf-8")))
    assert document["route"][0]["finding"] == "long-path"


@pytest.mark.parametrize(
    ("words", "told"),
    [(["--machine", "x.json"], "recorded"), (["--json"], "data"), ([], "--yes")],
)
def test_what_cannot_be_mended_is_refused(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor", "--fix", *words]) == 2
    assert told in capsys.readouterr().err


def test_the_steps_run_in_this_process_and_the_machine_is_looked_at_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = examined(next(name for name in NAMES if name.startswith("cudnn-missing")))[0]
    good = examined(next(name for name in NAMES if name.startswith("aligned--windows")))[0]
    ran: list[list[str]] = []

    class Looks(doctor_command.Look):
        def __call__(self) -> Any:
            return good if ran else bad

    def act(_session: Any, argv: list[str]) -> int:
        ran.append(argv)
        return 0

    monkeypatch.setattr(doctor_command, "Look", Looks)
    monkeypatch.setattr(doctor_command, "_run", act)
    assert run(["doctor", "--fix", "--yes"]) == 0
    assert len(ran) == 1
    assert ran[0][0] == "up"  # an environment that is not ours is left alone where nobody is asked
    assert ran[0][-1] == "--yes"
    assert "helped: `trueup up" in capsys.readouterr().out


@pytest.mark.parametrize("ours", [True, False])
def test_an_environment_of_the_users_own_is_changed_only_where_somebody_says_yes(
    ours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = examined(next(name for name in NAMES if name.startswith("cudnn-missing")))[0]
    assert bad.subject is not None
    bad = replace(bad, subject=replace(bad.subject, ours=ours))
    ran: list[list[str]] = []

    def act(_session: Any, argv: list[str]) -> int:
        ran.append(argv)
        return 1

    monkeypatch.setattr(doctor_command.Look, "__call__", lambda _self: bad)
    monkeypatch.setattr(doctor_command, "_run", act)
    run(["doctor", "--fix", "--yes"])
    assert [argv[0] for argv in ran] == (["cuda", "up"] if ours else ["up"])
    ran.clear()
    monkeypatch.setattr("sys.stdin", Terminal())
    run(["doctor", "--fix"])
    assert [argv[0] for argv in ran] == ["cuda", "up"]
    assert not any("--yes" in argv for argv in ran)


class Terminal(io.StringIO):
    """Somebody sits there."""

    def isatty(self) -> bool:
        return True


def test_a_step_that_is_refused_is_told_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = examined(next(name for name in NAMES if name.startswith("cudnn-missing")))[0]
    monkeypatch.setattr(doctor_command.Look, "__call__", lambda _self: bad)
    monkeypatch.setattr("trueup.diagnose.mend.route._up", lambda _checkup: ("up", "no-such-framework"))
    assert run(["doctor", "--fix", "--yes"]) == 1
    said = capsys.readouterr()
    assert "error:" in said.err
    assert "failed or declined: `trueup up no-such-framework`" in said.out
    assert said.out.count("Step 1") == 1


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Windows:
    made = Windows(REGISTRY)
    store = Store(tmp_path / "journal", made.kinds())
    monkeypatch.setattr("trueup.machine.host.this_host", lambda: made)
    monkeypatch.setattr("trueup.cli.places.changes_store", lambda: store)
    monkeypatch.setattr("trueup.keep.elevate.is_admin", lambda: True)
    return made


LONG = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\FileSystem"


def test_tune_looks_shows_does_and_undo_takes_back(
    world: Windows, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tune"]) == 0
    shown = capsys.readouterr().out
    assert "trueup tune long-paths --apply" in shown
    assert world.state(LONG, "LongPathsEnabled")["data"] == 0
    assert run(["tune", "--all", "--apply"]) == 2  # nobody can be asked
    assert "--yes" in capsys.readouterr().err
    assert world.state(LONG, "LongPathsEnabled")["data"] == 0
    assert run(["tune", "--all", "--apply", "--yes"]) == 0
    assert f"{LONG}  LongPathsEnabled: REG_DWORD 0 -> REG_DWORD 1" in capsys.readouterr().out
    assert world.state(LONG, "LongPathsEnabled")["data"] == 1
    assert run(["tune", "--all", "--apply", "--yes"]) == 0
    assert "nothing to change" in capsys.readouterr().out
    assert run(["undo", "--yes"]) == 0
    assert world.state(LONG, "LongPathsEnabled")["data"] == 0


def test_a_declined_administrator_is_no_success(
    world: Windows, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("trueup.keep.elevate.is_admin", lambda: False)
    monkeypatch.setattr("trueup.keep.elevate.run_elevated", lambda _folder, _changes: "refused")
    assert run(["tune", "long-paths", "--apply", "--yes"]) == 1
    said = capsys.readouterr().out
    assert "1 of these need an administrator" in said
    assert "declined" in said
    assert world.state(LONG, "LongPathsEnabled")["data"] == 0


def test_tune_answers_as_data(world: Windows, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads((SCHEMAS / "tune-1.json").read_text("utf-8"))
    for words in ([], ["--folklore"], ["pcie-power", "--apply", "--yes"], ["pcie-power", "--apply", "--yes"]):
        assert run(["tune", *words, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        jsonschema.validate(document, schema)
    assert document["result"] == "nothing"
    assert world.state(next(key for key in world.values if key.endswith("576df5")), "ACSettingIndex")


@pytest.mark.parametrize(
    "words",
    [["--apply"], ["long-paths", "--all"], ["nonsense"], ["tdr-delay=1"], ["--exclude-folder", "C:\\"],
     ["--machine", "x", "--all", "--apply"], ["power-plan=ultimate-performance"]],
)  # fmt: skip
def test_a_mistake_names_the_next_step(
    world: Windows, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = dict(world.values)
    for lang in ("en", "zh"):
        assert run(["--lang", lang, "tune", *words]) == 2
        assert "hint" in capsys.readouterr().err or lang == "zh"
    assert world.values == before


def named(document: dict[str, Any], path: Path) -> str:
    """Write a recording that was asked about another environment than the active one."""
    path.write_text(json.dumps({**document, "folder": "/home/user/other/.venv", "named": True}), "utf-8")
    return str(path)


def test_a_recording_is_asked_about_the_environment_that_its_user_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = next(name for name in NAMES if name.startswith("numpy-2-abi"))
    path = named(examined(name)[1], tmp_path / "machine.json")
    for command in ("check", "doctor"):
        assert run([command, "--machine", path]) == 2  # there is none in that folder
        assert "other/.venv" in capsys.readouterr().err


def test_a_closed_input_is_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert run(["doctor", "--fix"]) == 2
    assert "--yes" in capsys.readouterr().err
