"""Where the parts of a build lie, beside the environment's final place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.setup.errors import SetupError
from trueup.setup.files import remove_tree
from trueup.setup.journal import NAME as JOURNAL_NAME
from trueup.setup.journal import Journal
from trueup.setup.record import LOCK_NAME

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Places:
    """All paths of one environment; `env` is absolute."""

    env: Path

    @property
    def building(self) -> Path:
        return self.env.with_name(self.env.name + ".trueup-building")

    @property
    def lock_file(self) -> Path:
        """Return the file that a run holds, not the list of packages."""
        return self.env.with_name(self.env.name + ".trueup-lock")

    @property
    def pylock(self) -> Path:
        return self.building / LOCK_NAME

    @property
    def wheels(self) -> Path:
        """Return the folder of files that uv could not fetch in one go."""
        return self.building / "wheels"

    @property
    def journal(self) -> Journal:
        return Journal(self.building)

    def open(self) -> None:
        """Make the building folder. Raises SetupError `foreign` where somebody else's is in the way."""
        self.building.mkdir(parents=True, exist_ok=True)
        if not (self.building / JOURNAL_NAME).exists() and any(self.building.iterdir()):
            raise SetupError("foreign", path=str(self.building))

    def tidy(self) -> None:
        """Remove what a failed run made where it holds nothing that a next one could go on with."""
        if not self.building.is_dir() or self.journal.last("locked"):
            return
        if all(path.name == JOURNAL_NAME for path in self.building.iterdir()):
            remove_tree(self.building)

    def drop_attempts(self) -> None:
        """Remove half-built environments. One that a dying uv still writes to goes with the next run."""
        for folder in self.building.glob("env-*"):
            remove_tree(folder)

    def close(self) -> None:
        """Remove the building folder; the journal last, for without it the folder is nobody's."""
        self.drop_attempts()
        self.pylock.unlink(missing_ok=True)
        remove_tree(self.wheels)
        if [path.name for path in self.building.iterdir()] == [JOURNAL_NAME]:
            remove_tree(self.building)
