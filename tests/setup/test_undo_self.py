"""`trueup self`: what an uninstall removes, what it keeps, what it asks for first."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from trueup.cli import places
from trueup.cli.main import run
from trueup.setup import installed, record
from trueup.setup.changes.environment import environment_change
from trueup.setup.changes.files import file_change
from trueup.setup.model import Record

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Place:
    """A home with an installed trueup: program, launcher, caches, a file of the user's."""

    home: Path

    @property
    def data(self) -> Path:
        return self.home / "share" / "trueup"

    @property
    def launcher(self) -> Path:
        return self.home / "bin" / "trueup"

    def env(self, name: str, home: str = "/usr/bin") -> Path:
        """Make an environment and journal it as `up` does."""
        attempt, env = self.home / f"{name}.trueup-building" / "env-1", self.home / name
        attempt.mkdir(parents=True)
        (attempt / "pyvenv.cfg").write_text(f"home = {home}\n")
        made = Record(
            trueup="0.1.0", made=f"2026-11-30 {name}", request_id="q", lock_sha256="0" * 64, device="cpu", python="3.12",
            alignment={}, fingerprint={},
        )  # fmt: skip
        record.write(attempt, made)
        with places.changes_store().begin("trueup up") as transaction:
            transaction.apply(environment_change(attempt, env))
        attempt.parent.rmdir()
        return env

    def changed(self) -> Path:
        path, store = self.home / "settings.txt", places.changes_store()
        with store.begin("trueup fix") as transaction:
            transaction.apply(file_change(path, b"ours", store.blobs))
        return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path / "家")
    cache = place.home / "cache" / "trueup"
    for folder in (place.data / "tool-1" / "env", place.data / "facts", cache, place.launcher.parent):
        folder.mkdir(parents=True)
    (place.data / "facts" / "own.json").write_text("{}")
    (place.home / "mine.txt").write_text("mine")
    place.launcher.write_text("#!/bin/sh\n# trueup's launcher\n")
    made = f"made={place.launcher.parent}\nmade={place.data / 'tool-1'}\nmade={place.data}\nmade={place.data.parent}\n"
    text = f"tool={place.data / 'tool-1'}\nlauncher={place.launcher}\n{made}"
    (place.data / "installed").write_text(text, "utf-8")
    monkeypatch.setattr(places, "data_folder", lambda: place.data)
    monkeypatch.setattr(places, "own_folders", lambda: (cache, place.data))
    return place


def names(place: Place) -> set[str]:
    return {path.name for path in place.home.iterdir()}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_shown_first_and_nothing_done_without_a_word(
    place: Place, capsys: pytest.CaptureFixture[str], lang: str
) -> None:
    before = sorted(place.home.rglob("*"))
    assert run(["self", "uninstall", "--dry-run", "--lang", lang]) == 0
    said = capsys.readouterr().out
    assert str(place.launcher) in said
    assert str(place.data / "tool-1") in said
    assert run(["self", "uninstall", "--lang", lang]) == 2
    assert "--yes" in capsys.readouterr().err
    assert sorted(place.home.rglob("*")) == before


def test_nothing_is_left_but_the_user_s(place: Place) -> None:
    assert run(["self", "uninstall", "--yes"]) == 0
    assert names(place) == {"mine.txt", "cache"}
    assert list((place.home / "cache").iterdir()) == []


def test_a_program_of_others_under_our_launcher_s_name_stays(place: Place) -> None:
    place.launcher.write_text("#!/bin/sh\necho mine\n")
    assert run(["self", "uninstall", "--yes"]) == 0
    assert place.launcher.read_text() == "#!/bin/sh\necho mine\n"


@pytest.mark.parametrize(("word", "there"), [("--undo", False), ("--keep-changes", True)])
def test_changes_of_the_pc_are_decided_first(
    place: Place, capsys: pytest.CaptureFixture[str], word: str, there: bool
) -> None:
    path = place.changed()
    assert run(["self", "uninstall", "--yes"]) == 2
    assert "--keep-changes" in capsys.readouterr().err
    assert place.launcher.exists()
    assert run(["self", "uninstall", "--yes", word]) == 0
    assert path.exists() is there
    assert not place.data.exists()


