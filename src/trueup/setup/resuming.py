"""Fetches single wheels on a bad line. uv begins a broken download anew; of what comes here nothing is fetched twice.

uv is asked first, for it unpacks while it downloads. A wheel comes here when its connection broke, or when
an earlier run was ended in the middle and it is large.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from trueup.setup.errors import SetupError
from trueup.setup.events import Progress
from trueup.setup.fetching import PART, PATIENCE_S, TRIES, Fetcher, Wanted
from trueup.setup.local import mixed_text
from trueup.setup.scratch import scratch
from trueup.setup.uv import Watch

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.plan.lock import Lock, Locked
    from trueup.setup.events import OnEvent
    from trueup.setup.uv import Uv

BROKEN: Final = ("cut", "hang")  # what uv says of a connection that ended in the middle
LARGE: Final = 50_000_000
LOOK_TIMEOUT_S: Final = 60


@dataclass
class Resumer:
    """The wheels of one build that trueup fetches itself, in `folder`. `here` is package -> finished file."""

    uv: Uv
    folder: Path
    lock: Lock
    on_event: OnEvent
    here: dict[str, Path] = field(default_factory=dict)

    def go_on(self, python: Path) -> None:
        """Finish what an ended run had begun, and fetch the wheels that are large, or may be, and uv does not have."""
        for package in self.lock.packages:
            name = package.artifact.filename
            begun = any((self.folder / file).exists() for file in (name, name + PART))
            large = package.artifact.size is None or package.artifact.size >= LARGE
            if begun or (large and not self._in_cache(package, python)):
                self.fetch(package)

    def broken(self, error: SetupError) -> Locked | None:
        """Return the package whose download broke, None where it was something else or came here already."""
        if error.kind not in BROKEN:
            return None
        fresh = (package for package in self.lock.packages if package.name not in self.here)
        return next((package for package in fresh if _names(error.quote, package)), None)

    def rescue(self, package: Locked, error: SetupError) -> None:
        """Fetch what broke under uv. Where nothing comes here either, uv's own words are the better ones."""
        part = self.folder / (package.artifact.filename + PART)
        try:
            self.fetch(package, tries=1 if error.kind == "hang" else TRIES)
        except SetupError:
            if not part.exists() or part.stat().st_size == 0:
                raise error from None
            raise

    def fetch(self, package: Locked, *, tries: int = TRIES) -> None:
        """Fetch one file, going on as often as the line breaks. Raises SetupError."""
        file = package.artifact
        self.folder.mkdir(exist_ok=True)
        done = 0

        def more(count: int) -> None:
            nonlocal done
            done += count
            self.on_event(Progress("install", done, file.size or done))

        fetcher = Fetcher(self.folder, self.uv.env, more, patience_s=_patience(self.uv), tries=tries)
        self.here[package.name] = fetcher.one(Wanted(file.filename, file.url, file.sha256, file.size))

    def lock_file(self, whole: Path) -> Path:
        """Return the lock for uv: that of the build, or one that names the files that are here."""
        if not self.here:
            return whole
        path = self.folder / "pylock.toml"
        path.write_text(mixed_text(self.lock, self.here), "utf-8")
        return path

    def _in_cache(self, package: Locked, python: Path) -> bool:
        """Ask uv whether it would need the network for a package."""
        with scratch() as folder:
            path = folder / "pylock.toml"
            path.write_text(_alone(self.lock, package), "utf-8")
            command = ["pip", "sync", "--python", str(python), "--offline", "--dry-run", str(path)]
            try:
                said: list[str] = []
                self.uv.run(command, timeout=LOOK_TIMEOUT_S, watch=Watch(line=said.append))
            except SetupError:
                return False
        return not any("Would download" in line for line in said)


def _names(quote: str, package: Locked) -> bool:
    return f"`{package.name}=={package.version}`" in quote or package.artifact.filename in quote


def _alone(lock: Lock, package: Locked) -> str:
    """Return the lock's own entry of one package, as uv's cache knows it."""
    head, _, _ = lock.text.partition("[[packages]]")
    entries = lock.text.split("\n[[packages]]\n")[1:]
    entry = next(text for text in entries if text.startswith(f'name = "{package.name}"\n'))
    return f"{head}[[packages]]\n{entry.partition(chr(10) + '[tool')[0]}\n"


def _patience(uv: Uv) -> float:
    text = uv.env.get("UV_HTTP_TIMEOUT", "")
    return float(text) if text.isdecimal() and int(text) else PATIENCE_S
