"""Removes what a run left beside an environment that it had finished, when it was ended in that very moment."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from trueup.setup import exclusive, record
from trueup.setup.errors import SetupError
from trueup.setup.places import Places

if TYPE_CHECKING:
    from pathlib import Path


def sweep(env_dir: Path) -> None:
    """Remove the building folder and the lock file of a finished environment; not those of a run at work."""
    places = Places(env_dir.absolute())
    left = places.lock_file.exists() or (places.building.is_dir() and places.journal.last("moving"))
    if not left or record.read(places.env) is None:
        return
    with suppress(SetupError, OSError), exclusive.exclusive(places.lock_file, places.env):
        if places.building.is_dir() and places.journal.last("moving"):
            places.close()
