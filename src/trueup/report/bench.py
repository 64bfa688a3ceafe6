"""A bench in words, as data and as a picture."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len

from trueup.proof.bench.compare import Value
from trueup.proof.model import Outcome
from trueup.report.marks import aside, listed, pair
from trueup.report.plots import Bar, bars
from trueup.report.proof import NAMES
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trueup.proof.bench import Bench, Change, Conditions, Figure, Judgement, Verdict
    from trueup.proof.model import Phase
    from trueup.report.progress import Progress
    from trueup.values import Param

SCHEMA: Final = "trueup.bench/1"
LOW: Final = frozenset({"below", "half", "far-below"})


@dataclass(frozen=True, slots=True)
class Told:
    """All that a bench has shown. `changes`: against `old`, an earlier answer of `--json`, where one was named."""

    bench: Bench
    verdict: Verdict
    seen: Conditions
    changes: tuple[Change, ...] | None = None
    old: Mapping[str, Any] | None = None


def _text(lang: str, code: str, **params: Param) -> str:
    return say(Message(f"bench.{code}", params), lang)


def name_of(figure: str, lang: str) -> str:
    return _text(lang, f"figure-{figure}")


def headline(told: Told, lang: str) -> str:
    bench, worst = told.bench, told.verdict.worst
    if bench.outcome is not Outcome.PROVEN:
        return _ended(bench, lang)
    if bench.expected == "cpu":
        grade = worst.grade if worst else "unjudged"
        if grade == "unjudged":
            return _text(lang, "head-cpu-unjudged")
        return _text(lang, "head-cpu-low" if grade in LOW else "head-cpu")
    if worst is None or worst.grade == "no-limit":
        return _text(lang, "head-no-limit", card=listed(bench.gpus, lang))
    return _text(lang, f"head-{worst.grade}", figure=name_of(worst.figure, lang))


def _ended(bench: Bench, lang: str) -> str:
    during = name_of(bench.during, lang) if bench.during else _text(lang, f"phase-{bench.phase}")
    words = next(iter((bench.words or "").strip().lstrip("@").splitlines()), "")
    framework = NAMES.get(bench.framework, bench.framework)
    params: dict[str, Param] = {"framework": framework, "during": during, "words": words}
    params |= {"ending": bench.ending or "", "seconds": f"{bench.waited or 0:.0f}"}
    return _text(lang, f"ended-{bench.outcome.value}", **params)


def as_text(told: Told, lang: str) -> str:
    bench = told.bench
    lines = [headline(told, lang)]
    if bench.versions:
        where = listed(bench.gpus, lang) if bench.expected != "cpu" else _text(lang, "on-cpu")
        named = [f"{NAMES.get(k, k)} {v}" for k, v in bench.versions.items() if v]
        lines.append("  " + pair(where, listed([*named, f"Python {bench.python}"], lang), lang))
    lines += _block(_table(told, lang))
    lines += _block(_reasons(told.verdict, lang))
    lines += _block(_changes(told, lang))
    lines += _block(_passed_over(bench, lang))
    lines += _block(_notes(told, lang))
    if bench.outcome is not Outcome.PROVEN:
        lines += _block(_last_lines(bench, lang))
        lines += ["", say(Message("cli.hint", {"text": _hint(bench, lang)}), lang)]
    return "\n".join(lines)


def _block(lines: Iterator[str]) -> list[str]:
    found = list(lines)
    return ["", *found] if found else []


def _table(told: Told, lang: str) -> Iterator[str]:
    share = "share-cpu" if told.bench.expected == "cpu" else "share"
    heads = tuple(_text(lang, f"column-{name}") for name in ("figure", "rate", "spread", share, "grade"))
    rows = [heads, *(_row(figure, told.verdict.of(figure.name), lang) for figure in told.bench.figures)]
    if len(rows) > 1:
        yield from aligned(rows)


def aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows as lines; the first column to the left, the others to the right, the last as it is."""
    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        first, *others, last = row
        padded = [
            " " * (width - cell_len(text)) + text for text, width in zip(others, widths[1:], strict=False)
        ]
        yield ("  " + "  ".join([first + " " * (widths[0] - cell_len(first)), *padded, last])).rstrip()


