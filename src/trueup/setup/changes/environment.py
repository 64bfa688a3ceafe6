"""An environment as one change: taken back whole while it is as it was built, put beside once somebody used it."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.setup import files, record
from trueup.setup.changes.holders import holders
from trueup.setup.changes.model import Change, InUse
from trueup.setup.changes.moving import aside_of, move, removing
from trueup.setup.changes.tally import fresh, since, tally
from trueup.setup.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.changes.model import State
    from trueup.setup.changes.store import Store
    from trueup.setup.model import EnvChange

HALF_REMOVED: Final = {"half": "removed"}
OTHERS: Final = {"others": "thing"}


class EnvironmentKind:
    """Target: `path`, the `attempt` that is moved there, and `at`, the time it was whole (ns since 1970).

    State: see `tally`; None where nothing is there.
    """

    def read(self, target: Mapping[str, str]) -> State:
        env = Path(target["path"])
        if not os.path.lexists(env):
            return HALF_REMOVED if removing(env).exists() else None
        made = record.read(env)
        return OTHERS if made is None else {"made": made.made, **tally(env, int(target["at"]))}

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        del blobs
        env = Path(target["path"])
        if state is not None:
            files.move(env.parent / target["attempt"], env)
            return
        leaving = removing(env)
        if os.path.lexists(env):
            self._move(target, leaving)
        if not files.remove_tree(leaving):
            raise InUse(str(leaving))

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Need nothing: there is nothing before."""

    def between(self, change: Change, present: State) -> bool:
        del change
        return bool(present == HALF_REMOVED)

    def since(self, change: Change, present: State) -> tuple[EnvChange, ...] | None:
        """Return what differs; None for another environment or somebody else's folder."""
        if present is None or present.get("made") != change.after["made"]:
            return None
        return since(change.after, present)

    def holders(self, target: Mapping[str, str]) -> tuple[str, ...]:
        env = Path(target["path"])
        return holders(env) if env.is_dir() else ()

    def set_aside(self, target: Mapping[str, str]) -> str:
        aside = aside_of(Path(target["path"]))
        self._move(target, aside)
        return str(aside)

    def _move(self, target: Mapping[str, str], goal: Path) -> None:
        move(Path(target["path"]), goal, self.holders(target))


def environment_change(attempt: Path, env: Path) -> Change:
    """Return the change that moves a finished attempt to its place. Both are on one disk."""
    at = time.time_ns()
    made = record.read(attempt)
    if made is None:
        raise FileNotFoundError(attempt / record.NAME)
    target = {"path": str(env), "attempt": os.path.relpath(attempt, env.parent), "at": str(at)}
    return Change("environment", target, {"made": made.made, **fresh(attempt)})


def place(store: Store | None, attempt: Path, env: Path, command: str) -> bool:
    """Move a finished attempt to its place, and tell whether that is journaled.

    A journal that cannot be written, on a home without room or right, must not cost a finished build:
    deleting its folder takes that back as well.
    """
    if store is not None:
        change = environment_change(attempt, env)
        with suppress(SetupError), store.begin(command) as transaction:
            transaction.intend(change)  # nothing is there: the caller holds the place
            files.move(attempt, env)
        if not attempt.exists():
            return True
    files.move(attempt, env)
    return False
