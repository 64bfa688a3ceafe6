"""Changes of the real registry on Windows Python: every type, to the byte, after a kill at every moment."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from winehost import Wine, windows

SETUP = Path(__file__).parents[1] / "setup"
sys.path.insert(0, str(SETUP))
from fake_index import serving  # noqa: E402  # lies beside the tests of setup

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.wine
PROBE = Path(__file__).with_name("changes_probe.py")
SOURCE = windows(PROBE.parents[2] / "src")
KEY = "SOFTWARE\\trueup 测试"


def probe(wine: Wine, act: str, folder: Path, *words: str) -> tuple[int, Any]:
    done = wine.py(PROBE, act, folder, *words, timeout=600, PYTHONPATH=SOURCE, PYTHONUTF8="1")
    assert done.returncode in (0, 9), done.stderr
    return done.returncode, json.loads(done.stdout) if done.stdout else None


@pytest.fixture
def before(wine: Wine, tmp_path: Path) -> Iterator[Any]:
    probe(wine, "clean", tmp_path)
    yield probe(wine, "prepare", tmp_path)[1]
    probe(wine, "clean", tmp_path)


def exported(wine: Wine, folder: Path) -> list[bytes]:
    """Return both keys as Windows' own program writes them."""
    texts = []
    for hive in ("HKCU", "HKLM"):
        target = folder / f"{hive}.reg"
        done = wine.run("reg", "export", f"{hive}\\{KEY}", target, "/y")
        assert done.returncode == 0, done.stdout + done.stderr
        texts.append(target.read_bytes())
    return texts


def test_a_kill_at_every_moment_is_taken_back_to_the_byte(wine: Wine, tmp_path: Path) -> None:
    probe(wine, "clean", tmp_path)
    answer = probe(wine, "sweep", tmp_path / "日志")[1]
    probe(wine, "clean", tmp_path)
    assert answer["wrong"] == []
    assert answer["moments"] > 100
    assert set(answer["results"]) == {"restored"}


@pytest.mark.parametrize("moment", ["21", "100", "9999"])
def test_another_process_takes_back_what_a_killed_one_did(
    wine: Wine, before: Any, tmp_path: Path, moment: str
) -> None:
    written = exported(wine, tmp_path)
    status, _ = probe(wine, "apply", tmp_path / "日志", moment)
    assert status == (0 if moment == "9999" else 9)
    assert exported(wine, tmp_path) != written
    answer = probe(wine, "undo", tmp_path / "日志")[1]
    assert answer["now"] == before
    assert exported(wine, tmp_path) == written


def test_a_value_of_others_stays_and_keeps_its_key(wine: Wine, before: Any, tmp_path: Path) -> None:
    probe(wine, "apply", tmp_path / "日志", "0")
    probe(wine, "own", tmp_path)
    answer = probe(wine, "undo", tmp_path / "日志")[1]
    kept = answer["now"].pop(f"HKCU\\{KEY}\\new")
    assert list(kept) == ["user's"]
    assert answer["now"] == before
    assert answer["results"].count("kept") == 1


def test_a_read_only_file_is_replaced_and_comes_back_read_only(wine: Wine, tmp_path: Path) -> None:
    assert probe(wine, "read-only", tmp_path / "日志")[1] == ["new", "old", False, ["restored"]]


BUILD = """
import subprocess, sys
from pathlib import Path
from made import FOO, machine_here, question_of
from trueup import setup
from trueup.setup.changes import Store
base = Path(sys.argv[1])
store, env = Store(base / "journal"), base / "环境" / ".venv"
def make():
    setup.build(FOO, question_of(), env, machine=machine_here(), changes=store)
def back():
    return [outcome.result for outcome in store.undo(store.records()[0])]
make()
untouched = back(), [p.name for p in env.parent.iterdir()]
make()
(env / "我的.txt").write_text("mine")
python = env / "Scripts" / "python.exe"
with subprocess.Popen([python, "-c", "print(1, flush=True); input()"], stdin=-1, stdout=-1) as used:
    used.stdout.readline()
    held = back(), str(used.pid) in store.look(store.records()[0])[0].why, env.exists()
    used.communicate(b"\\n")
since = [change.what for change in store.look(store.records()[0])[0].since]
[outcome] = store.undo(store.records()[0])
import json
print(json.dumps([untouched, held, since, outcome.result, (Path(outcome.why) / "我的.txt").read_text(), env.exists()]))
"""


def test_an_environment_goes_or_is_put_beside_and_one_in_use_stays(wine: Wine, tmp_path: Path) -> None:
    paths = ";".join(windows(path) for path in (PROBE.parents[2] / "src", SETUP))
    script = tmp_path / "build.py"
    script.write_text(BUILD, "utf-8")
    with serving() as index:
        done = wine.py(
            script, tmp_path, timeout=500, PYTHONPATH=paths, PYTHONUTF8="1", UV_DEFAULT_INDEX=f"{index}/good/simple",
            UV_CACHE_DIR=windows(tmp_path / "cache"), UV_NO_CONFIG="1", PIP_CONFIG_FILE=os.devnull,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    untouched, held, since, result, text, there = json.loads(done.stdout)
    assert untouched == [["restored"], []]
    assert held == [["in-use"], True, True]
    assert since == ["我的.txt"]
    assert (result, text, there) == ("moved", "mine", False)


def test_the_command_takes_back_from_another_shell(wine: Wine, before: Any, tmp_path: Path) -> None:
    """The journal is where Windows keeps a user's data; the process that wrote it is gone."""
    code = "from trueup.cli.places import changes_store; print(changes_store().folder)"
    folder = wine.path(wine.out("-c", code, PYTHONPATH=SOURCE, PYTHONUTF8="1"))
    assert folder.parts[-4:-2] == ("AppData", "Local")
    probe(wine, "apply", folder, "0")
    done = wine.py("-m", "trueup", "undo", "--yes", "--lang", "zh", PYTHONPATH=SOURCE, PYTHONUTF8="1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "名字" in done.stdout
    assert "已全部撤回" in done.stdout
    assert probe(wine, "undo", tmp_path / "none")[1]["now"] == before
