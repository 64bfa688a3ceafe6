"""The user's own folders of trueup."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueup.facts import Facts


def own_facts() -> Path:
    """Return the folder of the releases that `trueup facts update` read; it need not be there."""
    import platformdirs

    return Path(platformdirs.user_data_dir("trueup", appauthor=False)) / "facts"


def load() -> Facts:
    """Return the shipped facts with the user's own over them."""
    from trueup import facts

    return facts.load(own_facts())
