"""Ways to break an environment; each takes itself back. Files are replaced, never written into: they are shared."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench import Bench
    from model import Change


def removed(*patterns: str) -> Change:
    """Take files or folders of site-packages away."""

    @contextmanager
    def change(bench: Bench) -> Iterator[None]:
        found = [path for pattern in patterns for path in _matching(bench, pattern)]
        if not found:
            raise LookupError(patterns)
        aside = Path(tempfile.mkdtemp(dir=bench.home, prefix=".aside-"))
        for number, path in enumerate(found):
            shutil.move(path, aside / str(number))
        try:
            yield
        finally:
            for number, path in enumerate(found):
                if path.is_dir():  # what other changes made there: a move would go into it
                    shutil.rmtree(path)
                shutil.move(aside / str(number), path)
            aside.rmdir()

    return change


def written(target: str, content: str | bytes) -> Change:
    """Put a file at a path below the home folder, or in its place."""

    @contextmanager
    def change(bench: Bench) -> Iterator[None]:
        path = bench.path(target)
        with _set_aside(bench, path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            yield

    return change


def truncated(pattern: str, size: int) -> Change:
    """Leave only the beginning of a file, as a full disk or a broken download does."""

    @contextmanager
    def change(bench: Bench) -> Iterator[None]:
        path = next(iter(sorted(bench.site.glob(pattern))))
        with path.open("rb") as file:
            start = file.read(size)
        with _set_aside(bench, path):
            path.write_bytes(start)
            path.chmod(0o755)
            yield

    return change


def library(target: str, source: str, *flags: str) -> Change:
    """Compile a small library to a path below the home folder."""

    @contextmanager
    def change(bench: Bench) -> Iterator[None]:
        path = bench.path(target)
        with _set_aside(bench, path):
            path.parent.mkdir(parents=True, exist_ok=True)
            command = ["gcc", "-shared", "-fPIC", f"-Wl,-soname,{path.name}", *flags, "-x", "c", "-"]
            subprocess.run([*command, "-o", path], input=source.encode(), check=True)
            yield

    return change


def installed(*requirements: str, deps: bool = False) -> Change:
    """Install other releases over those that are there."""

    @contextmanager
    def change(bench: Bench) -> Iterator[None]:
        bench.install(requirements, deps=deps)
        try:
            yield
        finally:
            bench.restore()

    return change


def overwritten(*requirements: str) -> Change:
    """Install packages that bring the same files as others; afterwards the environment is built anew."""

    @contextmanager
    def change(bench: Bench) -> Iterator[None]:
        bench.install(requirements, deps=False)
        try:
            yield
        finally:
            bench.build()

    return change


def unpacked_site(*requirements: str) -> Change:
    """Install packages without what they need, into an environment from which others were taken away."""

    @contextmanager
    def change(bench: Bench) -> Iterator[None]:
        before = set(bench.site.iterdir())
        bench.install(requirements, deps=False)
        try:
            yield
        finally:
            for path in set(bench.site.iterdir()) - before:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    return change


def unpacked(requirement: str, folder: str, python: str = "3.10") -> Change:
    """Put another release of a package into a folder of its own, such as an older cuDNN."""

    @contextmanager
    def change(bench: Bench) -> Iterator[None]:
        target = bench.path(folder)
        bench.uv(
            "pip", "install", "--no-deps", "--target", str(target), "--python-version", python, requirement
        )
        try:
            yield
        finally:
            shutil.rmtree(target)

    return change


def full_disk(folder: str, megabytes: int) -> Change:
    """Mount a small disk; what is written there and in TMPDIR meets its end."""

    @contextmanager
    def change(bench: Bench) -> Iterator[None]:
        path = bench.path(folder)
        path.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "lab", path], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", path], check=True)
            path.rmdir()

    return change


def read_only() -> Change:
    """Let others enter the home folder; site-packages stays its owner's alone."""

    @contextmanager
    def change(bench: Bench) -> Iterator[None]:
        for path in (bench.home, bench.env):
            path.chmod(0o755)
        yield

    return change


def _matching(bench: Bench, pattern: str) -> list[Path]:
    return [Path(pattern)] if pattern.startswith("/") else sorted(bench.site.glob(pattern))


@contextmanager
def _set_aside(bench: Bench, path: Path) -> Iterator[None]:
    aside = Path(tempfile.mkdtemp(dir=bench.home, prefix=".aside-"))
    there = path.exists()
    if there:
        shutil.move(path, aside / path.name)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        if there:
            shutil.move(aside / path.name, path)
        aside.rmdir()
