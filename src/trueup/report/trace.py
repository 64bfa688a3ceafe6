"""The loader's view as text and data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.report import marks
from trueup.report.redact import redact_all
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.trace import Node, Trace

SCHEMA = "trueup.trace/1"


def as_text(trace: Trace, title: str, lang: str) -> str:
    return "\n".join([title, "", *_tree(trace, lang), "", *_verdict(trace, lang)])


def nested(trace: Trace) -> Iterator[tuple[int, Node]]:
    """Yield each name with how deep below the framework it is asked for."""
    depths: dict[str, int] = {}
    for node in trace.nodes:
        depth = depths.get(node.wanted_by or "", -1) + 1
        depths.setdefault(node.name.rpartition("/")[2], depth)
        yield depth, node


def _tree(trace: Trace, lang: str) -> Iterator[str]:
    for depth, node in nested(trace):
        yield f"{mark(node)} {'  ' * depth}{node.name}  {where(node, lang)}"


def mark(node: Node) -> str:
    bad = node.missing or node.fault
    return "[ok]" if not bad else "[--]" if node.feature else "[!!]"


def where(node: Node, lang: str) -> str:
    if node.missing:
        return say(Message("trace.missing"), lang)
    origin = say(Message(f"trace.from-{node.found.origin}"), lang)
    said = " ".join(part for part in (node.found.path or "", node.version or "") if part)
    said = (said + marks.aside(origin, lang)).strip()
    return marks.clauses((said, say(Message(f"trace.{node.fault}"), lang)), lang) if node.fault else said


def _verdict(trace: Trace, lang: str) -> Iterator[str]:
    for (by, looked), names in _missing(trace).items():
        yield say(Message("trace.is-missing", {"name": ", ".join(names), "by": by}), lang)
        yield "  " + say(Message("trace.looked", {"folders": "; ".join(looked)}), lang)
    for node in trace.broken:
        if node.fault:
            params = {"by": node.wanted_by or "-", "path": node.found.path or "-"}
            yield say(Message(f"trace.is-{node.fault}", params), lang)
    for node in trace.nodes:
        if node.found.shadows:
            params = {"path": node.found.path or "-", "others": ", ".join(node.found.shadows)}
            yield say(Message("trace.shadows", params), lang)
        if node.missing and node.feature:
            yield say(Message("trace.feature", {"name": node.name, "feature": node.feature}), lang)
    if not trace.loads_known:
        yield say(Message("trace.loads-unknown"), lang)
    if not trace.broken:
        yield say(Message("trace.all-found", {"count": len(trace.nodes)}), lang)


def _missing(trace: Trace) -> dict[tuple[str, tuple[str, ...]], list[str]]:
    """Group missing names by who asks and where it was looked: often it is one folder that is not there."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for node in trace.broken:
        if node.missing:
            groups.setdefault((node.wanted_by or "-", node.found.looked), []).append(node.name)
    return groups


def as_data(trace: Trace) -> dict[str, Any]:
    """Return the answer of `--json`; its schema is `schemas/trace-1.json`."""
    document = {
        "schema": SCHEMA,
        "complete": not trace.broken and trace.loads_known,
        "missing": [node.name for node in trace.broken if node.missing],
        "loads_known": trace.loads_known,
        "nodes": [_node(node) for node in trace.nodes],
    }
    cleaned: dict[str, Any] = redact_all(document)
    return cleaned


def _node(node: Node) -> dict[str, Any]:
    return {
        "name": node.name,
        "wanted_by": node.wanted_by,
        "how": node.how,
        "path": node.found.path,
        "origin": node.found.origin,
        "version": node.version,
        "feature": node.feature,
        "fault": node.fault,
        "looked": list(node.found.looked) if node.missing else [],
        "shadows": list(node.found.shadows),
    }
