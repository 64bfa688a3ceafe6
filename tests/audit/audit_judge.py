"""What the fixtures of these tests are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from trueup.fit.audit import Audit
    from trueup.fit.audit.model import System


class Judge(Protocol):
    def __call__(self, text: str, name: str = "guide.md", system: System | None = None) -> Audit: ...


class Rules(Protocol):
    def __call__(self, text: str, name: str = "guide.md", system: System | None = None) -> set[str]: ...