def _row(figure: Figure, judged: Judgement | None, lang: str) -> tuple[str, ...]:
    share = ""
    if judged and judged.share is not None and judged.limit:
        limit = rate_text(judged.limit, figure.unit, lang)
        share = _text(lang, "share", percent=f"{100 * judged.share:.0f}", limit=limit)
    grade = _text(lang, f"grade-{judged.grade}") if judged and judged.grade != "unjudged" else ""
    rate = rate_text(figure.rate, figure.unit, lang)
    return name_of(figure.name, lang), rate, f"{100 * figure.spread:.0f} %", share, grade


def rate_text(rate: float, unit: str, lang: str) -> str:
    if unit == "image":
        return _text(lang, "images-a-second", count=f"{rate:.0f}")
    if unit == "byte":
        return f"{rate / 1e9:.1f} GB/s"
    return f"{rate / 1e12:.1f} TFLOP/s" if rate >= 1e12 else f"{rate / 1e9:.3g} GFLOP/s"


def _reasons(verdict: Verdict, lang: str) -> Iterator[str]:
    low = [one for one in verdict.judgements if one.reasons]
    if low:
        yield _text(lang, "because")
    for one in low:
        yield f"  - {name_of(one.figure, lang)}"
        yield from (f"      {say(reason, lang)}" for reason in one.reasons)


def _changes(told: Told, lang: str) -> Iterator[str]:
    old = told.old
    if told.changes is None or old is None:
        return
    yield _text(lang, "against", date=str(old.get("date") or "?"))
    for one in _differences(told.bench, old, lang):
        yield f"  {one}"
    rows = []
    for change in told.changes:
        ratio = f"{change.ratio:.2f}x" if change.ratio is not None else ""
        noise = f"±{100 * change.noise:.0f} %" if change.noise is not None else ""
        rows.append((name_of(change.name, lang), ratio, noise, _text(lang, f"change-{change.kind}")))
    yield from aligned(rows)


def _differences(bench: Bench, old: Mapping[str, Any], lang: str) -> Iterator[str]:
    """Yield what else is not the same: a change of these is no change of the machine."""
    pairs = (
        ("card", listed([str(gpu) for gpu in old.get("gpus", ())], lang), listed(bench.gpus, lang)),
        ("framework", str(old.get("framework", "")), bench.framework),
        ("device", str(old.get("expected", "")), bench.expected),
        (
            "version",
            str(dict(old.get("versions", {})).get(bench.framework, "")),
            bench.versions.get(bench.framework, ""),
        ),
    )
    for name, before, now in pairs:
        if before != now:
            yield _text(lang, f"other-{name}", before=before or "?", now=now or "?")


def _passed_over(bench: Bench, lang: str) -> Iterator[str]:
    if bench.passed_over:
        yield _text(lang, "not-measured")
    framework = NAMES.get(bench.framework, bench.framework)
    for one in bench.passed_over:
        why = _text(lang, f"passed-{one.kind}", framework=framework)
        quoted = aside(one.words.splitlines()[0], lang) if one.words.strip() else ""
        yield f"  - {pair(name_of(one.name, lang), why, lang)}{quoted}"


def _notes(told: Told, lang: str) -> Iterator[str]:
    yield _text(lang, "notes")
    for note in told.verdict.notes:
        yield f"  - {say(note, lang)}"
    if told.bench.expected != "cpu" and not told.bench.gpus:
        return
    yield f"  - {_text(lang, 'note-method')}"
    yield f"  - {_text(lang, 'note-limits')}"


def _last_lines(bench: Bench, lang: str) -> Iterator[str]:
    if bench.last_lines:
        yield say(Message("proof.last-lines"), lang)
    yield from (f"| {line}" for line in bench.last_lines)


