"""The facts narrowed to what is installed: of a release's builds, those of its own CUDA line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.facts.model import Build
    from trueup.fit.knowledge import Knowledge
    from trueup.machine.inventory.model import FrameworkBuild


def installed(facts: Knowledge, build: FrameworkBuild) -> Knowledge:
    """Return facts that know of the installed framework only the build that is there.

    Without this the solver would find another CUDA line of the same release that fits, and call it fine.
    """
    return cast("Knowledge", _Installed(facts, build))


class _Installed:
    def __init__(self, facts: Knowledge, build: FrameworkBuild) -> None:
        self._facts = facts
        self._build = build

    def __getattr__(self, name: str) -> Any:
        return getattr(self._facts, name)

    def builds(self, framework: str) -> Sequence[Build]:
        rows = self._facts.builds(framework)
        if framework != self._build.framework:
            return rows
        return tuple(row for row in rows if self._same_line(row)) or rows

    def _same_line(self, row: Build) -> bool:
        if row.version != self._build.version.partition("+")[0] or row.cuda is None:
            return False
        return not isinstance(self._build.cuda, str) or (row.cuda + ".").startswith(self._build.cuda + ".")
