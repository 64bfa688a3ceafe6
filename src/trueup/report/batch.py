"""The largest batch and the remedies, in words, as data, as a picture and as lines for a script."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from trueup.report.bench import aligned
from trueup.report.marks import aside, listed, pair
from trueup.report.plots import Series, lines
from trueup.report.proof import NAMES
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.proof.batch import Found, Study, Trial, Variant
    from trueup.report.progress import Progress
    from trueup.values import Param

SCHEMA: Final = "trueup.fit-batch/1"
ENDED: Final = {"import-error", "not-installed", "no-start", "cpu-fallback", "hung", "unreadable"}


def _text(lang: str, code: str, **params: Param) -> str:
    return say(Message(f"fit-batch.{code}", params), lang)


def headline(study: Study, lang: str) -> str:
    failed, base = study.failed, study.of("base")
    if failed is not None or base is None or base.largest is None:
        return _failed(study, failed, lang)
    params: dict[str, Param] = {"batch": base.largest.options.batch, "side": study.options.side}
    return _text(lang, f"head-{base.bound}", **params)


def _failed(study: Study, failed: Trial | None, lang: str) -> str:
    framework = NAMES.get(study.framework, study.framework)
    words = next(iter(((failed and failed.words) or "").strip().lstrip("@").splitlines()), "")
    if failed is not None and failed.ending in {"out-of-memory", "crashed", "slow"}:
        return _text(lang, f"none-{failed.ending}", words=words)
    kind = failed.outcome.value if failed is not None and failed.outcome is not None else "failed"
    return _text(lang, f"ended-{kind if kind in ENDED else 'failed'}", framework=framework, words=words)


def as_text(study: Study, lang: str) -> str:
    lines_ = [headline(study, lang)]
    first = next((trial for one in study.found for trial in one.trials), None)
    if first is not None and first.versions:
        where = listed(first.gpus, lang) if study.expected != "cpu" else say(Message("bench.on-cpu"), lang)
        named = [f"{NAMES.get(k, k)} {v}" for k, v in first.versions.items() if v]
        lines_.append("  " + pair(where, listed(named, lang), lang))
    if study.failed is not None:
        lines_ += [f"| {line}" for line in study.failed.last_lines]
        return "\n".join([*lines_, "", say(Message("cli.hint", {"text": _hint(study, lang)}), lang)])
    lines_ += ["", *aligned(list(_rows(study, lang)))]
    lines_ += [
        "",
        _text(lang, "remedies"),
        *(f"  {n}. {one}" for n, one in enumerate(_remedies(study, lang), 1)),
    ]
    lines_ += ["", *(f"  - {one}" for one in _notes(study, lang))]
    return "\n".join(lines_)


def _rows(study: Study, lang: str) -> Iterator[tuple[str, ...]]:
    yield tuple(_text(lang, f"column-{name}") for name in ("way", "batch", "memory", "rate", "bound"))
    for one in study.found:
        name = _name(study, one.variant, lang)
        if one.largest is None:
            yield name, "-", "", "", _text(lang, f"bound-{one.bound}")
            continue
        bound = "" if one.variant == "accumulate" else _text(lang, f"bound-{one.bound}")
        yield name, str(one.largest.options.batch), _mb(one.largest.peak_mb), _rate(one.largest, lang), bound


def _name(study: Study, variant: Variant, lang: str) -> str:
    side = max(8, study.options.side // 2) if variant == "smaller" else study.options.side
    return _text(lang, f"way-{variant}", side=side)


def _mb(value: float | None) -> str:
    return "?" if value is None else f"{value:.0f} MB"


def _rate(trial: Trial, lang: str) -> str:
    return say(Message("bench.images-a-second", {"count": f"{trial.rate or 0:.0f}"}), lang)


def _remedies(study: Study, lang: str) -> Iterator[str]:
    """Yield the guides' remedies in their order, each with what was measured of it."""
    base = study.of("base")
    largest = base.largest if base else None
    if base is None or largest is None:
        return
    half = _half(base)
    if half is not None:
        values: dict[str, Param] = {"from_mb": _mb(largest.peak_mb), "to_mb": _mb(half.peak_mb)}
        values |= {
            "batch": half.options.batch,
            "from_rate": _rate(largest, lang),
            "to_rate": _rate(half, lang),
        }
        yield _text(lang, "remedy-batch", **values)
    yield from (_remedy(study, variant, largest, lang) for variant in ("mixed",))
    yield _growth(study, lang)
    yield from (_remedy(study, variant, largest, lang) for variant in ("smaller", "accumulate"))
    yield _text(lang, "remedy-checkpoint")


def _half(base: Found) -> Trial | None:
    """Return the fitting trial nearest to half of the largest batch."""
    most = base.largest.options.batch if base.largest else 0
    smaller = [one for one in base.trials if one.ending == "fits" and one.options.batch < most]
    return min(smaller, key=lambda one: abs(2 * one.options.batch - most), default=None)


def _remedy(study: Study, variant: Variant, base: Trial, lang: str) -> str:
    found = study.of(variant)
    if found is None or (found.largest is None and found.bound == "time"):
        return _text(lang, f"remedy-{variant}-skipped")
    one = found.largest
    if one is None:
        last = found.trials[-1] if found.trials else None
        words = next(iter(((last and last.words) or "").lstrip("@").splitlines()), "")
        return _text(lang, f"remedy-{variant}-failed") + (aside(words, lang) if words else "")
    values: dict[str, Param] = {"from": base.options.batch, "to": one.options.batch}
    values |= {"from_rate": _rate(base, lang), "to_rate": _rate(one, lang), "from_mb": _mb(base.peak_mb)}
    values |= {"to_mb": _mb(one.peak_mb), "side": one.options.side, "policy": one.detail.get("policy", "")}
    return _text(lang, f"remedy-{variant}", **values)


