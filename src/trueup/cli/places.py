"""The user's own folders of trueup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueup.facts import Facts
    from trueup.setup.changes import Store


def own_facts() -> Path:
    """Return the folder of the releases that `trueup facts update` read; it need not be there."""
    return data_folder() / "facts"


def changes_store() -> Store:
    """Return the one journal of what trueup changed for this user. Its folder is made with the first change."""
    from trueup.keep.tune.apply import kinds
    from trueup.setup.changes import Store

    return Store(data_folder() / "changes", kinds())


def data_folder() -> Path:
    """Return the folder of the user's data of trueup; it need not be there."""
    import platformdirs

    return Path(platformdirs.user_data_dir("trueup", appauthor=False))


def own_folders() -> tuple[Path, ...]:
    """Return every folder that trueup keeps things of its own in; the deepest first where one holds another."""
    import platformdirs

    named = ("user_log_dir", "user_cache_dir", "user_config_dir", "user_state_dir", "user_data_dir")
    found = {Path(getattr(platformdirs, name)("trueup", appauthor=False)) for name in named}
    return tuple(sorted(found, key=lambda path: (-len(path.parts), str(path))))


def load() -> Facts:
    """Return the shipped facts with the user's own over them."""
    from trueup import facts

    return facts.load(own_facts())
