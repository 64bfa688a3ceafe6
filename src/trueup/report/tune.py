"""What `trueup tune` says: the settings, what would change, what was changed."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, Final

from trueup.report.redact import redact
from trueup.report.say import say
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.keep.tune.model import Lore, Setting, Step
    from trueup.setup.changes import Change
    from trueup.values import Source

SCHEMA: Final = "trueup.tune/1"
ORDER: Final = ("advised", "yours", "wish", "unknown", "good")
MARKS: Final = {"advised": "[>>]", "yours": "[!!]", "wish": "[--]", "unknown": "[??]", "good": "[ok]"}


def as_text(settings: Sequence[Setting], lang: str, *, detail: bool = False) -> str:
    """Return the table: setting, what is, what would be; under it why, effect and source, and the steps."""
    ordered = sorted(settings, key=lambda one: ORDER.index(one.verdict))
    if not ordered:
        return _t("tune.nothing-here", lang)
    heads = tuple(_t(f"tune.head-{name}", lang) for name in ("setting", "now", "goal"))
    table = [heads, *(_row(setting, lang) for setting in ordered)]
    widths = [min(max(_width(row[n]) for row in table), 40) for n in range(3)]
    lines, last = [_cells("    ", heads, widths)], ""
    for setting, cells in zip(ordered, table[1:], strict=True):
        if setting.verdict != last:
            last = setting.verdict
            lines += ["", _t(f"tune.verdict-{last}", lang)]
        lines.append(_cells(MARKS[last], cells, widths) + _rights(setting, lang))
        if detail or last != "good":
            lines += (f"       {line}" for line in _more(setting, lang))
    return "\n".join(lines)


def _row(setting: Setting, lang: str) -> tuple[str, str, str]:
    return setting.name, _now(setting, lang), say(setting.goal, lang) if setting.goal else ""


def _cells(mark: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (text + " " * (width - _width(text)) for text, width in zip(cells, widths, strict=True))
    return f"{mark} {'  '.join(padded)}".rstrip()


def _width(text: str) -> int:
    """Return the columns of a text: Chinese letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _now(setting: Setting, lang: str) -> str:
    return _t("tune.unread", lang) if isinstance(setting.now, Unknown) else redact(say(setting.now, lang))


def _rights(setting: Setting, lang: str) -> str:
    if not setting.can_apply or setting.verdict == "good":
        return ""
    words = [_t("tune.needs-admin", lang)] if setting.row.admin else []
    words += [_t("tune.needs-restart", lang)] if setting.row.restart else []
    return "".join(f"  {word}" for word in words)


def _more(setting: Setting, lang: str) -> Iterator[str]:
    if isinstance(setting.now, Unknown):
        yield say(setting.now.why, lang)
    if setting.why is not None:
        yield say(setting.why, lang)
    for note in setting.notes:
        yield say(note, lang)
    yield _effect(setting, lang)
    for step in setting.steps:
        yield from _step(step, lang)


def _step(step: Step, lang: str) -> Iterator[str]:
    yield "- " + say(step.text, lang) + (f" {_t('tune.needs-admin', lang)}" if step.admin else "")
    if step.command:
        yield f"    {step.command}"


def _effect(setting: Setting, lang: str) -> str:
    named = [_source(source, lang) for source in setting.row.sources]
    said = _t(f"tune.effect-{setting.row.effect}", lang)
    return _t("tune.effect", lang, text=said, sources="; ".join(named) or _t("tune.no-source", lang))


def _source(source: Source, lang: str) -> str:
    return _t("tune.source", lang, name=source.name, date=source.date)


def changes_text(changes: Sequence[Change], lang: str) -> str:
    """Return exactly what would change, with the types of values."""
    return "\n".join(f"  {_change(change, lang)}" for change in changes)


def _change(change: Change, lang: str) -> str:
    before, after = (state_text(change.kind, state, lang) for state in (change.before, change.after))
    what = change.name
    if change.kind == "registry":
        what = f"{change.target['key']}  {change.target['name']}"
    elif change.kind == "power":
        what = "powercfg  " + (change.target.get("setting") or _t("tune.active-plan", lang))
    return _t("tune.change", lang, what=redact(what), before=before, after=after)


def state_text(kind: str, state: Any, lang: str) -> str:
    if state is None:
        return _t("tune.absent", lang)
    if kind == "registry":
        return f"{state['type']} {state.get('data', state.get('raw'))}"
    if kind == "power" and isinstance(state, dict):
        return str(state["value"]) if state["set"] else _t("tune.default", lang, value=str(state["value"]))
    if kind == "file":
        return _t("tune.content", lang, digest=state["sha256"][:12])
    return _t("tune.there", lang) if state == "there" else str(state)


def lore_text(lore: Sequence[Lore], lang: str) -> str:
    """Return what guides tell, each with its verdict and sources."""
    lines = []
    for one in lore:
        named = "; ".join(_source(source, lang) for source in one.sources) or _t("tune.no-source", lang)
        lines += [
            _t("tune.lore", lang, claim=_t(f"tune.claim-{one.name}", lang), verdict=_t(f"tune.lore-{one.verdict}", lang)),
            "    " + _t(f"tune.truth-{one.name}", lang),
            "    " + _t("tune.sources", lang, sources=named),
        ]  # fmt: skip
    return "\n".join(lines)


def as_data(
    settings: Sequence[Setting],
    lore: Sequence[Lore],
    lang: str,
    *,
    mode: str = "look",
    changes: Sequence[Change] = (),
    result: str | None = None,
) -> dict[str, Any]:
    """Return the `trueup.tune/1` document."""
    return {
        "schema": SCHEMA,
        "mode": mode,
        "settings": [_setting(one, lang) for one in settings],
        "changes": [
            {"kind": one.kind, "target": dict(one.target), "before": one.before, "after": one.after}
            for one in changes
        ],
        "result": result,
        "folklore": [
            {
                "name": one.name,
                "verdict": one.verdict,
                "claim": _t(f"tune.claim-{one.name}", lang),
                "truth": _t(f"tune.truth-{one.name}", lang),
                "sources": [_source_data(source) for source in one.sources],
            }
            for one in lore
        ],
    }


def _setting(setting: Setting, lang: str) -> dict[str, Any]:
    unknown = isinstance(setting.now, Unknown)
    return {
        "name": setting.name,
        "verdict": setting.verdict,
        "now": None if isinstance(setting.now, Unknown) else say(setting.now, lang),
        "unknown": say(setting.now.why, lang) if unknown and isinstance(setting.now, Unknown) else None,
        "goal": say(setting.goal, lang) if setting.goal else None,
        "why": say(setting.why, lang) if setting.why else None,
        "effect": setting.row.effect,
        "sources": [_source_data(source) for source in setting.row.sources],
        "admin": setting.row.admin,
        "restart": setting.row.restart,
        "can_apply": setting.can_apply,
        "steps": [
            {"text": say(step.text, lang), "command": step.command, "admin": step.admin}
            for step in setting.steps
        ],
        "notes": [say(note, lang) for note in setting.notes],
    }


def _source_data(source: Source) -> dict[str, Any]:
    return {
        "name": source.name,
        "address": source.address,
        "date": source.date,
        "confidence": source.confidence,
        "conflict": source.conflict,
    }


def _t(code: str, lang: str, **params: str) -> str:
    return say(Message(code, params), lang)
