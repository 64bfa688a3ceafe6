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
    if sys.stderr is not None and sys.stderr.isatty():
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
    """rich's bar for the task at hand; finished ones stay as a ticked line above it."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress
        from rich.table import Column

        self._rich = RichProgress(
            SpinnerColumn("line"),  # ASCII: a legacy code page has no braille
            TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
            BarColumn(bar_width=16),
            TextColumn("{task.fields[detail]}", table_column=Column(no_wrap=True)),
            TimeElapsedColumn(),
            console=Console(stderr=True, highlight=False),
            expand=True,
        )
        self._task: TaskID | None = None
        self._label = ""
        self._rich.start()

    def start(self, label: str) -> None:
        self.end()
        self._label = label
        self._task = self._rich.add_task(label, total=None, detail="")

    def advance(self, done: float, total: float, detail: str) -> None:
        if self._task is not None:
            self._rich.update(self._task, completed=done, total=total or None, detail=detail)

    def end(self, note: str = "") -> None:
        if self._task is not None:
            self._drop()
            self.line(f"[ok] {self._label}" + (f" · {note}" if note else ""))

    def line(self, text: str) -> None:
        self._rich.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        if self._task is not None:
            self._drop()
        self._rich.stop()

    def _drop(self) -> None:
        if self._task is not None:
            self._rich.remove_task(self._task)
            self._task = None


def megabytes(size: float) -> str:
    """Return bytes as text: "2.2 GB", "430 MB"."""
    if size >= 1000 * MEGABYTE:
        return f"{size / MEGABYTE / 1000:.1f} GB"
    return f"{size / MEGABYTE:.0f} MB" if size >= MEGABYTE else f"{size / 1000:.0f} kB"
