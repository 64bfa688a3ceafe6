"""Reads the JSON lines of `trueup watch --json` and `--log`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trueup.values import Message, TrueupError

MOST = 600  # samples for a plot
SAMPLE, VERDICT = "trueup.watch/1", "trueup.watch-verdict/1"


def read_log(path: str) -> tuple[list[dict[str, Any]], dict[str, Any] | None, int]:
    """Return samples, evenly thinned, the verdict where there is one, and how many lines were neither."""
    from trueup.machine.host.decode import decode

    try:
        text = decode(Path(path).read_bytes())
    except OSError as error:
        told = Message("machine.file-unreadable", {"path": path, "text": error.strerror or str(error)})
        raise TrueupError(told, Message("report.hint-watch-log")) from error
    rows = [row for line in text.splitlines() if line.strip() for row in [_row(line)]]
    samples = [row for row in rows if row is not None and row["schema"] == SAMPLE]
    verdicts = [row for row in rows if row is not None and row["schema"] == VERDICT]
    if not samples and not verdicts:
        raise TrueupError(Message("report.no-samples", {"path": path}), Message("report.hint-watch-log"))
    every = -(-len(samples) // MOST) or 1
    skipped = sum(row is None for row in rows)
    return [*samples[:-1:every], *samples[-1:]], verdicts[-1] if verdicts else None, skipped


def _row(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value.get("schema") in (SAMPLE, VERDICT) else None
