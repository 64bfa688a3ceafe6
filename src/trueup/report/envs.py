"""All environments with framework, CUDA and verdict, as text and data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.report.cuda import known as known_value
from trueup.report.cuda import size_text
from trueup.report.redact import redact_all
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.diagnose.findings import Checkup
    from trueup.keep.envs.known import CudaSource, Known, Listing
    from trueup.values import Param

SCHEMA: Final = "trueup.env-list/1"
MARKS: Final = {
    "aligned": "[ok]",
    "not-aligned": "[!!]",
    "unknown": "[??]",
    "cpu-only": "[--]",
    "ready": "[--]",
}


def _say(lang: str, code: str, **params: Param) -> str:
    return say(Message(f"env.{code}", params), lang)


def as_text(
    listing: Listing,
    rows: Sequence[tuple[Known, tuple[Checkup, ...]]],
    lang: str,
    half: frozenset[str] = frozenset(),
) -> str:
    """Return the list. `half`: paths of environments that a killed command of ours left half-made."""
    lines = [_say(lang, "list-head", count=len(rows)), ""] if rows else [_say(lang, "list-none")]
    for known, checkups in rows:
        lines += [*_environment(known, checkups, lang, half=known.environment.path in half), ""]
    lines += [_say(lang, "list-unread", why=say(one.why, lang)) for one in listing.unread]
    return "\n".join(lines).rstrip()


def _environment(known: Known, checkups: tuple[Checkup, ...], lang: str, *, half: bool) -> Iterator[str]:
    one = known.environment
    active = "  " + _say(lang, "active") if one.active and one.kind != "installed" else ""
    tool = _say(lang, "python-itself") if known.tool == "installed" else _say(lang, "tool", tool=known.tool)
    yield f"{one.path}{active}"
    size = "" if one.kind == "installed" else f"  {size_text(known.size, lang)}"
    yield f"  {tool}  Python {one.python.version}{size}"
    if half:
        yield "  [!!] " + _say(lang, "half")
    if one.lacks_python:
        yield "  [!!] " + _say(lang, "lacks-python", path=one.lacks_python)
    if not one.builds:
        yield "  " + _say(lang, "no-framework")
    for build, source, checkup in zip(one.builds, known.cuda, checkups, strict=True):
        told = _source(source, lang)
        yield f"  {MARKS[checkup.outcome]} {build.package} {build.version}  {told}  {_verdict(checkup, lang)}"


def _source(source: CudaSource, lang: str) -> str:
    params: dict[str, Param] = {"version": source.version or "?", "path": source.path or "-"}
    return _say(lang, f"cuda-{source.where}", **params)


def _verdict(checkup: Checkup, lang: str) -> str:
    if checkup.cause is not None:
        return say(checkup.cause.text, lang)
    return _say(lang, f"verdict-{checkup.outcome}")


def as_data(
    listing: Listing,
    rows: Sequence[tuple[Known, tuple[Checkup, ...]]],
    lang: str,
    half: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    document = {
        "schema": SCHEMA,
        "complete": not listing.unread,
        "unread": [say(one.why, lang) for one in listing.unread],
        "environments": [
            {**_data(known, checkups, lang), "half": known.environment.path in half}
            for known, checkups in rows
        ],
    }
    cleaned: dict[str, Any] = redact_all(document)
    return cleaned


def _data(known: Known, checkups: tuple[Checkup, ...], lang: str) -> dict[str, Any]:
    one = known.environment
    return {
        "path": one.path,
        "tool": known.tool,
        "kind": one.kind,
        "python": one.python.version,
        "active": one.active,
        "lacks_python": one.lacks_python,
        "size": known_value(known.size),
        "frameworks": [
            {
                "framework": build.framework,
                "package": build.package,
                "version": build.version,
                "cuda": known_value(build.cuda),
                "cuda_from": source.where,
                "cuda_found": source.version,
                "cuda_path": source.path,
                "outcome": checkup.outcome,
                "cause": checkup.cause.id if checkup.cause else None,
                "text": _verdict(checkup, lang),
            }
            for build, source, checkup in zip(one.builds, known.cuda, checkups, strict=True)
        ],
    }
