"""Progress on standard error: bars where a person looks, plain lines where a log is written."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

MEGABYTE = 1_000_000


class Progress(Protocol):
    """One task at a time: `start` ends the one before."""

    def start(self, label: str) -> None: ...
    def advance(self, done: float, total: float, detail: str) -> None: ...
    def end(self, note: str = "") -> None: ...
    def line(self, text: str) -> None: ...
    def close(self) -> None: ...


def progress(talk: Callable[[str], None], *, quiet: bool = False) -> Progress:
    """Return bars on a terminal, lines elsewhere, nothing where `quiet`."""
    if quiet:
        return Lines(lambda _: None)
    if sys.stderr.isatty():
        return Bars()
    return Lines(talk)


class Lines:
    """A line when a task starts and one when it ends; every tenth of a long one between."""

    def __init__(self, talk: Callable[[str], None]) -> None:
        self._talk = talk
        self._label = ""
        self._told = 0

    def start(self, label: str) -> None:
        self.end()
        self._label, self._told = label, 0
        self._talk(f"  {label} ...")

    def advance(self, done: float, total: float, detail: str) -> None:
        tenth = int(10 * done / total) if total else 0
        if self._told < tenth < 10:
            self._told = tenth
            self._talk(f"    {detail}")

    def end(self, note: str = "") -> None:
        if self._label and note:
            self._talk(f"    {note}")
        self._label = ""

    def line(self, text: str) -> None:
        self._talk(text)

    def close(self) -> None:
        self.end()


class Bars:
    """rich's bars; finished tasks stay as a ticked line."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self._rich = RichProgress(
            SpinnerColumn(finished_text="[green]✓"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[detail]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True, highlight=False),
        )
        self._task: TaskID | None = None
        self._rich.start()

    def start(self, label: str) -> None:
        self.end()
        self._task = self._rich.add_task(label, total=None, detail="")

    def advance(self, done: float, total: float, detail: str) -> None:
        if self._task is not None:
            self._rich.update(self._task, completed=done, total=total or None, detail=detail)

    def end(self, note: str = "") -> None:
        if self._task is not None:
            self._rich.update(self._task, total=1, completed=1, detail=note)
            self._task = None

    def line(self, text: str) -> None:
        self._rich.console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        if self._task is not None:
            self._rich.stop_task(self._task)
            self._task = None
        self._rich.stop()


def megabytes(size: float) -> str:
    """Return bytes as text: "2.2 GB", "430 MB"."""
    if size >= 1000 * MEGABYTE:
        return f"{size / MEGABYTE / 1000:.1f} GB"
    return f"{size / MEGABYTE:.0f} MB" if size >= MEGABYTE else f"{size / 1000:.0f} kB"
