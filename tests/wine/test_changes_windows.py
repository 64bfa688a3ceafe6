"""Changes of the real registry on Windows Python: every type, to the byte, after a kill at every moment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from winehost import Wine, windows

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