def _hint(bench: Bench, lang: str) -> str:
    if bench.outcome in {Outcome.FAILED, Outcome.CRASHED, Outcome.IMPORT_ERROR}:
        return _text(lang, "hint-diagnose")
    if bench.outcome is Outcome.CPU_FALLBACK:
        return _text(lang, "hint-fallback")
    if bench.outcome in {Outcome.NOT_INSTALLED, Outcome.NO_START, Outcome.UNREADABLE}:
        return _text(lang, "hint-build", framework=bench.framework)
    return _text(lang, "hint-again")


def as_data(told: Told, lang: str) -> dict[str, Any]:
    """Return the answer of `trueup bench --json`."""
    bench, verdict = told.bench, told.verdict
    data = {
        "schema": SCHEMA,
        "outcome": bench.outcome.value,
        "grade": verdict.grade,
        "text": headline(told, lang),
        "date": bench.date,
        "expected": bench.expected,
        "framework": bench.framework,
        "python": bench.python,
        "versions": dict(bench.versions),
        "gpus": list(bench.gpus),
        "seconds": bench.seconds,
        "tf32_default": bench.tf32_default,
        "figures": [_figure(one, verdict.of(one.name), lang) for one in bench.figures],
        "not_measured": [asdict(one) for one in bench.passed_over],
        "conditions": asdict(told.seen),
        "notes": [say(note, lang) for note in verdict.notes],
        "phase": bench.phase,
        "during": bench.during,
        "ending": bench.ending,
        "error": bench.words,
        "last_lines": list(bench.last_lines),
        "compared_with": None if told.old is None else str(told.old.get("date") or ""),
        "changes": [asdict(one) for one in told.changes or ()],
    }
    if bench.outcome is not Outcome.PROVEN:
        data["hint"] = _hint(bench, lang)
    return data


def _figure(figure: Figure, judged: Judgement | None, lang: str) -> dict[str, Any]:
    return {
        "name": figure.name,
        "text": name_of(figure.name, lang),
        "unit": figure.unit,
        "rate": figure.rate,
        "spread": round(figure.spread, 4),
        "runs_seconds": list(figure.seconds),
        "amount": figure.amount,
        "detail": dict(figure.detail),
        "limit": judged.limit if judged else None,
        "share": round(judged.share, 4) if judged and judged.share is not None else None,
        "grade": judged.grade if judged else "unjudged",
        "reasons": [say(reason, lang) for reason in judged.reasons] if judged else [],
    }


def values(old: Mapping[str, Any], bench: Bench) -> tuple[dict[str, Value], dict[str, Value]]:
    """Return the figures of an older answer and of this bench, to compare."""
    before = {
        str(one["name"]): Value(
            float(one["rate"]), float(one["spread"]), str(one["unit"]), one.get("detail", {})
        )
        for one in old["figures"]
    }
    return before, {one.name: Value(one.rate, one.spread, one.unit, one.detail) for one in bench.figures}


def picture(told: Told, lang: str) -> str:
    """Return the SVG: a bar where a limit is known, its length the share of it that was reached."""
    rows = []
    for figure in told.bench.figures:
        judged = told.verdict.of(figure.name)
        share = judged.share if judged else None
        kind = "low" if judged and judged.grade in LOW else "good"
        note = rate_text(figure.rate, figure.unit, lang)
        note += "" if share is None else aside(f"{100 * share:.0f} %", lang)
        rows.append(Bar(name_of(figure.name, lang), share, note, kind))
    where = listed(told.bench.gpus, lang) if told.bench.expected != "cpu" else _text(lang, "on-cpu")
    framework = NAMES.get(told.bench.framework, told.bench.framework)
    version = told.bench.versions.get(told.bench.framework, "")
    return bars(f"{framework} {version} · {where}", rows, _text(lang, "picture-foot"))


class Steps:
    """Shows what is being measured on a view; `show` is the bench's `on_step`."""

    def __init__(self, view: Progress, lang: str) -> None:
        self._view, self._lang = view, lang

    def show(self, phase: Phase, figure: str) -> None:
        if figure:
            self._view.start(name_of(figure, self._lang))
        elif phase != "measure":
            self._view.start(_text(self._lang, f"phase-{phase}"))
