"""Copies of CUDA and the examination of a toolkit, as text and data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.report.redact import redact_all
from trueup.report.say import say
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.keep.cuda.copies import Copies, Copy, First
    from trueup.keep.cuda.examined import Examined
    from trueup.keep.cuda.model import Finding
    from trueup.values import Param

LIST_SCHEMA: Final = "trueup.cuda-list/1"
DOCTOR_SCHEMA: Final = "trueup.cuda-doctor/1"


def _say(lang: str, code: str, **params: Param) -> str:
    return say(Message(f"cuda.{code}", params), lang)


def list_text(found: Copies, lang: str) -> str:
    lines = [_say(lang, "list-head", count=len(found.copies)), ""] if found.copies else []
    if not found.copies and not found.unread:
        lines = [_say(lang, "list-none")]
    for copy in found.copies:
        lines += [*_copy(copy, lang), ""]
    if found.first:
        lines.append(_say(lang, "first-head"))
        lines += [line for first in found.first for line in _first(first, lang)]
    elif found.copies and not found.unread:
        lines.append(_say(lang, "first-none"))
    lines += [_say(lang, "list-unread", why=say(one.why, lang)) for one in found.unread]
    if any(copy.kind == "toolkit" for copy in found.copies):
        lines += ["", _say(lang, "doctor-hint")]
    return "\n".join(lines)


def _copy(copy: Copy, lang: str) -> Iterator[str]:
    parts = [_say(lang, f"kind-{copy.kind}")]
    if copy.cuda is not None:
        parts.append(_say(lang, "copy-cuda", version=version_text(copy.cuda, lang)))
    if copy.cudnn is None:
        parts.append(_say(lang, "copy-no-cudnn"))
    else:
        parts.append(_say(lang, "copy-cudnn", version=version_text(copy.cudnn, lang)))
    parts.append(size_text(copy.size, lang))
    yield "  ".join(parts)
    yield f"  {copy.path}"
    names = [_say(lang, f"user-{user.kind}", name=user.name) for user in copy.users]
    yield "  " + (_say(lang, "used-by", names=", ".join(names)) if names else _say(lang, "used-by-nobody"))


def version_text(version: str | Unknown, lang: str) -> str:
    if isinstance(version, Unknown):
        return _say(lang, "copy-unknown", why=say(version.why, lang))
    return version


def size_text(size: int | Unknown, lang: str) -> str:
    if isinstance(size, Unknown):
        return _say(lang, "copy-size-unknown")
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def _first(first: First, lang: str) -> Iterator[str]:
    told = version_text(first.version, lang) if isinstance(first.version, str) else ""
    yield "  " + _say(lang, "first", name=first.name, version=told, path=first.path)
    if first.shadows:
        yield "    " + _say(lang, "first-shadows", paths=", ".join(first.shadows))


def list_data(found: Copies, lang: str) -> dict[str, Any]:
    document = {
        "schema": LIST_SCHEMA,
        "complete": not found.unread,
        "unread": [say(one.why, lang) for one in found.unread],
        "copies": [_copy_data(copy, lang) for copy in found.copies],
        "first": [
            {"name": f.name, "path": f.path, "version": known(f.version), "shadows": list(f.shadows)}
            for f in found.first
        ],
    }
    cleaned: dict[str, Any] = redact_all(document)
    return cleaned


def _copy_data(copy: Copy, lang: str) -> dict[str, Any]:
    unknown = {
        name: say(value.why, lang)
        for name in ("cuda", "cudnn", "size")
        if isinstance(value := getattr(copy, name), Unknown)
    }
    return {
        "kind": copy.kind,
        "path": copy.path,
        "cuda": known(copy.cuda),
        "cudnn": known(copy.cudnn),
        "size": known(copy.size),
        "unknown": unknown,
        "users": [{"kind": user.kind, "name": user.name} for user in copy.users],
        "order": copy.order,
    }


def known(value: Any) -> Any:
    return None if isinstance(value, Unknown) else value


def doctor_text(examined: Examined, lang: str) -> str:
    lines: list[str] = []
    if examined.variables:
        lines += [_say(lang, "doctor-variables"), *_findings(examined.variables, lang), ""]
    for toolkit, findings in examined.toolkits:
        cudnn = examined.cudnn(toolkit)
        told = _say(lang, "copy-cudnn", version=cudnn) if cudnn else _say(lang, "copy-no-cudnn")
        told = _say(lang, "copy-cudnn-hidden") if toolkit.hidden is not None else told
        head = {"root": toolkit.root, "version": version_text(toolkit.version, lang), "cudnn": told}
        lines.append(_say(lang, "doctor-head", **head))
        lines += _findings(findings, lang) or ["  [ok] " + _say(lang, "doctor-fine")]
        lines += [
            "  [??] " + _say(lang, "doctor-unread", what=say(one, lang)) for one in examined.unread(toolkit)
        ]
        lines.append("")
    if not examined.toolkits and not examined.variables:
        lines.append(_say(lang, "doctor-none"))
    return "\n".join(lines).rstrip()


def _findings(findings: Sequence[Finding], lang: str) -> list[str]:
    lines = []
    for finding in findings:
        lines.append(f"  {_say(lang, f'level-{finding.level}')} {say(finding.text, lang)}")
        lines.append("       " + _say(lang, "remedy", text=say(finding.remedy, lang)))
        if finding.command:
            lines.append("       " + _say(lang, "command-admin" if finding.admin else "command"))
            lines.append(f"         {finding.command}")
    return lines


def doctor_data(examined: Examined, lang: str) -> dict[str, Any]:
    document = {
        "schema": DOCTOR_SCHEMA,
        "outcome": examined.outcome,
        "variables": [_finding_data(finding, lang) for finding in examined.variables],
        "toolkits": [
            {
                "path": toolkit.root,
                "version": known(toolkit.version),
                "nvcc": known(toolkit.nvcc),
                "cudnn": examined.cudnn(toolkit),
                "cudnn_header": toolkit.header,
                "libraries": [
                    {"name": one.name, "path": one.path, "version": known(one.version), "bits": one.bits}
                    for one in toolkit.libraries
                ],
                "findings": [_finding_data(finding, lang) for finding in findings],
                "unread": [say(one, lang) for one in examined.unread(toolkit)],
            }
            for toolkit, findings in examined.toolkits
        ],
    }
    cleaned: dict[str, Any] = redact_all(document)
    return cleaned


def _finding_data(finding: Finding, lang: str) -> dict[str, Any]:
    return {
        "id": finding.code,
        "level": finding.level,
        "text": say(finding.text, lang),
        "remedy": say(finding.remedy, lang),
        "command": finding.command,
        "admin": finding.admin,
        "facts": dict(finding.text.params),
    }
