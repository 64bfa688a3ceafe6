"""A solution as data (`trueup.solve/1`) and as text that a person reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.fit.model import Outcome
from trueup.report import marks
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.fit.model import Alignment, Change, Rejection, Solution, Verdict
    from trueup.values import Source

SCHEMA = "trueup.solve/1"


def as_data(solution: Solution, lang: str) -> dict[str, Any]:
    """Return the answer of `--json`; its schema is `schemas/solve-1.json`."""
    return {
        "schema": SCHEMA,
        "status": solution.status,
        "best": alignment_data(solution.best, lang) if solution.best else None,
        "beside": [alignment_data(other, lang) for other in solution.beside],
        "alternatives": [alignment_data(other, lang) for other in solution.alternatives],
        "rejected": [_rejection(rejection, lang) for rejection in solution.rejected],
        "assumptions": _notes(solution.assumptions, lang),
        "notes": _notes(solution.notes, lang),
    }


def as_text(solution: Solution, lang: str, *, explain: bool = False) -> str:
    """Return the answer in a few lines; `explain` adds everything that was ruled out."""
    return "\n".join(_lines(solution, lang, explain=explain))


def alignment_data(alignment: Alignment, lang: str) -> dict[str, Any]:
    return {
        "route": alignment.route,
        "packages": packages(alignment),
        "python": alignment.python,
        "cuda": alignment.cuda,
        "cudnn": alignment.cudnn,
        "kernels": alignment.kernels,
        "changes": [_change(change, lang) for change in alignment.changes],
        "requirements": list(alignment.requirements),
        "caps": list(alignment.caps),
        "served": list(alignment.served),
        "not_served": list(alignment.not_served),
        "binding": say(alignment.binding, lang),
        "notes": _notes(alignment.notes, lang),
        "download_mb": alignment.download_mb,
        "disk_mb": alignment.disk_mb,
    }


def packages(alignment: Alignment) -> dict[str, str]:
    """Return names and versions: the frameworks as they are known, then every distribution that is pinned."""
    return {**{b.framework: b.version for b in alignment.builds}, **dict(alignment.packages)}


def _change(change: Change, lang: str) -> dict[str, Any]:
    return {
        "id": change.id,
        "text": say(change.text, lang),
        "admin": change.admin,
        "restart": change.restart,
        "command": change.command,
    }


def _rejection(rejection: Rejection, lang: str) -> dict[str, Any]:
    reasons = [_reason(verdict, lang) for verdict in rejection.reasons]
    also = list(rejection.also)
    return {"route": rejection.route, "nearest": rejection.nearest, "also": also, "reasons": reasons}


def _reason(verdict: Verdict, lang: str) -> dict[str, Any]:
    return {
        "rule": verdict.rule,
        "text": say(verdict.text, lang),
        "source": _source(verdict.source),
        "change": verdict.change.id if verdict.change else None,
    }


def _source(source: Source | None) -> dict[str, Any] | None:
    if source is None:
        return None
    return {
        "name": source.name,
        "address": source.address,
        "date": source.date,
        "confidence": source.confidence,
        "conflict": source.conflict,
    }


def _notes(messages: Iterable[Message], lang: str) -> list[dict[str, str]]:
    return [{"id": message.code.partition(".")[2], "text": say(message, lang)} for message in messages]


def _lines(solution: Solution, lang: str, *, explain: bool) -> Iterator[str]:
    yield _word(f"status-{solution.status}", lang)
    if solution.best:
        yield from _best(solution.best, lang)
    for other in solution.beside:
        yield from _best(other, lang)
    yield from _section("assumed", (say(m, lang) for m in solution.assumptions), lang)
    yield from _section("notes", (say(m, lang) for m in solution.notes), lang)
    title = "others" if solution.best else "nearest"
    yield from _section(title, (short(a, lang) for a in solution.alternatives), lang)
    if explain:
        yield from _rejected(solution.rejected, lang)
    elif solution.best is None:
        yield from _section("why", _reasons(solution.rejected, lang), lang)


def _best(best: Alignment, lang: str) -> Iterator[str]:
    yield f"  {short(best, lang)}"
    yield f"  {marks.pair(_word('because', lang), say(best.binding, lang), lang)}"
    if best.changes:
        yield from _section("first", (do(change, lang) for change in best.changes), lang, indent="  ")
    if best.download_mb is not None and best.disk_mb is not None:
        gigabytes = {"download": f"{best.download_mb / 1000:.1f}", "disk": f"{best.disk_mb / 1000:.1f}"}
        yield f"  {say(Message('solve.cost', gigabytes), lang)}"
    for note in best.notes:
        yield f"  - {say(note, lang)}"


def short(alignment: Alignment, lang: str) -> str:
    names = " + ".join(f"{build.framework} {build.version}" for build in alignment.builds)
    said = [marks.pair(_route(alignment.route, lang), names, lang), f"Python {alignment.python}"]
    if alignment.cuda:
        versions = [f"CUDA {alignment.cuda}", *([f"cuDNN {alignment.cudnn}"] if alignment.cudnn else [])]
        said.append(marks.listed(versions, lang))
        said.append(_word(f"kernels-{alignment.kernels}", lang))
    if alignment.changes:
        wanted = marks.listed(
            (say(Message(f"fit.do-{change.id}"), lang) for change in alignment.changes), lang
        )
        said.append(say(Message("solve.after", {"changes": wanted}), lang))
    return marks.parts(said, lang)


def _route(route: str, lang: str) -> str:
    return say(Message(f"fit.route-{route}"), lang)


def do(change: Change, lang: str) -> str:
    needs = [_word(word, lang) for word, on in (("admin", change.admin), ("restart", change.restart)) if on]
    text = say(change.text, lang)
    if change.command:
        text = marks.pair(text, f"`{change.command}`", lang)
    return text + marks.aside(marks.listed(needs, lang), lang) if needs else text


def _rejected(rejected: Iterable[Rejection], lang: str) -> Iterator[str]:
    yield ""
    yield _word("rejected", lang)
    for rejection in rejected:
        yield f"  {marks.pair(_route(rejection.route, lang), _span(rejection, lang), lang)}"
        for verdict in rejection.reasons:
            source = f" [{verdict.source.name}]" if verdict.source else ""
            yield f"    {marks.pair(verdict.rule, say(verdict.text, lang), lang)}{source}"


def _span(rejection: Rejection, lang: str) -> str:
    if not rejection.also:
        return rejection.nearest
    last = rejection.also[-1].rpartition(" ")[2]
    count = len(rejection.also) + 1
    return say(Message("solve.span", {"first": rejection.nearest, "last": last, "count": count}), lang)


def _reasons(rejected: Iterable[Rejection], lang: str) -> Iterator[str]:
    texts = (say(v.text, lang) for r in rejected for v in r.reasons if v.outcome is Outcome.NO)
    yield from dict.fromkeys(texts)


def _section(title: str, lines: Iterable[str], lang: str, indent: str = "") -> Iterator[str]:
    body = list(lines)
    if body:
        yield f"{indent}{_word(title, lang)}"
        yield from (f"{indent}  - {line}" for line in body)


def _word(name: str, lang: str) -> str:
    return say(Message(f"solve.{name}"), lang)
