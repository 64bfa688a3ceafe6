"""What a build has done so far: JSON lines; a step that counts as done is on the disk before the next begins."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NAME: Final = "journal.jsonl"
SCHEMA: Final = "trueup.journal/1"


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal in one building folder. A line that a crash cut off is as if it was never written."""

    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / NAME

    def write(self, event: str, *, sync: bool = True, **values: Any) -> None:
        line = {"event": event, "time": now(), **values}
        with self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            if sync:
                os.fsync(file.fileno())

    def events(self) -> list[dict[str, Any]]:
        try:
            lines = self.path.read_text("utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            return []
        return events_of(lines)

    def last(self, event: str) -> dict[str, Any] | None:
        """Return the newest event of that name since the newest `begin`."""
        events = self.events()
        starts = [number for number, line in enumerate(events) if line["event"] == "begin"]
        since = events[starts[-1] :] if starts else []
        return next((line for line in reversed(since) if line["event"] == event), None)


def events_of(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Return the events of a journal's lines; a line that is none, such as one that a kill cut off, is left out."""
    return [event for line in lines if (event := _event(line)) is not None]


def _event(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and "event" in value else None


def now() -> str:
    """Return the time as ISO 8601 in UTC, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
