"""What the searches need to know of the machine, read once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list, quiet_size
from trueup.machine.inventory.environments import read_environments
from trueup.machine.pythons import read_pythons
from trueup.machine.pythons.common import home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.pathvar.model import View
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Environment
    from trueup.machine.model import Python
    from trueup.setup.changes import Store


@dataclass(frozen=True, slots=True)
class Scene:
    """`folder`: where the user stands. `data`: the folder of trueup's own data. `view`: of PATH."""

    host: Host
    folder: Path
    data: Path
    store: Store
    pythons: tuple[Python, ...]
    environments: tuple[Environment, ...]
    built: tuple[Path, ...]  # environments that trueup built, by its journal and by their record
    view: View

    @property
    def windows(self) -> bool:
        return self.host.platform == "windows"

    @property
    def home(self) -> str:
        return home(self.host)

    def env(self, name: str) -> str:
        return self.host.env.get(name, "")

    def join(self, *parts: str) -> str:
        return str(path_of(self.host).join(*parts))

    def names(self, folder: str) -> tuple[str, ...]:
        return quiet_list(self.host, folder) if folder else ()

    def has(self, *parts: str) -> bool:
        """Tell whether a file is there."""
        return quiet_size(self.host, self.join(*parts)) is not None

    def gone(self, path: str) -> bool:
        """Tell whether nothing is at a place, for sure: not where its drive is away or it cannot be asked."""
        paths = path_of(self.host)
        if path.startswith(("\\\\", "//")) or not paths.isabs(path):
            return False
        drive = paths.splitdrive(path)[0]
        try:
            if drive and self.host.match(drive + "\\", "\0") is None:
                return False
            return self.host.size(path) is None and self.host.match(paths.normpath(path), "\0") is None
        except HostError:
            return False

    def needed_by(self) -> tuple[tuple[str, str], ...]:
        """Return environment -> the folder of the Python that it was made from."""
        found = [(one.path, one.home) for one in self.environments if one.home]
        found += [
            (str(folder), text) for folder in self._venvs() if (text := _home_of(self.host, str(folder)))
        ]
        return tuple(dict.fromkeys(found))

    def _venvs(self) -> Iterator[Path]:
        """Yield environments at the usual places of tools that make them."""
        yield from self.built
        roots = [
            *(
                self.join(self.home, *tail)
                for tail in ((".local", "share", "uv", "tools"), (".local", "pipx", "venvs"))
            ),
            *(
                self.join(self.home, *tail)
                for tail in ((".virtualenvs",), ("envs",), (".local", "share", "pipx", "venvs"))
            ),
            self.join(self.env("APPDATA"), "uv", "tools") if self.env("APPDATA") else "",
            self.env("WORKON_HOME"),
            str(self.folder),
            str(self.folder.parent),
        ]
        for root in roots:
            for name in self.names(root):
                if self.has(root, name, "pyvenv.cfg"):
                    yield Path(self.join(root, name))


def _home_of(host: Host, folder: str) -> str | None:
    try:
        text = host.read_text(path_of(host).join(folder, "pyvenv.cfg")) or ""
    except HostError:
        return None
    pairs = (line.partition("=") for line in text.splitlines())
    return next((value.strip() for key, _, value in pairs if key.strip().lower() == "home"), None)


def read_scene(host: Host, folder: Path, data: Path, store: Store, view: View) -> Scene:
    pythons = read_pythons(host).pythons
    environments = read_environments(host, str(folder / ".venv"), pythons)
    return Scene(host, folder, data, store, pythons, environments, _built(store, environments), view)


def _built(store: Store, environments: tuple[Environment, ...]) -> tuple[Path, ...]:
    journal = [
        Path(change.target["path"])
        for record in store.records()
        for change in record.changes
        if change.kind == "environment" and change.after is not None
    ]
    ours = [Path(one.path) for one in environments if one.ours]
    return tuple(dict.fromkeys(path for path in (*journal, *ours) if path.is_dir()))
