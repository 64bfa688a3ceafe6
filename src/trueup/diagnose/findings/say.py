"""Short ways to write a finding. The text's code is `findings.` and the finding's id."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.diagnose.findings.model import Finding
from trueup.values import Message

if TYPE_CHECKING:
    from trueup.diagnose.findings.model import Layer, Remedy
    from trueup.values import Param


def ok(id_: str, layer: Layer, **params: Param) -> Finding:
    return Finding(id_, layer, "ok", Message(f"findings.{id_}", params))


def problem(id_: str, layer: Layer, *remedies: Remedy, **params: Param) -> Finding:
    return Finding(id_, layer, "problem", Message(f"findings.{id_}", params), (), remedies)


def notice(id_: str, layer: Layer, *remedies: Remedy, **params: Param) -> Finding:
    return Finding(id_, layer, "notice", Message(f"findings.{id_}", params), (), remedies)


def seen(finding: Finding, *evidence: Message) -> Finding:
    return replace(finding, evidence=(*finding.evidence, *evidence))


def harmless(id_: str, layer: Layer, **params: Param) -> Finding:
    return Finding(id_, layer, "notice", Message(f"findings.{id_}", params), harmless=True)


def unknown(id_: str, layer: Layer, why: Message, **params: Param) -> Finding:
    return Finding(id_, layer, "unknown", Message(f"findings.{id_}", params), (why,))
