"""The quick tally of a new environment says what the thorough one would say of it."""

from __future__ import annotations

import base64
import hashlib
import os
import time
from typing import TYPE_CHECKING

import pytest

from trueup.setup import fingerprint
from trueup.setup.changes import tally

if TYPE_CHECKING:
    from pathlib import Path


def row(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def package(site: Path, name: str, files: dict[str, bytes], more: str = "") -> None:
    """Lay out a package as an installer does; `more` are lines of its RECORD that name other files."""
    for file, data in files.items():
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        (site / file).write_bytes(data)
    info = site / f"{name}-1.0.dist-info"
    info.mkdir()
    rows = "".join(row(f'"{file}"' if "," in file else file, data) for file, data in files.items())
    (info / "RECORD").write_text(f"{rows}{more}{name}-1.0.dist-info/RECORD,,\n", "utf-8")


@pytest.fixture
def env(tmp_path: Path) -> Path:
    """Return an environment with a script outside its packages, an odd name, and files that nobody vouches for."""
    env = tmp_path / ".venv"
    site = env / "lib" / "python3.12" / "site-packages"
    (env / "bin").mkdir(parents=True)
    (env / "bin" / "tool").write_bytes(b"#!python\n")
    (env / "pyvenv.cfg").write_text("home = /usr/bin\n")
    site.mkdir(parents=True)
    (site / "_ours.pth").write_text("import ours\n")
    package(site, "one", {"one/__init__.py": b"1\n", "one/a,b.txt": b"2\n", "single.py": b"3\n"})
    more = row("../../../bin/tool", b"#!python\n") + "two-1.0.dist-info/INSTALLER,,\n"
    package(site, "two", {"two/deep/x.h": b"4\n"}, more)
    (site / "two-1.0.dist-info" / "INSTALLER").write_text("uv")
    return env


def test_it_is_the_tally_of_an_environment_that_nobody_touched(env: Path) -> None:
    quick = tally.fresh(env)
    assert quick == tally.tally(env, time.time_ns())
    site = os.path.join("lib", "python3.12", "site-packages")  # noqa: PTH118  # as a tally names it
    assert quick["edited"] == []
    assert set(quick["packages"]) == {"one", "two"}
    assert set(quick["own"]) == {
        "pyvenv.cfg",
        os.path.join(site, "_ours.pth"),  # noqa: PTH118
        os.path.join(site, "two-1.0.dist-info", "INSTALLER"),  # noqa: PTH118
    }


def test_what_comes_later_differs_from_it(env: Path) -> None:
    site = env / "lib" / "python3.12" / "site-packages"
    quick, at = tally.fresh(env), time.time_ns()
    (site / "one" / "mine.py").write_text("mine = 1")
    (site / "single.py").write_bytes(b"9\n\n")
    (site / "two" / "deep" / "x.h").unlink()
    found = {(one.kind, os.path.basename(one.what)) for one in tally.since(quick, tally.tally(env, at))}  # noqa: PTH119
    assert found == {("files-added", "mine.py"), ("files-edited", "single.py"), ("files-edited", "x.h")}


def test_a_file_of_two_packages_is_whole_where_it_is_as_one_of_them_wrote_it(env: Path) -> None:
    site = env / "lib" / "python3.12" / "site-packages"
    package(site, "three", {"shared/__init__.py": b"first\n"})
    package(site, "four", {"shared/__init__.py": b"the second is longer\n"})
    assert tally.tally(env, 0)["edited"] == []
    assert tally.fresh(env) == tally.tally(env, time.time_ns())
    (site / "shared" / "__init__.py").write_bytes(b"neither\n")
    assert [os.path.basename(name) for name in tally.tally(env, 0)["edited"]] == ["__init__.py"]  # noqa: PTH119


def test_packages_own_folders_are_not_entered(env: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entered: list[str] = []
    scan = os.scandir

    def seen(folder: str) -> object:
        entered.append(os.path.basename(folder))  # noqa: PTH119
        return scan(folder)

    monkeypatch.setattr("trueup.setup.changes.tally.os.scandir", seen)
    tally.fresh(env)
    assert "site-packages" in entered
    assert not {"one", "two", "deep"} & set(entered)


def test_a_line_without_digest_whose_file_is_not_there_is_told(env: Path) -> None:
    site = env / "lib" / "python3.12" / "site-packages"
    (site / "two-1.0.dist-info" / "INSTALLER").unlink()
    assert tally.fresh(env) == tally.tally(env, time.time_ns())
    assert len(tally.fresh(env)["edited"]) == 1
    assert fingerprint.distributions(env)["two"][0] == "1.0"
