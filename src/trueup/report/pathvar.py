"""PATH as text and data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.keep.pathvar.change import elevated
from trueup.keep.pathvar.model import MENDABLE, Variable
from trueup.report.redact import redact_all
from trueup.report.say import say
from trueup.values import Message, Param, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trueup.keep.pathvar.mend import Line, Mended
    from trueup.keep.pathvar.model import Entry, Hit, View, Word

SCHEMA: Final = "trueup.path/1"
# characters. 8191, and 2047 on older Windows: Microsoft KB 830473, read 2026-11-30; 32767: SetEnvironmentVariable
LIMITS: Final = (("limit-process", 32767), ("limit-cmd", 8191), ("limit-dialog", 2047))
_MOST: Final = 12


def as_text(view: View, mended: Mapping[str, Mended], lang: str, *, asked: bool) -> str:
    """Return the view; only the words that were `asked` for where there were any."""
    lines = [*_words(view.programs, lang)]
    if not asked:
        lines += [
            "",
            *_libraries(view, lang),
            *_variables(view, lang),
            *_notes(view, lang),
            *_next(view, mended, lang),
        ]
    return "\n".join(lines)


def problems(view: View) -> tuple[Message, ...]:
    """Return what is wrong, the worst first."""
    return tuple(_problems(view))


def _problems(view: View) -> Iterator[Message]:
    for word in view.programs:
        if word.hits and word.hits[0].stub:
            yield Message("path.stub-first", {"name": word.name, "path": word.hits[0].path})
    if view.together is False:
        first = {word.name: word.hits[0] for word in view.programs if word.hits}
        python = first.get("python") or first["python3"]
        belongs = {"pip": first["pip"].path, "belongs": str(first["pip"].belongs), "python": python.path}
        yield Message("path.apart", belongs)
    for variable in _read(view):
        bad: dict[str, int] = {}
        for entry in variable.entries:
            if entry.state in (*MENDABLE, "relative"):
                bad[entry.state] = bad.get(entry.state, 0) + 1
        for state, count in bad.items():
            yield Message(f"path.count-{state}", {"scope": f"@path.scope-{variable.scope}", "count": count})
    over = next(((code, most) for code, most in LIMITS if view.windows and view.length > most), None)
    if over:
        yield Message(f"path.{over[0]}", {"length": view.length, "most": over[1]})


def _read(view: View) -> list[Variable]:
    """Return the variables that can be mended: the registry's on Windows, the process's elsewhere."""
    found = [one for one in (view.machine, view.user) if isinstance(one, Variable)]
    return found or [view.process]


def _words(words: Sequence[Word], lang: str) -> Iterator[str]:
    width = max((len(word.name) for word in words), default=0)
    for word in words:
        if not word.hits:
            yield f"{word.name:<{width}}  {_say('none-unread' if word.unread else 'none', lang, count=word.unread)}"
        for number, hit in enumerate(word.hits):
            name = "" if number else word.name
            yield f"{name:<{width}}  {'->' if number == 0 else '  '} {_hit(hit, lang)}"


def _hit(hit: Hit, lang: str) -> str:
    parts = [hit.path]
    if hit.version is not None:
        parts.append(_unknown(hit.version, lang))
    if hit.stub:
        parts.append(_say("stub", lang))
    if hit.belongs is not None:
        unknown = isinstance(hit.belongs, Unknown)
        parts.append(_say("belongs-unknown" if unknown else "belongs", lang, python=str(hit.belongs)))
    if hit.scope in ("machine", "user"):
        parts.append("(" + _say(f"scope-{hit.scope}", lang) + ")")
    return "  ".join(parts)


def _unknown(value: str | Unknown, lang: str) -> str:
    return _say("version-unknown", lang) if isinstance(value, Unknown) else value


def _libraries(view: View, lang: str) -> Iterator[str]:
    yield _say("libraries" if view.libraries else "no-libraries", lang)
    yield from (f"  {line}" for line in _words(view.libraries, lang))
    yield ""


def _variables(view: View, lang: str) -> Iterator[str]:
    for variable in (view.machine, view.user) if view.windows else (view.process,):
        if isinstance(variable, Unknown):
            yield say(variable.why, lang)
        elif variable is not None:
            yield from _variable(variable, lang)


def _variable(variable: Variable, lang: str) -> Iterator[str]:
    count: dict[str, Param] = {"count": len(variable.entries), "length": len(variable.text)}
    yield _say(f"head-{variable.scope}", lang, **count)
    if variable.kind == "REG_SZ" and "%" in variable.text:
        yield "  " + _say("not-expanded", lang)
    for number, entry in enumerate(variable.entries, 1):
        yield f"  {number:>3}  {entry.text}{_state(entry, lang)}"
    yield ""


def _state(entry: Entry, lang: str) -> str:
    notes = [] if entry.state == "ok" else [_say(f"state-{entry.state}", lang, twin=entry.twin)]
    if '"' in entry.text:
        notes.append(_say("state-quoted", lang))
    return "".join(f"  <- {note}" for note in notes)


def _notes(view: View, lang: str) -> Iterator[str]:
    for code, folders in (("stale", view.stale), ("session", view.session)):
        if folders:
            yield _say(code, lang)
            yield from (f"  {folder}" for folder in folders[:_MOST])
            yield ""
    if view.start_lines:
        yield _say("start-lines", lang)
        yield from (f"  {line.file}:{line.number}  {line.text}" for line in view.start_lines)
        yield ""


def _next(view: View, mended: Mapping[str, Mended], lang: str) -> Iterator[str]:
    found = problems(view)
    if not found:
        yield _say("good" if _all_read(view) else "good-so-far", lang)
        return
    yield from (f"[!!] {say(message, lang)}" for message in found)
    if any(one.changed for one in mended.values()):
        yield "\n" + _say("hint-fix", lang)
    elif not view.windows:
        yield "\n" + _say("hint-edit", lang)


def _all_read(view: View) -> bool:
    """Tell whether nothing that the answer rests on was out of reach."""
    if any(isinstance(one, Unknown) for one in (view.machine, view.user)) or any(
        w.unread for w in view.programs
    ):
        return False
    return all(entry.state != "unread" for one in _read(view) for entry in one.entries)


def fix_text(view: View, mended: Mapping[str, Mended], lang: str) -> str:
    """Return the difference of each PATH, line by line, and the step of an administrator."""
    if not view.windows:
        return "\n".join(_to_edit(view, lang))
    lines = []
    for scope, one in mended.items():
        lines.append(_say(f"diff-{scope}" if one.changed else f"same-{scope}", lang))
        if one.changed:
            lines += [f"  {_difference(line, lang)}" for line in one.lines]
        lines.append("")
    machine = mended.get("machine")
    if machine and machine.changed and isinstance(view.machine, Variable):
        lines.append(_say("elevated", lang))
        lines += [f"  {line}" for line in elevated("machine", machine, view.machine.kind)]
    return "\n".join(lines).rstrip()


def _difference(line: Line, lang: str) -> str:
    why = f"   ({_say(f'rule-{line.rule}', lang, twin=line.twin)})" if line.rule else ""
    return f"{line.mark} {line.text}{why}"


def _to_edit(view: View, lang: str) -> Iterator[str]:
    """Say which line of which start file puts an entry there; only its owner edits it."""
    bad = [entry for entry in view.process.entries if entry.state in (*MENDABLE, "relative")]
    if not bad:
        yield _say("good", lang)
        return
    for entry in bad:
        yield f"- {entry.text or '(empty)'}{_state(entry, lang)}"
        lines = [line for line in view.start_lines if entry.text and entry.text in line.text]
        yield from (f"    {line.file}:{line.number}  {line.text}" for line in lines)
        if not lines:
            yield "    " + _say("no-line", lang)
    yield ""
    yield _say("hint-edit", lang)


def _say(name: str, lang: str, /, **params: Param) -> str:
    return say(Message(f"path.{name}", params), lang)


def as_data(view: View, mended: Mapping[str, Mended], mode: str) -> dict[str, Any]:
    """Return the `trueup.path/1` document."""
    document = {
        "schema": SCHEMA,
        "mode": mode,
        "windows": view.windows,
        "length": view.length,
        "variables": [_variable_data(one) for one in (view.machine, view.user, view.process) if one],
        "programs": [_word_data(word) for word in view.programs],
        "libraries": [_word_data(word) for word in view.libraries],
        "together": view.together,
        "stale": list(view.stale),
        "session": list(view.session),
        "start_lines": [{"file": x.file, "line": x.number, "text": x.text} for x in view.start_lines],
        "problems": [message.code.partition(".")[2] for message in problems(view)],
        "fixes": [
            {
                "scope": scope,
                "changed": one.changed,
                "lines": [{"mark": x.mark, "text": x.text, "rule": x.rule} for x in one.lines],
            }
            for scope, one in mended.items()
        ],
    }
    cleaned: dict[str, Any] = redact_all(document)
    return cleaned


def _variable_data(variable: Variable | Unknown) -> dict[str, Any]:
    if isinstance(variable, Unknown):
        return {"unknown": variable.why.code}
    return {
        "scope": variable.scope,
        "kind": variable.kind,
        "length": len(variable.text),
        "entries": [{"text": x.text, "folder": x.folder, "state": x.state} for x in variable.entries],
    }


def _word_data(word: Word) -> dict[str, Any]:
    return {"name": word.name, "hits": [_hit_data(hit) for hit in word.hits], "unread": word.unread}


def _hit_data(hit: Hit) -> dict[str, Any]:
    return {
        "path": hit.path,
        "scope": hit.scope,
        "version": hit.version if isinstance(hit.version, str) else None,
        "stub": hit.stub,
        "belongs": hit.belongs if isinstance(hit.belongs, str) else None,
    }
