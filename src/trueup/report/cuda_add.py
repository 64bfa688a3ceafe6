"""What a copy of cuDNN into a toolkit would do, as text and data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.report.cuda import known, size_text
from trueup.report.redact import redact_all
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from trueup.keep.cuda.add import Addition
    from trueup.values import Param

SCHEMA: Final = "trueup.cuda-add/1"


def _say(lang: str, code: str, **params: Param) -> str:
    return say(Message(f"cuda.add-{code}", params), lang)


def preview_text(addition: Addition, aside: str, lang: str) -> str:
    """Return each file that would be moved or copied; `aside` is where the first go."""
    found = addition.archive
    head: dict[str, Param] = {"version": found.version, "line": found.cuda, "root": addition.toolkit.root}
    lines = [_say(lang, "head", **head, cuda=str(known(addition.toolkit.version)))]
    if addition.aside:
        lines.append("  " + _say(lang, "aside", count=len(addition.aside), folder=aside))
        lines += [f"    {path.relative_to(addition.root)}" for path in addition.aside]
    lines.append("  " + _say(lang, "copy", count=len(found.members), size=size_text(found.size, lang)))
    lines += [f"    {addition.place(member).relative_to(addition.root)}" for member in found.members]
    if found.left_out:
        lines.append("  " + _say(lang, "left-out", names=", ".join(found.left_out)))
    lines += ["  " + _say(lang, "note", text=say(note, lang)) for note in addition.notes]
    return "\n".join(lines)


def as_data(addition: Addition, outcome: str, changed: int, command: str | None, lang: str) -> dict[str, Any]:
    found = addition.archive
    document = {
        "schema": SCHEMA,
        "outcome": outcome,
        "archive": str(found.path),
        "cudnn": found.version,
        "cuda": found.cuda,
        "toolkit": addition.toolkit.root,
        "toolkit_version": known(addition.toolkit.version),
        "bytes": found.size,
        "copies": [member.target for member in found.members],
        "aside": [str(path) for path in addition.aside],
        "left_out": list(found.left_out),
        "notes": [say(note, lang) for note in addition.notes],
        "changed": changed,
        "command": command,
    }
    cleaned: dict[str, Any] = redact_all(document)
    return cleaned
