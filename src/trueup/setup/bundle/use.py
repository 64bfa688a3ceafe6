"""Opens a bundle and tells which of its targets this machine is, or what differs."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
from packaging.version import Version

from trueup.setup import pythons, truth
from trueup.setup.bundle import manifest, sums, zipped
from trueup.setup.bundle.errors import BundleError
from trueup.setup.bundle.supply import Supply
from trueup.setup.lockfile import read_lock
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trueup.machine.model import Machine
    from trueup.plan.lock import Lock
    from trueup.setup.bundle.manifest import Manifest, Target

ARCHES = {"arm64": "aarch64", "amd64": "x86_64"}


@dataclass(frozen=True, slots=True)
class Bundle:
    """A checked bundle. `digest` is the SHA-256 of its list of sums."""

    folder: Path
    manifest: Manifest
    digest: str

    @property
    def facts(self) -> Path | None:
        folder = self.folder / "facts"
        return folder if folder.is_dir() else None

    def lock(self, target: Target) -> Lock:
        """Return a target's lock, all files of which are in the bundle."""
        try:
            text = (self.folder / target.lock).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BundleError("missing", name=target.lock) from error
        found = read_lock(text, target.question)
        truth.check(found, target.question)
        for package in found.packages:
            file = package.artifact
            path = self.folder / "wheels" / file.filename
            if not path.is_file():
                raise BundleError("missing", name=f"wheels/{file.filename}")
        return found

    def supply(self, target: Target) -> Supply:
        question = target.question
        kind = (question.python, question.platform, question.arch)
        archives = (a.file for a in self.manifest.pythons if (a.series, a.platform, a.arch) == kind)
        archive = next(archives, None)
        return Supply(
            self.folder / "wheels",
            self.folder / "build" / f"{question.python}-{manifest.platform_of(question)}",
            self.folder / archive if archive else None,
            home_of_pythons(),
        )

    def differs(self, target: Target, machine: Machine) -> list[Message]:
        """Return in what a machine is not of a target's kind. What is unknown is no difference."""
        question = target.question
        system = (
            "windows"
            if machine.os == "windows"
            else "linux"
            if machine.os in {"linux", "wsl2"}
            else machine.os
        )
        if system != question.platform:
            return [_difference("system", question.platform, machine.os)]
        found = []
        arch = machine.arch if isinstance(machine.arch, Unknown) else ARCHES.get(machine.arch, machine.arch)
        if not isinstance(arch, Unknown) and arch != question.arch:
            found.append(_difference("arch", question.arch, arch))
        if question.glibc_minor is not None and not isinstance(machine.glibc, Unknown):
            least = f"2.{question.glibc_minor}"
            if Version(machine.glibc) < Version(least):
                found.append(_difference("glibc", least, machine.glibc))
        if self.supply(target).archive is None and pythons.find_python(machine, question.python) is None:
            found.append(Message("bundle.differs-python", {"version": question.python}))
        return found


def _difference(what: str, wanted: str, has: str) -> Message:
    return Message(f"bundle.differs-{what}", {"wanted": wanted, "has": has})


def home_of_pythons() -> Path:
    """Return where the Pythons of bundles are kept: environments go on needing them."""
    return Path(platformdirs.user_data_dir("trueup", appauthor=False)) / "pythons"


@contextmanager
def open_bundle(source: Path, on_bytes: Callable[[int], None] = lambda _: None) -> Iterator[Bundle]:
    """Yield the checked bundle in a folder or a ZIP. Raises BundleError; nothing is used before all is checked."""
    source = source.absolute()
    if source.is_file():
        cache = Path(platformdirs.user_cache_dir("trueup", appauthor=False))
        with zipped.unpacked(source, cache) as folder:
            yield _checked(folder, on_bytes)
    elif source.is_dir():
        yield _checked(source, on_bytes)
    else:
        raise BundleError("no-bundle", path=str(source))


def _checked(folder: Path, on_bytes: Callable[[int], None]) -> Bundle:
    sums.check(folder, on_bytes)
    return Bundle(folder, manifest.read(folder), sums.digest(folder / sums.NAME))
