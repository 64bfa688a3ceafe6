"""What is wrong in one environment, what a repair would change, and how it ended."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trueup.report.cuda import size_text
from trueup.report.redact import redact_all
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.mend.inside import Looked
    from trueup.keep.envs.faults import Faults
    from trueup.keep.envs.mending import Plan, Row, Step
    from trueup.setup.conda import Program
    from trueup.values import Param

SCHEMA: Final = "trueup.env-repair/1"
SHOWN: Final = 3  # files of a package that are named


def _say(code: str, lang: str, **params: Param) -> str:
    return say(Message(f"repair.{code}", params), lang)


def look_text(looked: Looked, lang: str) -> str:
    """Return what is there, by whom, and what is wrong, with the cause first."""
    one = looked.environment
    lines = [f"{one.path}", "  " + _say("kept-by", lang, tool=looked.tool, python=one.python.version)]
    for build in one.builds:
        by = "conda" if build.package in looked.seen.owned else "pip"
        lines.append("  " + _say("has", lang, name=build.package, version=build.version, by=by))
    if not one.builds:
        lines.append("  " + say(Message("env.no-framework"), lang))
    lines += ["", *_wrong(looked, lang)]
    return "\n".join(lines)


def _wrong(looked: Looked, lang: str) -> Iterator[str]:
    if looked.sound:
        yield "[ok] " + _say("sound", lang)
    if looked.half:
        yield "[!!] " + _say("half", lang, path=looked.environment.path)
        return
    for number, finding in enumerate(looked.problems):
        text = say(finding.text, lang)
        yield "[!!] " + (_say("cause", lang, text=text) if number == 0 else text)
        if number == 0:
            yield from ("     " + say(why, lang) for why in finding.evidence)
    yield from (f"[!!] {line}" for line in _faults(looked.seen.faults, lang))
    yield from ("[!!] " + say(one, lang) for one in looked.unread)
    for one in looked.seen.faults.shadows:
        yield "[--] " + _say("shadow", lang, name=one.name, pip=one.pip, conda=one.conda)
    for finding in looked.outside:
        yield "[--] " + _say("outside", lang, text=say(finding.text, lang))
    for unknown in (f for c in looked.checkups for f in c.findings if f.status == "unknown"):
        yield "[??] " + say(unknown.text, lang)


def _faults(faults: Faults, lang: str) -> Iterator[str]:
    for path in faults.leftovers:
        yield _say("leftover", lang, path=path)
    for one in faults.missing:
        names = ", ".join(Path(name).name for name in one.files[:SHOWN])
        params = {"name": one.name, "version": one.version, "by": one.by, "files": names}
        yield _say("missing", lang, count=len(one.files), **params)


def plan_text(
    looked: Looked,
    plan: Plan,
    program: Program | None,
    costs: tuple[int | None, int | None],
    lang: str,
) -> str:
    """Return exactly what would be changed, and how it comes back. `costs`: bytes of a copy, bytes to download."""
    lines = [""]
    lines += [say(one, lang) for one in plan.hindered]
    lines += [say(one, lang) for one in plan.stays]
    if plan.hindered:
        return "\n".join(lines)
    if not plan.steps:
        return "\n".join([*lines, _say("nothing" if looked.sound else "not-here", lang)])
    lines += [_say("would", lang), *(f"  {_row(row, lang)}" for row in plan.rows)]
    lines += ["", _say("commands", lang)]
    lines += [f"  {number}. {line}" for number, line in enumerate(_commands(looked, plan, program, lang), 1)]
    copied, loaded = ("?" if cost is None else size_text(cost, lang) for cost in costs)
    lines += ["", *([_say("download", lang, size=loaded)] if costs[1] != 0 else [])]
    return "\n".join([*lines, _say("kept", lang, size=copied, path=looked.environment.path)])


def _row(row: Row, lang: str) -> str:
    if row.by == "rest":
        return _say("row-rest", lang, path=row.name)
    params = {"name": row.name, "goes": row.goes or "", "by": row.by, "comes": row.comes or ""}
    kind = "new" if row.goes is None else "out" if row.comes is None else "change"
    again = kind == "change" and row.goes == row.comes
    return _say(f"row-{'again' if again else kind}", lang, source=row.source, **params)


def _commands(looked: Looked, plan: Plan, program: Program | None, lang: str) -> Iterator[str]:
    for step in plan.steps:
        yield from _command(looked, step, plan, program, lang)


def _command(looked: Looked, step: Step, plan: Plan, program: Program | None, lang: str) -> Iterator[str]:
    from trueup.keep.envs.repairing import conda_words

    python = _quoted(looked.environment.python.path or "python")
    if step.act == "remove":
        yield from (_say("does-remove", lang, path=path) for path in step.what)
    elif step.act == "pip-out":
        yield f"uv pip uninstall --python {python} {' '.join(step.what)}"
    elif step.act in ("pip-in", "pip-again"):
        comes = {row.name: f"{row.name}=={row.comes}" for row in plan.rows if row.comes}
        names = " ".join(comes.get(word, word) for word in step.what)
        yield f"uv pip install --python {python} --no-deps --reinstall {names}"
    elif step.act == "hook":
        yield _say("does-hook", lang)
    else:
        env, kind = Path(looked.environment.path), program.kind if program else "conda"
        for words in conda_words(step, env, kind):
            more = step.what if words[0] == "install" else ()
            yield " ".join(_quoted(word) for word in (kind, *words, *more))


def _quoted(word: str) -> str:
    return f'"{word}"' if any(c in word for c in " &()") else word


def end_text(looked: Looked, kept: Path, lang: str) -> str:
    head = _say("done" if looked.sound else "done-not-all", lang)
    tail = ["", _say("undo", lang, kept=str(kept))]
    if looked.sound and looked.environment.builds:
        tail.append(_say("prove", lang, path=_quoted(looked.environment.path)))
    return "\n".join([head, *_wrong(looked, lang), *tail])


def as_data(
    mode: str,
    looked: Looked,
    lang: str,
    shown: tuple[Plan, Program | None] | None = None,
    kept: Path | None = None,
) -> dict[str, Any]:
    """Return the `trueup.env-repair/1` document. After a repair `looked` is how it is then."""
    one, faults = looked.environment, looked.seen.faults
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "mode": mode,
        "environment": one.path,
        "tool": looked.tool,
        "python": one.python.version,
        "sound": looked.sound,
        "problems": [{"id": f.id, "text": say(f.text, lang)} for f in looked.problems],
        "outside": [{"id": f.id, "text": say(f.text, lang)} for f in looked.outside],
        "leftovers": list(faults.leftovers),
        "shadows": [{"name": s.name, "pip": s.pip, "conda": s.conda} for s in faults.shadows],
        "missing": [
            {"by": m.by, "name": m.name, "version": m.version, "files": list(m.files)} for m in faults.missing
        ],
        "plan": _plan(looked, *shown, lang) if shown else None,
        "kept": str(kept) if kept else None,
    }
    document["problems"] += [{"id": "record-unread", "text": say(m, lang)} for m in looked.unread]
    if looked.half:
        half = {"id": "half-made", "text": _say("half", lang, path=one.path)}
        document["problems"] = [half, *document["problems"]]
    cleaned: dict[str, Any] = redact_all(document)
    return cleaned


def _plan(looked: Looked, plan: Plan, program: Program | None, lang: str) -> dict[str, Any]:
    return {
        "rows": [
            {"name": r.name, "goes": r.goes, "by": r.by, "comes": r.comes, "source": r.source}
            for r in plan.rows
        ],
        "commands": list(_commands(looked, plan, program, lang)),
        "stays": [say(one, lang) for one in plan.stays],
        "hindered": [say(one, lang) for one in plan.hindered],
    }
