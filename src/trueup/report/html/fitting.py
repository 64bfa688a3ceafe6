"""What fits the machine, and what was rejected for which reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.report.html.markup import Html, Part, both, details, el, join, pair, section, table, words
from trueup.report.solution import packages, short
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.fit.model import Alignment, Rejection, Solution, Verdict


def fitting(solution: Solution) -> Html:
    return section("fits", words("h-fits"), *_parts(solution))


def _parts(solution: Solution) -> Iterator[Html]:
    yield el("p", both(Message(f"solve.status-{solution.status}")), class_="lead")
    for alignment in (solution.best, *solution.beside):
        if alignment is not None:
            yield _alignment(alignment)
    if solution.alternatives:
        yield el("h3", words("h-others"))
        yield el(
            "ul", *(el("li", pair(short(one, "en"), short(one, "zh_CN"))) for one in solution.alternatives)
        )
    if solution.rejected:
        yield el("h3", words("h-rejected"))
        heads = [words("route"), words("nearest"), words("why")]
        yield table(heads, map(_rejection, solution.rejected), words("rejected-caption"), class_="rejected")
    notes = (*solution.assumptions, *solution.notes)
    if notes:
        yield el("h3", words("h-notes"))
        yield el("ul", *(el("li", both(note)) for note in notes))


def _alignment(one: Alignment) -> Html:
    rows: list[tuple[Part, Part]] = [
        (words("route"), both(Message(f"fit.route-{one.route}"))),
        (words("python"), one.python),
        *((words("cuda"), value) for value in [" / ".join(filter(None, (one.cuda, one.cudnn)))] if value),
        (words("kernels"), both(Message(f"solve.kernels-{one.kernels}"))),
        (words("binding"), both(one.binding)),
        *((words("served"), value) for value in [", ".join(one.served)] if value),
        *((words("not-served"), value) for value in [", ".join(one.not_served)] if value),
    ]
    if one.download_mb is not None and one.disk_mb is not None:
        rows.append((words("cost"), f"{one.download_mb / 1000:.1f} GB / {one.disk_mb / 1000:.1f} GB"))
    if one.changes:
        rows.append((words("changes"), el("ul", *(el("li", both(change.text)) for change in one.changes))))
    listed = [[name, version] for name, version in packages(one).items()]
    return join(
        (
            table([words("what"), words("value")], rows, words("alignment-caption")),
            details(words("packages-count", count=len(listed)), _packages(listed)),
        )
    )


def _packages(listed: list[list[str]]) -> Html:
    return table([words("package"), words("version")], listed, words("packages-caption"))


def _rejection(one: Rejection) -> list[Part]:
    nearest = join((one.nearest, *(el("div", other, class_="small") for other in one.also)))
    reasons = el("ul", *(el("li", both(reason.text), _source(reason)) for reason in one.reasons))
    return [both(Message(f"fit.route-{one.route}")), nearest, reasons]


def _source(verdict: Verdict) -> Html | None:
    source = verdict.source
    return el("div", f"{source.name}, {source.date}", class_="small") if source else None