def test_what_cannot_be_taken_back_stops_it(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.changed().write_bytes(b"mine")
    assert run(["self", "uninstall", "--yes", "--undo"]) == 1
    assert "nothing was removed" in capsys.readouterr().err
    assert place.launcher.exists()


def test_environments_stay_with_the_python_they_run_on(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    pythons = place.data / "pythons"
    for name in ("3.10", "3.12"):
        (pythons / name / "bin").mkdir(parents=True)
    env = place.env("env", home=str(pythons / "3.12" / "bin"))
    assert run(["self", "uninstall", "--yes"]) == 0
    assert str(env) in capsys.readouterr().out
    assert env.exists()
    assert [path.name for path in pythons.iterdir()] == ["3.12"]
    assert [path.name for path in place.data.iterdir()] == ["pythons"]


def test_a_used_environment_that_is_put_beside_keeps_its_python(place: Place) -> None:
    python = place.data / "pythons" / "3.12"
    (python / "bin").mkdir(parents=True)
    env = place.env("env", home=str(python / "bin"))
    (env / "mine.txt").write_text("mine")
    assert run(["self", "uninstall", "--yes", "--environments"]) == 0
    assert not env.exists()
    assert [path.name for path in place.data.rglob("*")] == ["pythons", "3.12", "bin"]


def test_a_python_of_a_bundle_goes_with_its_last_environment(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    pythons = place.data / "pythons"
    for name in ("3.10", "3.12"):
        (pythons / name / "bin").mkdir(parents=True)
    for env in ("one", "two"):
        place.env(env, home=str(pythons / "3.12" / "bin"))
    assert run(["undo", "--yes"]) == 0
    assert (pythons / "3.12").exists(), "another environment is made of it"
    assert run(["undo", "--yes"]) == 0
    assert str(pythons / "3.12") in capsys.readouterr().out
    assert [path.name for path in pythons.iterdir()] == ["3.10"], "what this undo is not about stays"


def test_environments_go_on_wish_and_used_ones_are_put_beside(place: Place) -> None:
    untouched, used = place.env("one"), place.env("two")
    (used / "mine.txt").write_text("mine")
    assert run(["self", "uninstall", "--yes", "--environments"]) == 0
    assert not untouched.exists()
    assert not used.exists()
    [aside] = place.home.glob("two.trueup-undone-*")
    assert (aside / "mine.txt").read_text() == "mine"


def test_one_that_others_installed_says_who(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    (place.data / "installed").unlink()
    assert run(["self", "uninstall", "--yes"]) == 0
    out = capsys.readouterr().out
    assert out.count("uv tool uninstall trueup") == 1
    assert f"What would be removed:\n  {place.home / 'cache' / 'trueup'}" in out
    assert run(["self", "uninstall", "--yes"]) == 0
    assert "Nothing that trueup keeps is there" in capsys.readouterr().out
    assert place.launcher.exists()
    assert run(["self", "add-path"]) == 2
    assert "install.sh" in capsys.readouterr().err


def test_path_is_put_in_once_and_goes_with_the_rest(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(place.home))
    profile = place.home / ".profile"
    profile.write_bytes(b"umask 022")
    for _ in range(2):
        assert run(["self", "add-path"]) == 0
    line = f'export PATH="$PATH":{shlex.quote(str(place.launcher.parent))}'
    assert profile.read_text("utf-8").splitlines() == ["umask 022", line]
    assert run(["self", "uninstall", "--yes"]) == 0
    assert profile.read_bytes() == b"umask 022"


def test_a_file_that_no_installer_wrote_is_not_believed(tmp_path: Path) -> None:
    for text in ("", "tool=/x\n", "nonsense"):
        (tmp_path / "installed").write_text(text)
        assert installed.read(tmp_path) is None


@pytest.mark.parametrize(
    ("lang", "gone", "stays"), [("en", "is gone;", "itself is not"), ("zh", "已删除；", "程序本身还在")]
)
def test_what_others_installed_is_not_called_gone(
    place: Place, capsys: pytest.CaptureFixture[str], lang: str, gone: str, stays: str
) -> None:
    (place.data / "installed").unlink()
    assert run(["self", "uninstall", "--yes", "--lang", lang]) == 0
    last = capsys.readouterr().out.rstrip().splitlines()[-1]
    assert gone in last
    assert stays in last


def test_what_stays_is_named_at_the_end(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    python = place.data / "pythons" / "3.12"
    (python / "bin").mkdir(parents=True)
    env = place.env("env", home=str(python / "bin"))
    trash = place.data.parent / "trueup-trash" / "2026-11-30"
    trash.mkdir(parents=True)
    (trash / "old.txt").write_text("old")
    assert run(["self", "uninstall", "--yes"]) == 0
    end = capsys.readouterr().out.partition("These stay:")[2]
    for path in (env, python, trash.parent):
        assert f"`{path}`" in end
        assert path.exists()
    assert end.rstrip().splitlines()[-1].startswith("trueup is gone")


def test_an_empty_trash_goes(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    trash = place.data.parent / "trueup-trash"
    (trash / "2026-11-30").mkdir(parents=True)
    assert run(["self", "uninstall", "--yes"]) == 0
    assert not trash.exists()
    assert "trueup-trash" not in capsys.readouterr().out


def test_what_cannot_be_removed_is_named_and_nothing_is_called_gone(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "remove_tree", lambda _: False)
    assert run(["self", "uninstall", "--yes"]) == 1
    end = capsys.readouterr().out.partition("could not be removed")[2]
    assert str(place.data / "tool-1") in end
    assert "gone" not in end