def _growth(study: Study, lang: str) -> str:
    if study.expected == "cpu":
        return _text(lang, "remedy-growth-cpu")
    without, with_ = (*study.growth, None, None)[:2]
    if without is None or with_ is None or without.taken_mb is None or with_.taken_mb is None:
        return _text(lang, "remedy-growth-unknown")
    values: dict[str, Param] = {"from_mb": _mb(without.taken_mb), "to_mb": _mb(with_.taken_mb)}
    return _text(lang, "remedy-growth", batch=with_.options.batch, **values)


def _notes(study: Study, lang: str) -> Iterator[str]:
    trials = sum(len(one.trials) for one in study.found) + len(study.growth)
    yield _text(lang, "note-how", trials=trials, seconds=f"{study.seconds:.0f}")
    if study.options.model is None:
        yield _text(lang, "note-model")
    if study.expected == "cpu":
        yield _text(lang, "note-cap", megabytes=f"{study.options.cap_mb:.0f}")
    if any(one.ending == "crashed" for found in study.found for one in found.trials):
        yield _text(lang, "note-crashed")


def _hint(study: Study, lang: str) -> str:
    failed = study.failed
    if failed is not None and failed.ending != "failed":
        return _text(lang, "hint-smaller")
    kind = failed.outcome.value if failed is not None and failed.outcome is not None else ""
    if kind == "cpu-fallback":
        return say(Message("bench.hint-fallback"), lang)
    if kind in {"not-installed", "no-start"}:
        return say(Message("bench.hint-build", {"framework": study.framework}), lang)
    if study.options.model is not None:
        return _text(lang, "hint-model")
    return say(Message("bench.hint-diagnose"), lang)


def as_data(study: Study, lang: str) -> dict[str, Any]:
    """Return the answer of `trueup fit-batch --json`."""
    failed = study.failed
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "text": headline(study, lang),
        "date": study.date,
        "expected": study.expected,
        "framework": study.framework,
        "seconds": study.seconds,
        "options": asdict(study.options),
        "found": [
            {
                "variant": one.variant,
                "text": _name(study, one.variant, lang),
                "largest": one.largest and one.largest.options.batch,
                "bound": one.bound,
                "trials": [_trial(trial) for trial in one.trials],
            }
            for one in study.found
        ],
        "growth": [_trial(one) for one in study.growth],
        "skipped": list(study.skipped),
        "remedies": [] if failed else list(_remedies(study, lang)),
    }
    if failed is not None:
        data["hint"] = _hint(study, lang)
    return data


def _trial(one: Trial) -> dict[str, Any]:
    return {
        "batch": one.options.batch,
        "side": one.options.side,
        "mixed": one.options.mixed,
        "growth": one.options.growth,
        "accumulate": one.options.accumulate,
        "ending": one.ending,
        "step_seconds": list(one.seconds),
        "images_per_second": None if one.rate is None else round(one.rate, 2),
        "peak_mb": one.peak_mb,
        "taken_mb": one.taken_mb,
        "policy": one.detail.get("policy"),
        "error": one.words,
    }


def picture(study: Study, lang: str) -> str:
    """Return the SVG: images a second over the batch, a line for each way of training."""
    series = []
    for one in study.found:
        points = sorted((float(t.options.batch), t.rate) for t in one.trials if t.ending == "fits" and t.rate)
        series.append(Series(_name(study, one.variant, lang), tuple(points)))
    told = [one for one in series if one.points]
    return lines(headline(study, lang), told, _text(lang, "across"), _text(lang, "up"))


def script(study: Study, lang: str) -> str:
    """Return lines for the user's own script, with what was measured in them."""
    base, mixed = study.of("base"), study.of("mixed")
    batch = base.largest.options.batch if base and base.largest else 1
    better = (
        mixed.largest if mixed and base and base.largest and _gains(mixed.largest, base.largest) else None
    )
    batch = better.options.batch if better else batch
    lines_ = [f"# {_text(lang, 'script-head', batch=batch)}"]
    if study.framework == "torch":
        kind, device = ("bfloat16", "cpu") if study.expected == "cpu" else ("float16", "cuda")
        lines_ += [f"BATCH = {batch}", "import torch"]
        if better:
            lines_ += [f'with torch.autocast("{device}", dtype=torch.{kind}):', "    ...  # model and loss"]
        return "\n".join(lines_)
    lines_.append("import tensorflow as tf")
    if study.expected != "cpu":
        lines_ += [
            'for gpu in tf.config.list_physical_devices("GPU"):',
            "    tf.config.experimental.set_memory_growth(gpu, True)",
        ]
    if better:
        lines_.append(
            f'tf.keras.mixed_precision.set_global_policy("{better.detail.get("policy", "mixed_float16")}")'
        )
    return "\n".join([*lines_, f"BATCH = {batch}  # model.fit(..., batch_size=BATCH)"])


def _gains(mixed: Trial | None, base: Trial) -> bool:
    """Tell whether mixed precision is worth it: a larger batch that is no slower, or a clearly faster one."""
    if mixed is None or not mixed.rate or not base.rate:
        return False
    return mixed.rate > 1.1 * base.rate or (
        mixed.options.batch > base.options.batch and mixed.rate >= base.rate
    )


class Steps:
    """Shows what is being tried on a view; `show` is the study's `on_trial`."""

    def __init__(self, view: Progress, lang: str) -> None:
        self._view, self._lang = view, lang

    def show(self, variant: Variant, batch: int) -> None:
        self._view.start(_text(self._lang, f"trying-{variant}", batch=batch))
