"""`trueup path --fix` on the real registry: forty entries come back to the byte, after a kill at any moment too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from winehost import Wine, windows

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

pytestmark = pytest.mark.wine
PROBE = Path(__file__).with_name("keep_probe.py")
SOURCE = windows(PROBE.parents[2] / "src")
EXPAND = 2
END = "\0"


def probe(wine: Wine, act: str, folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return wine.py(PROBE, act, folder, *words, timeout=900, PYTHONPATH=SOURCE, PYTHONUTF8="1")


def exported(wine: Wine, folder: Path) -> bytes:
    """Return the user's variables as Windows' own program writes them."""
    target = folder / "environment.reg"
    done = wine.run("reg", "export", "HKCU\\Environment", target, "/y", timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return target.read_bytes()


def forty(folder: Path) -> list[str]:
    """Return entries of every kind: with variables, twice, quoted, ended by a slash, Chinese, long, dead."""
    for name in ("工具 箱", "b", "c;d", "e"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    here = windows(folder)
    good = [
        f"{here}\\工具 箱\\",
        f'"{here}\\b"',
        f'"{here}\\c;d"',
        f"{here}\\e\\\\",
        "%SystemRoot%\\System32\\",
        "%没有%\\bin",
    ]
    bad = [
        f"{here}\\没有这个",
        f"{here}\\B",
        f"{here}\\工具 箱",
        "%SYSTEMROOT%\\system32",
        "",
        f"{here}\\gone\\" + "x" * 90,
    ]
    rest = ["\\\\server\\share\\bin", "Q:\\away", "relative\\bin", "C:\\windows"]
    parts = [*good[:3], *bad, *rest, *good[3:]]
    return [
        *parts,
        *(f"{here}\\dead {number}\\" for number in range(38 - len(parts))),
        f"{here}\\e",
        "%USERPROFILE%",
    ]


@pytest.fixture
def path(wine: Wine, tmp_path: Path) -> Iterator[list[str]]:
    """Put a PATH of forty entries into the registry; what was there before comes back."""
    assert probe(wine, "save", tmp_path).returncode == 0
    entries = forty(tmp_path / "folders")
    values = tmp_path / "values.json"
    values.write_text(json.dumps({"Path": [EXPAND, ";".join(entries) + ";" + END]}), "utf-8")
    assert probe(wine, "put", tmp_path, values).returncode == 0
    yield entries
    assert probe(wine, "restore", tmp_path).returncode == 0


def test_forty_entries_are_mended_and_come_back_to_the_byte(
    wine: Wine, tmp_path: Path, path: list[str]
) -> None:
    assert len(path) == 40
    before = exported(wine, tmp_path)
    looked = probe(wine, "run", tmp_path, "path", "--fix", "--dry-run")
    assert looked.returncode == 0, looked.stderr
    assert exported(wine, tmp_path) == before, "a dry run writes nothing"
    done = probe(wine, "run", tmp_path, "path", "--fix", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["mode"] == "fixed"
    user = next(fix for fix in answer["fixes"] if fix["scope"] == "user")
    gone = [line["text"] for line in user["lines"] if line["mark"] == "-"]
    kept = [line["text"] for line in user["lines"] if line["mark"] == " "]
    assert len(gone) + len(kept) == 40
    assert kept == [entry for entry in path if entry in kept], "order and spelling stay"
    here = windows(tmp_path / "folders")
    assert {
        f"{here}\\没有这个",
        f"{here}\\B",
        f"{here}\\工具 箱",
        "%SYSTEMROOT%\\system32",
        "",
        f"{here}\\e",
    } <= set(gone)
    stays = {
        "\\\\server\\share\\bin",
        "Q:\\away",
        "relative\\bin",
        "%没有%\\bin",
        f'"{here}\\c;d"',
        f"{here}\\工具 箱\\",
    }
    assert stays <= set(kept)
    after = exported(wine, tmp_path).decode("utf-16")
    assert after != before.decode("utf-16")
    assert '"Path"=hex(2):' in after, "the type stays, or no variable would be put in any more"
    again = probe(wine, "run", tmp_path, "path", "--fix", "--yes", "--json")
    assert json.loads(again.stdout)["mode"] == "nothing"
    assert probe(wine, "run", tmp_path, "undo", "--yes").returncode == 0
    assert exported(wine, tmp_path) == before


def test_killed_at_any_moment_it_comes_back(wine: Wine, tmp_path: Path, path: list[str]) -> None:
    assert path
    before = exported(wine, tmp_path)
    for moment in ("1", "3", "4", "5", "6", "99"):
        done = probe(wine, "kill", tmp_path, moment, "path", "--fix", "--yes")
        assert done.returncode == (0 if moment == "99" else 9), done.stderr
        assert probe(wine, "run", tmp_path, "undo", "--yes").returncode == 0
        assert exported(wine, tmp_path) == before
