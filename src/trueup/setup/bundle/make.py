"""Fills a bundle beside its final place and moves it there when it is whole. An ended run is gone on with."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup import __version__
from trueup.setup import exclusive, files
from trueup.setup.bundle import manifest, names, own, python, sbom, sums
from trueup.setup.bundle.errors import BundleError
from trueup.setup.errors import SetupError
from trueup.setup.fetching import Fetcher, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trueup.setup.bundle.manifest import Archive
    from trueup.setup.bundle.plan import Plan
    from trueup.setup.uv import Uv

STATE: Final = ".locks"
SCRIPTS: Final = ("install.sh", "install.cmd", "install.ps1", "start.py")
SPARE_MB: Final = 200


@dataclass(frozen=True, slots=True)
class Made:
    """A finished bundle. `digest` is the SHA-256 of its list of sums: it stands for all of its content."""

    folder: Path
    digest: str
    bytes: int
    files: int
    without: tuple[tuple[str, str], ...]  # Pythons that could not be had, with the reason


@dataclass(frozen=True)
class Maker:
    """`texts` are files in words, by name; `facts` is the folder of the user's own facts."""

    plan: Plan
    folder: Path
    uv: Uv
    texts: Mapping[str, str]
    facts: Path | None = None
    on_bytes: Callable[[int], None] = lambda _: None
    without: list[tuple[str, str]] = field(default_factory=list)

    def make(self) -> Made:
        """Fetch, write, move. Raises SetupError, BundleError."""
        partial = partial_of(self.folder)
        check_free(self.folder)
        try:
            partial.parent.mkdir(parents=True, exist_ok=True)
            with exclusive.exclusive(self.folder.with_name(self.folder.name + ".trueup-lock"), self.folder):
                check_free(self.folder)
                self._keep_locks(partial)
                known = self._fetch(partial)
                pythons = self._pythons(partial)
                known |= self._write(partial, pythons)
                self._drop_others(partial, known, pythons)
                return self._finish(partial, known)
        except OSError as error:
            raise files.failed(error, Path(error.filename or partial)) from error

    def _keep_locks(self, partial: Path) -> None:
        state = partial / STATE
        if partial.exists() and not state.is_dir() and any(partial.iterdir()):
            raise BundleError("taken", path=str(partial))
        state.mkdir(parents=True, exist_ok=True)
        for question, lock in self.plan.locks.items():
            files.write_whole(state / f"{question}.toml", lock.text)

    def _fetch(self, partial: Path) -> dict[str, str]:
        known: dict[str, str] = {}
        for folder, wanted in self.plan.files.items():
            (partial / folder).mkdir(parents=True, exist_ok=True)
            Fetcher(partial / folder, self.uv.env, self.on_bytes).all(wanted)
            known |= {f"{folder}/{names.check(file.name)}": file.sha256 or "" for file in wanted}
        return known

    def _pythons(self, partial: Path) -> list[Archive]:
        """Fetch what can be had: a bundle without Python is still of use where the target has one."""
        there = []
        for download in self.plan.pythons:
            target = partial / names.check(download.archive.file)
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh = not target.exists()
            try:
                Fetcher(target.parent, self.uv.env, self.on_bytes).one(
                    Wanted(target.name, download.url, None)
                )
                if fresh:
                    python.check(self.uv, download, partial)
            except SetupError as error:
                target.unlink(missing_ok=True)
                if error.kind in {"disk-filled", "unwritable"}:
                    raise
                self.without.append((f"{download.archive.series} {download.archive.platform}", error.quote))
                continue
            there.append(download.archive)
        for path, archive in self.plan.given:
            target = partial / names.check(archive.file)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            there.append(archive)
        return there

    def _write(self, partial: Path, pythons: list[Archive]) -> dict[str, str]:
        """Write all that is not fetched; return its names."""
        written: dict[str, bytes] = {name: text.encode() for name, text in self.texts.items()}
        scripts = resources.files("trueup.setup.bundle") / "scripts"
        written |= {name: _ended(name, (scripts / name).read_bytes()) for name in SCRIPTS}
        written |= {t.lock: self.plan.locks[t.question.id].text.encode() for t in self.plan.targets}
        program = own.wheel()
        tools = {manifest.platform_of(target.question) for target in self.plan.targets}
        written |= {f"tools/{platform}/{own.filename()}": program for platform in tools}
        if self.facts and self.facts.is_dir():
            own_facts = (path for path in self.facts.rglob("*") if path.is_file())
            written |= {f"facts/{p.relative_to(self.facts).as_posix()}": p.read_bytes() for p in own_facts}
        for name, data in written.items():
            target = partial / names.check(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        (partial / "install.sh").chmod(0o755)
        manifest.write(partial, manifest.Manifest(__version__, now(), self.plan.targets, tuple(pythons)))
        return dict.fromkeys((*written, manifest.NAME), "")

    @staticmethod
    def _drop_others(partial: Path, known: Mapping[str, str], pythons: list[Archive]) -> None:
        """Remove what an earlier run with another wish left."""
        expected = {*known, *(archive.file for archive in pythons)}
        for name in list(sums.files(partial)):
            if name not in expected and not name.startswith(STATE + "/"):
                (partial / name).unlink()
        for folder in sorted((path for path in partial.rglob("*") if path.is_dir()), reverse=True):
            if not any(folder.iterdir()):
                folder.rmdir()

    def _finish(self, partial: Path, known: Mapping[str, str]) -> Made:
        checked = {name: value for name, value in known.items() if value}
        found = {
            name: checked.get(name) or sums.digest(partial / name)
            for name in sums.files(partial)
            if not name.startswith(STATE + "/")
        }
        (partial / sbom.NAME).write_bytes(sbom.document(partial, found, now()).encode())
        files.remove_tree(partial / STATE)
        digest = sums.write(partial, found)
        sizes = [(partial / name).stat().st_size for name in sums.files(partial)]
        files.move(partial, self.folder)
        return Made(self.folder, digest, sum(sizes), len(sizes), tuple(self.without))


def partial_of(folder: Path) -> Path:
    """Return where a bundle is put together."""
    return folder.with_name(folder.name + ".trueup-bundling")


def size_of_partial(folder: Path) -> int | None:
    """Return the bytes that a run which did not end left, None where there is no such run."""
    partial = partial_of(folder)
    if not (partial / STATE).is_dir():
        return None
    return sum(path.stat().st_size for path in partial.rglob("*") if path.is_file())


def check_free(folder: Path) -> None:
    """Raise BundleError where the name is taken, by whatever it is."""
    if os.path.lexists(folder):
        raise BundleError("taken", path=str(folder))


def check_room(plan: Plan, folder: Path) -> None:
    """Raise BundleError where the disk cannot take what is still to come."""
    there = next(path for path in (partial_of(folder), *folder.parents) if path.exists())
    have = sum(path.stat().st_size for path in partial_of(folder).rglob("*") if path.is_file())
    need = max(0, (plan.bytes or 0) - have) // 1_000_000 + SPARE_MB
    free = shutil.disk_usage(there).free // 1_000_000
    if free < need:
        raise BundleError("no-room", path=str(folder), need_mb=need, free_mb=free)


def now() -> str:
    """Return the date of a bundle; SOURCE_DATE_EPOCH makes two of them equal."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = (
        datetime.fromtimestamp(int(epoch), timezone.utc) if epoch.isdecimal() else datetime.now(timezone.utc)
    )
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _ended(name: str, data: bytes) -> bytes:
    """Windows' own shells want their line ends, whatever a checkout made of the file."""
    text = data.replace(b"\r\n", b"\n")
    return text.replace(b"\n", b"\r\n") if name.endswith((".cmd", ".ps1")) else text
