"""Short ways to say what a rule found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.fit.model import Change, Outcome, Verdict
from trueup.values import Message

if TYPE_CHECKING:
    from trueup.values import Param, Source

HOLDS = Verdict("holds", Outcome.OK, Message("fit.holds"))


def no(rule: str, code: str, source: Source | None = None, /, **params: Param) -> Verdict:
    return Verdict(rule, Outcome.NO, Message(f"fit.{code}", params), source)


def unknown(rule: str, code: str, source: Source | None = None, /, **params: Param) -> Verdict:
    """Say that a rule could not decide. The text is the assumption that the answer rests on."""
    return Verdict(rule, Outcome.UNKNOWN, Message(f"fit.{code}", params), source)


def change(rule: str, code: str, to: Change, source: Source | None = None, /, **params: Param) -> Verdict:
    return Verdict(rule, Outcome.CHANGE, Message(f"fit.{code}", params), source, to)
