"""Makes changes through the journal; what needs an administrator goes to one step of its own."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trueup.keep.elevate import inverse, needs_admin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trueup.setup.changes import Change, Kind, Record, Store

Result = Literal["done", "refused", "failed"]


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done. `left`: what an administrator's step did not bring about."""

    result: Result
    done: tuple[Change, ...]
    left: tuple[Change, ...] = ()


def apply(
    store: Store,
    command: str,
    changes: Iterable[Change],
    elevate: Callable[[tuple[Change, ...]], Result] | None = None,
) -> Applied:
    """Make the changes. With `elevate`, those that need an administrator are written down here and made there.

    The intents are on the disk before the other process starts, so `undo` is right whenever either is killed.
    Raises SetupError.
    """
    seen = _once(store.preview(changes))
    apart = tuple(change for change in seen if elevate is not None and needs_admin(change))
    own = tuple(change for change in seen if change not in apart)
    result: Result = "done"
    with store.begin(command) as transaction:
        for change in own:
            transaction.apply(change)
        for change in apart:
            transaction.intend(change)
        if apart and elevate is not None:
            result = elevate(apart)
    left = store.preview(apart)
    if left and not own:  # nothing was changed at all: the history says so
        store.undo(store.records()[0])
        return Applied(result if result != "done" else "failed", (), apart)
    done = tuple(change for change in seen if change not in left)
    return Applied("failed" if left and result == "done" else result, done, left)


def _once(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Leave out what comes again, as a key does that two values lie in."""
    found: dict[tuple[object, ...], Change] = {}
    for change in changes:
        found.setdefault((change.kind, *change.target.values()), change)
    return tuple(found.values())


def kinds() -> dict[str, Kind]:
    """Return the kinds of change that this room adds to the journal's own."""
    if sys.platform == "win32":
        from trueup.keep.tune.power import windows_kind  # noqa: PLC0415

        return {"power": windows_kind()}
    return {}


def undo_apart(store: Store, record: Record, elevate: Callable[[tuple[Change, ...]], Result]) -> None:
    """Let an administrator's step take back what only an administrator may. The journal's own undo does the rest.

    A step that was declined leaves those as they are, and `Store.undo` says so.
    """
    looks = reversed(store.look(record))
    apart = [look.change for look in looks if look.outlook == "restorable" and needs_admin(look.change)]
    if apart:
        elevate(inverse(apart))
