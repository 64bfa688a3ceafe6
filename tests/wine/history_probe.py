"""What the history does on Windows: run by its Python, answers in JSON."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.history import Entry, Reach, Store, Trouble
from trueup.history.store import NAME

if TYPE_CHECKING:
    from collections.abc import Callable


def entry(verdict: str = "aligned") -> Entry:
    return Entry("check", verdict, Reach.CARD, "tensorflow", "m", "e", "D:\\env", {"system/os": "windows"})


def main(folder: Path) -> None:
    answer: dict[str, object] = {}
    store = Store(folder / "50% of #1 用户")
    answer["kept"] = [store.add(entry(), 1), store.add(entry(), 2), len(store.newest(9))]
    asks: dict[str, Callable[[Store], object]] = {
        "write": lambda store: store.add(entry(), 3),
        "read": lambda store: store.newest(9),
    }
    for name, ask in asks.items():
        place = folder / name
        place.mkdir()
        (place / NAME).write_bytes(b"no database at all" * 200)
        damaged = Store(place)
        ask(damaged)
        answer[name] = bool(damaged.moved and damaged.moved.exists())
    place = folder / "locked"
    Store(place).add(entry(), 1)
    holder = sqlite3.connect(place / NAME, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        Store(place, wait=0.1).add(entry("unknown"), 2)
    except Trouble as trouble:
        answer["locked"] = trouble.kind
    holder.close()
    (folder / "held").mkdir()
    (folder / "held" / NAME).write_bytes(b"no database at all" * 200)
    with (folder / "held" / NAME).open("rb"):
        try:
            Store(folder / "held").add(entry(), 1)
        except Trouble as trouble:
            answer["held"] = trouble.kind
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
