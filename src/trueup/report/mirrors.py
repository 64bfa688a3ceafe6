"""Mirrors in words: the list, and what a trial found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.facts.harvest.client import shown
from trueup.report.progress import megabytes
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.setup.mirrors import Mirror
    from trueup.setup.mirrors.trial import Tried
    from trueup.values import Param


def _text(lang: str, code: str, **params: Param) -> str:
    return say(Message(f"mirrors.{code}", params), lang)


def list_text(mirrors: Sequence[Mirror], lang: str) -> str:
    """Return each mirror with its addresses and where they were read."""
    lines = [line for mirror in mirrors for line in _about(mirror, lang)]
    return "\n".join([*lines, "", _text(lang, "how")])


def title(mirror: Mirror, lang: str) -> str:
    return (mirror.chinese if lang == "zh_CN" else "") or mirror.title


def _about(mirror: Mirror, lang: str) -> Iterator[str]:
    yield f"{mirror.name}  {title(mirror, lang)}"
    if mirror.index:
        yield f"  {_text(lang, 'packages', address=shown(mirror.index))}"
    if mirror.python:
        yield f"  {_text(lang, 'pythons', address=shown(mirror.python))}"
    if mirror.note:
        yield f"  {_text(lang, f'note-{mirror.note}')}"
    if mirror.source:
        source, sure = mirror.source, f"@mirrors.sure-{mirror.source.confidence}"
        yield f"  {_text(lang, 'source', date=source.date, sure=sure)}"


def tried_text(tried: Sequence[Tried], lang: str) -> str:
    """Return the trials, the fastest good one first, and what to type."""
    lines = [_tried(one, lang) for one in tried]
    best = next((one.mirror for one in tried if one.state == "good"), None)
    use = (best.name if best.source else best.index) if best else None
    return "\n".join([*lines, "", _text(lang, "use", name=use) if use else _text(lang, "none-good")])


def _tried(one: Tried, lang: str) -> str:
    name = f"{one.mirror.name:<10}"
    if one.state == "good" and one.speed is not None:
        speed = f"{megabytes(one.speed)}/s"
        return f"{name} {_text(lang, 'good', speed=speed, seconds=f'{one.seconds:.1f}')}"
    told = {"files": ", ".join(one.lacks), "detail": one.detail}
    return f"{name} {_text(lang, one.state, **told)}"


def as_data(mirrors: Sequence[Mirror], tried: Sequence[Tried] | None) -> dict[str, Any]:
    """Return the `trueup.mirrors/1` document."""
    answer: dict[str, Any] = {
        "schema": "trueup.mirrors/1",
        "mirrors": [
            {
                "name": mirror.name,
                "index": shown(mirror.index) if mirror.index else None,
                "python": shown(mirror.python) if mirror.python else None,
                "note": mirror.note,
                "confidence": mirror.source.confidence if mirror.source else None,
            }
            for mirror in mirrors
        ],
    }
    if tried is not None:
        answer["tried"] = [
            {
                "name": one.mirror.name,
                "state": one.state,
                "seconds": one.seconds,
                "bytes_per_second": one.speed,
                "lacks": list(one.lacks),
                "detail": one.detail,
            }
            for one in tried
        ]
    return answer
