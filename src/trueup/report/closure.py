"""A closure proof in words and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.proof.closure import ClosureReport, GpuLibrary, Missing

SCHEMA: Final = "trueup.closure/1"
MOST = 20  # lines of one kind


def messages(report: ClosureReport) -> Iterator[Message]:
    """Yield the verdict, then what is missing, then what cards find."""
    yield _verdict(report)
    if not report.loads_known:
        target = report.target
        named = [
            f"{name} {version}" for name, version in ((target.framework, target.version), *target.beside)
        ]
        yield Message("closure.loads-unknown", {"frameworks": ", ".join(named)})
    for row in report.needed[:MOST]:
        yield _missing(row, "import" if row.how == "import" else "load")
    for symbol in report.missing_symbols[:MOST]:
        params = {"symbol": symbol.symbol, "library": symbol.library, "by": symbol.wanted_by}
        yield Message("closure.symbol", params)
    for name, reason in report.unreadable[:MOST]:
        yield Message("closure.unreadable", {"file": name, "reason": reason})
    for row in report.missing[:MOST]:
        if row.feature is not None:
            yield Message("closure.feature", {"name": row.name, "feature": f"@closure.lost-{row.feature}"})
    if report.wrong_machine:
        examples = _listed([name for name, _ in report.wrong_machine[:3]])
        yield Message("closure.other-machine", {"count": len(report.wrong_machine), "files": examples})
    for capability in report.target.capabilities:
        yield from _cards(report, capability)


def _verdict(report: ClosureReport) -> Message:
    names = sum(report.resolved.values())
    if not report.closed:
        gone = len(report.needed) + len(report.missing_symbols) + len(report.unreadable)
        return Message("closure.open", {"count": gone})
    if report.read < report.files:
        return Message("closure.names", {"names": names, "files": report.files})
    return Message("closure.closed", {"files": report.files, "names": names, "symbols": report.symbols})


def _missing(row: Missing, how: str) -> Message:
    return Message(f"closure.{how}", {"name": row.name, "by": row.wanted_by})


def _cards(report: ClosureReport, capability: str) -> Iterator[Message]:
    levels = {library.file: library.level(capability) for library in report.gpu}
    weak = [library for library in report.gpu if levels[library.file] in ("partial", "none")]
    compiled = [name for name, level in levels.items() if level in ("ptx", "mixed")]
    for library in weak:
        yield Message(f"closure.code-{levels[library.file]}", _counts(library, capability))
    if compiled:
        yield Message("closure.code-ptx", {"capability": capability, "files": _listed(compiled)})
    if report.gpu and not weak and not compiled:
        yield Message("closure.code-native", {"capability": capability, "count": len(report.gpu)})
    unknown = [*report.code_unknown, *(n for n, level in levels.items() if level == "unknown")]
    if unknown:
        yield Message("closure.code-unknown", {"capability": capability, "files": _listed(unknown)})


def _counts(library: GpuLibrary, capability: str) -> dict[str, str | int]:
    older = library.newest_native(capability)
    found: dict[str, str | int] = {"capability": capability, "file": library.file}
    found["usable"] = library.reach[capability].ptx
    return found | ({"older": older, "native": library.reach[older].native} if older else {})


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def as_text(report: ClosureReport, lang: str) -> str:
    first, *rest = (say(message, lang) for message in messages(report))
    return "\n".join([first, *(f"  {line}" for line in rest)])


def as_data(report: ClosureReport, lang: str) -> dict[str, Any]:
    """Return the proof as data; `lang` is that of its sentences. Who measured its time adds `seconds`."""
    target = report.target
    return {
        "schema": SCHEMA,
        "seconds": None,
        "complete": report.complete,
        "closed": report.closed,
        "text": as_text(report, lang),
        "target": {
            "os": target.os,
            "arch": target.arch,
            "python": target.python,
            "framework": target.framework,
            "version": target.version,
            "capabilities": list(target.capabilities),
            "beside": [{"framework": name, "version": version} for name, version in target.beside],
        },
        "files": report.files,
        "read": report.read,
        "bytes": report.size,
        "resolved": dict(report.resolved),
        "symbols": report.symbols,
        "missing": [
            {"name": m.name, "wanted_by": m.wanted_by, "how": m.how, "feature": m.feature}
            for m in report.missing
        ],
        "missing_symbols": [
            {"symbol": s.symbol, "library": s.library, "wanted_by": s.wanted_by}
            for s in report.missing_symbols
        ],
        "wrong_machine": [{"file": f, "machine": m} for f, m in report.wrong_machine],
        "unreadable": [{"file": f, "reason": r} for f, r in report.unreadable],
        "loads_known": report.loads_known,
        "loads_source": report.loads_source and report.loads_source.name,
        "gpu_code": [_library(library, target.capabilities) for library in report.gpu],
        "gpu_code_unknown": list(report.code_unknown),
    }


def _library(library: GpuLibrary, capabilities: tuple[str, ...]) -> dict[str, Any]:
    return {
        "file": library.file,
        "modules": library.modules,
        "source": library.source and library.source.name,
        "cards": {
            c: {
                "level": library.level(c),
                **({"native": r.native, "ptx": r.ptx, "none": r.none} if (r := library.reach.get(c)) else {}),
            }
            for c in capabilities
        },
    }
