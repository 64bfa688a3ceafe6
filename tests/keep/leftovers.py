"""A home with leftovers in a temporary folder, and how trees are compared."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.keep.clean.find import Listed, find
from trueup.keep.clean.scene import Scene, read_scene
from trueup.keep.pathvar.view import read_view
from trueup.machine.host import this_host
from trueup.setup.changes import Store

if TYPE_CHECKING:
    from trueup.keep.clean.model import Item

Tree = dict[str, tuple[str, int, Any]]


def tree(root: Path) -> Tree:
    """Return everything below a folder: kind, mode, content; links as links."""
    found: Tree = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            state = path.lstat()
            mode = stat.S_IMODE(state.st_mode)
            if path.is_symlink():
                found[os.path.relpath(path, root)] = ("link", 0, os.readlink(path))  # noqa: PTH115
            elif path.is_dir():
                found[os.path.relpath(path, root)] = ("folder", mode, None)
            else:
                found[os.path.relpath(path, root)] = ("file", mode, path.read_bytes())
    return found


def fill(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


PACKAGE = {
    "x/__init__.py": "x = 1\n",
    "x-1.0.dist-info/METADATA": "Name: x\n",
    "x-1.0.dist-info/INSTALLER": "pip\n",
    "x-1.0.dist-info/RECORD": "x/__init__.py,,6\nx-1.0.dist-info/METADATA,,8\nx-1.0.dist-info/RECORD,,\n",
}


def python_rest(folder: Path) -> Path:
    """Make what an uninstaller leaves of a Python: libraries and packages, no interpreter."""
    fill(folder, {"lib/python3.9/os.py": "# os\n", "include/python3.9/Python.h": "//\n"})
    fill(folder / "lib/python3.9/site-packages", PACKAGE)
    return folder


@dataclass(frozen=True)
class Home:
    """`path` is HOME; trueup's own data lies outside of it."""

    path: Path
    data: Path

    @property
    def store(self) -> Store:
        return Store(self.data / "changes")

    @property
    def versions(self) -> Path:
        return self.path / ".pyenv" / "versions"

    def scene(self) -> Scene:
        host = this_host()
        return read_scene(host, self.path / "project", self.data, self.store, read_view(host))

    def listed(self) -> Listed:
        return find(self.scene())

    def item(self, path: Path) -> Item:
        found = [item for item in self.listed().items if item.name == str(path)]
        assert found, [item.name for item in self.listed().items]
        return found[0]

    def undo(self) -> list[str]:
        record = self.store.records()[0]
        return [outcome.result for outcome in self.store.undo(record)]
