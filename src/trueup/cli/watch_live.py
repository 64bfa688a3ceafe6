"""`trueup watch` on a terminal: the live screen; elsewhere, and with `--once`, one screen as text."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import ExitStack, closing, suppress
from typing import TYPE_CHECKING

from trueup.cli.watch_keys import keys
from trueup.cli.watch_stream import GOOD, NO_GPU, Log, samples

if TYPE_CHECKING:
    from rich.console import Console

    from trueup.cli.session import Session
    from trueup.cli.watch import Wanted
    from trueup.report.watch_glyphs import Glyphs
    from trueup.watch.model import Past, Sample

QUIT = frozenset({"q", "Q", "\x03", "\x1b"})
GLANCE = 0.5  # seconds between two looks whether a new sample is there
TALL = 200  # lines of a screen that is no screen


def live(session: Session, wanted: Wanted) -> int:
    from rich.console import Console

    console = Console(highlight=False)
    if wanted.once or not console.is_terminal or console.is_dumb_terminal:
        return _once(session, wanted, console)
    with ExitStack() as stack:
        log = Log(session, wanted.log)
        stack.callback(log.close)
        feed = Feed(wanted.interval, log)
        stack.callback(feed.stop)
        with suppress(KeyboardInterrupt):  # how one leaves a screen
            _show(session, wanted, console, feed)
        return GOOD if feed.seen else NO_GPU


def _once(session: Session, wanted: Wanted, console: Console) -> int:
    from trueup.cli.watch_canvas import text_of
    from trueup.report.watch_view import Look, screen
    from trueup.watch.model import Past
    from trueup.watch.sampler import Sampler

    log = Log(session, wanted.log)
    with closing(log), closing(Sampler()) as sampler:
        (sample,) = samples(sampler, wanted.interval, 1)
        log.add(sample)
    look = Look(session.lang, console.width, TALL, _glyphs(console, forced=wanted.ascii))
    for line in screen(sample, Past(), look):
        console.print(text_of(line), soft_wrap=True)
    return GOOD if any(gpu.trouble is None for gpu in sample.cards.gpus) else NO_GPU


def _show(session: Session, wanted: Wanted, console: Console, feed: Feed) -> None:
    from trueup.cli.watch_canvas import Canvas
    from trueup.report.watch_parts import flow
    from trueup.report.watch_view import SILENT, Look, screen

    drawn = _glyphs(console, forced=wanted.ascii)
    shown = None
    with keys() as pressed, Canvas(console) as canvas:
        while wanted.count is None or feed.taken < wanted.count:
            if pressed(GLANCE) in QUIT:
                return
            age = feed.age()
            silent = age if age > SILENT * wanted.interval + 2 else None
            state = (feed.taken, console.size, silent and int(silent))
            if state == shown or (feed.latest is None and silent is None):
                continue
            shown = state
            if feed.latest is None:
                told = session.text("watch.silent-from-start", seconds=f"{age:.0f}")
                canvas.draw(flow([(told, "bold red")], console.width), console.size)
                continue
            look = Look(session.lang, console.width, console.height, drawn, keys=True, silent=silent)
            sample, past = feed.latest
            canvas.draw(screen(sample, past, look), console.size)


def _glyphs(console: Console, *, forced: bool) -> Glyphs:
    from trueup.report.watch_glyphs import glyphs

    old = sys.platform == "win32" and "WT_SESSION" not in os.environ and "TERM_PROGRAM" not in os.environ
    page = _code_page() if old else ""
    return glyphs(page or console.encoding, old_console=old, forced=forced or console.legacy_windows)


def _code_page() -> str:
    """Return the console's own code page: Python writes past it, but it decides how wide letters are drawn."""
    if sys.platform != "win32":
        return ""
    import ctypes

    number = ctypes.windll.kernel32.GetConsoleOutputCP()
    return "" if number in {0, 65001} else f"cp{number}"


class Feed:
    """Samples from a thread of their own: a driver that hangs must not take the keys with it."""

    def __init__(self, interval: float, log: Log) -> None:
        self.latest: tuple[Sample, Past] | None = None
        self.taken, self.seen = 0, False
        self._interval, self._log = interval, log
        self._at, self._over = time.monotonic(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def age(self) -> float:
        """Return the seconds since the last sample."""
        return time.monotonic() - self._at

    def stop(self) -> None:
        self._over.set()
        self._thread.join(1.0)

    def _run(self) -> None:
        from trueup.watch.sampler import History, Sampler

        history = History()
        with closing(Sampler()) as sampler:
            sampler.take()  # no rates yet
            due = time.monotonic() + min(self._interval, 0.2)
            while not self._over.wait(max(0.0, due - time.monotonic())):
                sample = sampler.take()
                history.add(sample)
                self.seen = self.seen or any(gpu.trouble is None for gpu in sample.cards.gpus)
                self._log.add(sample)
                self.latest = (sample, history.past())
                self.taken += 1
                self._at = time.monotonic()
                due = max(due + self._interval, self._at)
