"""What the tests of audits share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trueup import facts
from trueup.fit.audit import audit

if TYPE_CHECKING:
    from audit_judge import Judge, Rules

    from trueup.fit.audit import Audit
    from trueup.fit.audit.model import System


@pytest.fixture
def judge() -> Judge:
    def judged(text: str, name: str = "guide.md", system: System | None = None) -> Audit:
        return audit(text, name, facts.load(), system)

    return judged


@pytest.fixture
def rules(judge: Judge) -> Rules:
    def found(text: str, name: str = "guide.md", system: System | None = None) -> set[str]:
        return {finding.rule for finding in judge(text, name, system).findings}

    return found
