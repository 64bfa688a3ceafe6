"""`trueup watch -- PROGRAM` and `--pid`: samples beside the program, then what held it back."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

from trueup.cli.watch_stream import Log
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.cli.session import Session
    from trueup.cli.watch import Wanted
    from trueup.watch.classify import Verdict
    from trueup.watch.tree import TreeReader

HEALTHY, NOT_HEALTHY = 0, 1
PATIENCE = 5.0  # seconds that a last look may take: a driver may hang


def watch_program(session: Session, wanted: Wanted) -> int:
    log = Log(session, wanted.log)
    try:
        return _by_pid(session, wanted, log) if wanted.pid is not None else _started(session, wanted, log)
    finally:
        log.close()


def _started(session: Session, wanted: Wanted, log: Log) -> int:
    """Run the program with our own streams and return its exit status."""
    from trueup.watch.tree import TreeReader

    try:
        child = subprocess.Popen(wanted.program)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise TrueupError(
            Message("watch.cannot-start", {"program": wanted.program[0], "why": why}),
            Message("watch.cannot-start-hint"),
        ) from error
    with _passed_on(child):
        follower = Follower(TreeReader(child.pid), wanted.interval, log)
        status = _wait(child)
    follower.stop()
    verdict = follower.verdict()
    exit_status = status if status >= 0 else 128 - status
    _tell(session, wanted, verdict, follower.taken, exit_status)
    if exit_status != 0:
        told = session.text("held.program-failed", status=exit_status, program=wanted.program[0])
        session.talk("\n" + told)
    return exit_status


def _wait(child: subprocess.Popen[bytes]) -> int:
    """Wait for the program's own end; Ctrl-C reaches it as well as us, and it decides."""
    while child.poll() is None:
        with contextlib.suppress(KeyboardInterrupt):
            child.wait()
    return child.returncode


@contextlib.contextmanager
def _passed_on(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """Hand on the signal by which a scheduler ends us."""
    if sys.platform == "win32":
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _by_pid(session: Session, wanted: Wanted, log: Log) -> int:
    pid = wanted.pid or 0
    tree = _tree(pid)
    session.talk(session.text("held.running", seconds=f"{wanted.interval:g}"))
    follower = Follower(tree, wanted.interval, log)
    with contextlib.suppress(KeyboardInterrupt):  # how one ends watching what goes on
        while tree.alive() and (wanted.count is None or follower.taken < wanted.count):
            time.sleep(min(0.2, wanted.interval))
    follower.stop()
    verdict = follower.verdict()
    _tell(session, wanted, verdict, follower.taken, None)
    return HEALTHY if verdict.outcome == "healthy" else NOT_HEALTHY


def _tree(pid: int) -> TreeReader:
    import psutil

    from trueup.watch.tree import TreeReader

    try:
        return TreeReader(pid)
    except psutil.AccessDenied as error:
        raise TrueupError(
            Message("watch.pid-denied", {"pid": pid}), Message("watch.pid-denied-hint", {"pid": pid})
        ) from error
    except (psutil.Error, OverflowError, ValueError) as error:
        raise TrueupError(
            Message("watch.no-such-pid", {"pid": pid}), Message("watch.no-such-pid-hint")
        ) from error


def _tell(session: Session, wanted: Wanted, verdict: Verdict, samples: int, status: int | None) -> None:
    from trueup.report import watch_verdict as words

    if wanted.json:
        data = words.as_data(verdict, session.lang, samples, status)
        session.out(json.dumps(data, ensure_ascii=False))
        return
    lines: Sequence[str] = list(words.as_text(verdict, session.lang, samples))
    if wanted.pid is not None:
        session.out("\n".join(lines))
    else:
        session.talk("\n" + "\n".join(lines))


class Follower:
    """Samples from a thread of its own, so that neither the program nor its end waits for a driver."""

    def __init__(self, tree: TreeReader, interval: float, log: Log) -> None:
        from trueup.watch.recorder import Recorder

        self._tree, self._interval, self._log = tree, interval, log
        self._recorder, self._over = Recorder(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def taken(self) -> int:
        return self._recorder.taken

    def stop(self) -> None:
        self._over.set()
        self._thread.join(PATIENCE)

    def verdict(self) -> Verdict:
        from trueup.watch.classify import classify, trace_of

        return classify(trace_of(self._recorder.samples))

    def _run(self) -> None:
        from trueup.watch.sampler import Sampler

        with contextlib.closing(Sampler(tree=self._tree)) as sampler:
            due = time.monotonic()
            while True:
                sample = sampler.take()
                self._recorder.add(sample)
                self._log.add(sample)
                due = max(due + self._interval, time.monotonic())
                if self._over.wait(max(0.0, due - time.monotonic())):
                    return
