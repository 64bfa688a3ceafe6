"""The guides' remedies one after the other: each with its own largest batch, memory and speed."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from trueup.proof.batch.model import Study
from trueup.proof.batch.search import search

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.proof.batch.model import Found, Options, Trial, Variant
    from trueup.proof.model import Expected

PARTS = 4  # micro batches of one accumulated step
SHARE = {"base": 0.5, "mixed": 0.75, "smaller": 1.0}  # of the time, by when each search is to end


def study(
    attempt: Callable[[Options], Trial],
    options: Options,
    *,
    expected: Expected,
    framework: str,
    most: int,
    seconds: float,
    on_trial: Callable[[Variant, int], None] = lambda *_: None,
    clock: Callable[[], float] = time.monotonic,
) -> Study:
    """Search with `options` as they are, then with each remedy; `options.batch` is where the search begins."""
    begin = clock()
    found: list[Found] = []
    skipped: list[Variant] = []

    def passed(share: float) -> bool:
        return clock() - begin > share * seconds

    def searched(variant: Variant, changed: Options, share: float) -> None:
        def one(batch: int) -> Trial:
            on_trial(variant, batch)
            return attempt(replace(changed, batch=batch))

        found.append(search(variant, one, changed.batch, most, lambda: passed(share)))

    searched("base", options, SHARE["base"])
    base = found[0].largest
    growth: tuple[Trial, ...] = ()
    if base is not None:
        start = max(1, base.options.batch)
        wanted: tuple[tuple[Variant, Options], ...] = (
            ("mixed", replace(options, batch=start, mixed=True)),
            ("smaller", replace(options, batch=start, side=max(8, options.side // 2))),
        )
        for variant, changed in wanted:
            if passed(1.0):
                skipped.append(variant)
            else:
                searched(variant, changed, SHARE[variant])
        growth = _growth(attempt, options, base, on_trial) if expected == "gpu" else ()
        parted = start - start % PARTS
        if parted < PARTS or passed(1.2):
            skipped.append("accumulate")
        else:
            changed = replace(options, accumulate=PARTS, batch=parted)
            found.append(
                search("accumulate", _told(attempt, changed, on_trial), parted, parted, lambda: True)
            )
    date = datetime.now(timezone.utc).isoformat(timespec="seconds")
    passed_seconds = round(clock() - begin, 1)
    return Study(expected, framework, options, tuple(found), passed_seconds, date, growth, tuple(skipped))


def _told(
    attempt: Callable[[Options], Trial], options: Options, on_trial: Callable[[Variant, int], None]
) -> Callable[[int], Trial]:
    def one(batch: int) -> Trial:
        on_trial("accumulate", batch)
        return attempt(replace(options, batch=batch))

    return one


def _growth(
    attempt: Callable[[Options], Trial],
    options: Options,
    base: Trial,
    on_trial: Callable[[Variant, int], None],
) -> tuple[Trial, ...]:
    """Return half of the largest batch, without and with memory growth: what is used is the same, what is taken not."""
    half = max(1, base.options.batch // 2)
    on_trial("growth", half)
    return tuple(attempt(replace(options, batch=half, growth=growth)) for growth in (False, True))
