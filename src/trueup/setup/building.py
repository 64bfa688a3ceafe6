"""Builds an environment beside its final place and moves it there when, and only when, it is whole.

An attempt lies in a folder of its own, so that a uv that outlived its killed parent writes where nobody
looks. What an earlier run finished is taken from the journal: the lock, an installed attempt, the move.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psutil

from trueup.plan.steps import StepId, needs_hook
from trueup.setup import exclusive, files, fingerprint, hook, pythons, record, room
from trueup.setup.bundle.errors import BundleError
from trueup.setup.changes.environment import place
from trueup.setup.downloads import Downloads
from trueup.setup.errors import SetupError
from trueup.setup.events import Finished, Note, Started, silent
from trueup.setup.inspection import vanished
from trueup.setup.lockfile import read_lock
from trueup.setup.locking import lock as resolve
from trueup.setup.locking import wheels_only
from trueup.setup.places import Places
from trueup.setup.resuming import Resumer
from trueup.setup.uv import Uv, Watch, find
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from trueup.fit.model import Alignment
    from trueup.machine.model import Machine
    from trueup.plan.lock import Lock
    from trueup.plan.request import LockRequest
    from trueup.setup.bundle.supply import Supply
    from trueup.setup.changes import Store
    from trueup.setup.events import OnEvent
    from trueup.setup.model import Environment, Record

COMMAND: Final = "trueup up"
VENV_TIMEOUT_S: Final = 120
REUSED: Final[tuple[StepId, ...]] = ("python", "venv", "install")
INSTALL_TIMEOUT_S: Final = 6 * 3600  # gigabytes on a slow line; silence is ended much earlier by uv


def build(
    alignment: Alignment,
    question: LockRequest,
    env_dir: Path,
    *,
    machine: Machine,
    lock: Lock | None = None,
    on_event: OnEvent = silent,
    uv: Uv | None = None,
    supply: Supply | None = None,
    changes: Store | None = None,
) -> Environment:
    """Build the environment and return it. Raises SetupError; nothing half-built ever looks whole.

    `supply` is a bundle: with it nothing is asked of any network. `changes` is where the build is journaled.
    """
    places = Places(Path(os.path.abspath(env_dir)))  # noqa: PTH100  # resolve() would follow a user's link
    room.check_path(places.env, machine, alignment)
    try:
        places.env.parent.mkdir(parents=True, exist_ok=True)
        with exclusive.exclusive(places.lock_file, places.env):
            if os.path.lexists(places.env):
                raise SetupError("exists" if record.read(places.env) else "foreign", path=str(places.env))
            places.open()
            try:
                program = uv or find()
                used = supply.quiet(program) if supply else program
                return Work(alignment, question, places, machine, used, on_event, supply, changes).run(lock)
            except (OSError, TrueupError):
                places.tidy()
                raise
    except OSError as error:
        raise files.failed(error, Path(error.filename or places.env)) from error


@dataclass(frozen=True, slots=True)
class Work:
    """One run of a build, under the exclusive lock."""

    alignment: Alignment
    question: LockRequest
    places: Places
    machine: Machine
    uv: Uv
    on_event: OnEvent
    supply: Supply | None = None
    changes: Store | None = None

    def run(self, given: Lock | None) -> Environment:
        self._begin()
        lock = self._lock(given)
        attempt = self._installed(lock) or self._install(lock)
        if needs_hook(self.alignment):
            with self._step("hook"):
                hook.install(record.site_packages(attempt))
        made = self._record(attempt, lock)
        with self._step("move"):
            self.places.journal.write("moving", attempt=attempt.name)
            if not place(self.changes, attempt, self.places.env, COMMAND) and self.changes:
                self.on_event(Note(Message("setup.note-no-journal", {"env": str(self.places.env)})))
            self.places.close()
        return record.environment(self.places.env, made)

    def _begin(self) -> None:
        """Go on with an earlier build of the same question, or start anew."""
        journal = self.places.journal
        begun = journal.last("begin")
        self._end_orphan(journal.last("uv"))
        if begun is None or begun.get("request") != self.question.id:
            self.places.drop_attempts()
            self.places.pylock.unlink(missing_ok=True)
            journal.write("begin", request=self.question.id, env=self.places.env.name)

    @staticmethod
    def _end_orphan(started: dict[str, Any] | None) -> None:
        """End the uv that a killed run left behind: it downloads for an attempt that nobody will use."""
        if started and exclusive.alive(started):
            try:
                psutil.Process(started["pid"]).terminate()
            except psutil.Error:
                return

    def _lock(self, given: Lock | None) -> Lock:
        known = self.places.journal.last("locked")
        with self._step("lock", reused=known is not None and given is None):
            if given is None and known:
                kept = self._kept(known)
                if kept:
                    return kept
            lock = given or resolve(self.question, uv=self.uv)
            files.write_whole(self.places.pylock, lock.text)
            self.places.journal.write("locked", sha256=lock.sha256, index=self._index)
            return lock

    @property
    def _index(self) -> str | None:
        """Return a digest of the main index: a lock names its files, and an address may hold a login."""
        index = self.uv.env.get("UV_DEFAULT_INDEX") or self.uv.env.get("UV_INDEX_URL")
        return hashlib.sha256(index.encode()).hexdigest() if index else None

    def _kept(self, known: dict[str, Any]) -> Lock | None:
        if known.get("index") != self._index and self.places.journal.last("failed"):
            return None  # its files lie where they could not be had, and the user has chosen another place
        try:
            lock = read_lock(self.places.pylock.read_text("utf-8"), self.question)
        except (OSError, SetupError):
            return None
        return lock if lock.sha256 == known.get("sha256") else None

    def _installed(self, lock: Lock) -> Path | None:
        """Return the attempt that an earlier run finished from just this lock."""
        done = self.places.journal.last("installed")
        if done is None or done.get("lock") != lock.sha256:
            return None
        attempt = self.places.building / str(done["attempt"])
        if not record.python_of(attempt).exists():
            return None
        for step in REUSED:
            with self._step(step, reused=True):
                pass
        return attempt

    def _install(self, lock: Lock) -> Path:
        self.places.drop_attempts()
        attempt = self.places.building / f"env-{secrets.token_hex(2)}"
        self._make_venv(attempt)
        python = record.python_of(attempt)
        with self._step("install"):
            try:
                self._fill(python, lock)
            except SetupError as error:
                self.places.journal.write("failed", kind=error.kind)
                self.places.drop_attempts()
                raise
        gone = vanished(attempt) if self.machine.os == "windows" else []
        if gone:
            raise SetupError("vanished", what=gone[0], quote="\n".join(gone[:5]))
        self.places.journal.write("installed", attempt=attempt.name, lock=lock.sha256)
        return attempt

    def _fill(self, python: Path, lock: Lock) -> None:
        """Install. A disk without room may still do where all is in uv's cache: then nothing but links is written."""
        cache = Path(self.uv.run(["cache", "dir"], timeout=VENV_TIMEOUT_S).strip())
        short = room.short_of_disk(room.needed_mb(self.alignment, lock), self.places.env, cache)
        resumer = Resumer(self.uv, self.places.wheels, lock, self.on_event)
        try:
            earlier = self.places.journal.last("uv")
            if earlier and not earlier.get("offline") and self.supply is None and short is None:
                resumer.go_on(python)
            self._sync_on(python, lock, resumer, offline=short is not None)
        except SetupError as error:
            raise short or error from None

    def _sync_on(self, python: Path, lock: Lock, resumer: Resumer, *, offline: bool) -> None:
        """Let uv install; what breaks in the middle of its download is fetched by us, and uv goes on with it."""
        try:
            return self._sync(python, lock, resumer, offline=offline)
        except SetupError as error:
            package = None if offline or self.supply else resumer.broken(error)
            if package is None:
                raise
            self.on_event(Note(Message("setup.note-resuming", {"what": package.artifact.filename})))
            resumer.rescue(package, error)
        return self._sync_on(python, lock, resumer, offline=offline)

    def _sync(self, python: Path, lock: Lock, resumer: Resumer, *, offline: bool) -> None:
        downloads = Downloads(lock, self.on_event)
        built = [p.name for p in lock.packages if not p.artifact.filename.endswith(".whl")]

        def started(pid: int) -> None:
            self.places.journal.write("uv", sync=False, offline=offline, **exclusive.identity(pid))
            downloads.started(pid)

        indexes = [part for index in self.question.indexes for part in ("--index", index.url)]
        source = self.supply.options if self.supply else [*indexes, *(["--offline"] if offline else [])]
        with self._lock_file(lock, resumer) as path:
            self.uv.run(
                ["pip", "sync", "--python", str(python), *wheels_only(built), *source, str(path)],
                timeout=INSTALL_TIMEOUT_S,
                watch=Watch(started, downloads.line, downloads.tick),
            )

    def _lock_file(self, lock: Lock, resumer: Resumer) -> AbstractContextManager[Path]:
        return (
            self.supply.lock_file(lock) if self.supply else nullcontext(resumer.lock_file(self.places.pylock))
        )

    def _make_venv(self, attempt: Path) -> None:
        """Make it on the best interpreter that works: a listed one may be broken."""
        with self._step("python"):
            found = pythons.candidates(self.machine, self.question.python)
            tried = found or [self._bring()]
        failures = []
        for python in tried:
            failure = self._venv(attempt, python)
            if failure is None:
                return
            failures.append(failure)
            told = {"path": str(python), "quote": failure.quote}
            self.on_event(Note(Message("setup.note-python-broken", told)))
        if not found or self._venv(attempt, self._bring()):
            raise failures[-1]

    def _bring(self) -> Path:
        if self.supply is None:
            return pythons.bring(self.uv, self.question.python)
        python = self.supply.python()
        if python is None:
            raise BundleError("no-python", version=self.question.python)
        return python

    def _venv(self, attempt: Path, python: Path) -> SetupError | None:
        name = self.places.env.name
        prompt = self.places.env.parent.name if name.startswith(".") else name
        options = ["--relocatable", "--no-project", "--prompt", prompt or name, "--python", str(python)]
        with self._step("venv"):
            files.remove_tree(attempt)
            try:
                self.uv.run(["venv", *options, str(attempt)], timeout=VENV_TIMEOUT_S)
            except SetupError as error:
                if error.kind not in {"uv", "python"}:
                    raise
                return error
        return None

    def _record(self, attempt: Path, lock: Lock) -> Record:
        with self._step("record"):
            (attempt / record.LOCK_NAME).write_bytes(lock.text.encode())
            made = record.make(self.alignment, lock, self.question.id, fingerprint.take(attempt).json())
            record.write(attempt, made)
        return made

    @contextmanager
    def _step(self, step: StepId, *, reused: bool = False) -> Iterator[None]:
        self.on_event(Started(step))
        start = time.perf_counter()
        yield
        self.on_event(Finished(step, time.perf_counter() - start, reused))
