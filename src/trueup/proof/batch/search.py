"""The largest batch that fits: doubling until it does not, then halving the gap. Pure but for what it tries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.proof.batch.model import Found

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.proof.batch.model import Bound, Trial, Variant

FINE = 8  # the answer is known to one part in eight: a finer one is within what other programs take
TOO_LARGE = frozenset({"out-of-memory", "crashed"})


def search(
    variant: Variant, attempt: Callable[[int], Trial], start: int, most: int, over: Callable[[], bool]
) -> Found:
    """Return the largest batch from 1 to `most`. `over` says that the time is up."""
    trials: list[Trial] = []

    def fits(batch: int) -> bool:
        trials.append(attempt(batch))
        return trials[-1].ending == "fits"

    good, bad = _doubled(fits, trials, min(start, most), most, over)
    while bad is not None and bad - good > max(1, good // FINE) and _goes_on(trials, good) and not over():
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    largest = next((one for one in trials if one.ending == "fits" and one.options.batch == good), None)
    return Found(variant, largest, _bound(trials, good, bad, most), tuple(trials))


def _doubled(
    fits: Callable[[int], bool], trials: list[Trial], start: int, most: int, over: Callable[[], bool]
) -> tuple[int, int | None]:
    """Return the largest batch that fitted (0: none) and the smallest that did not, if one was met."""
    batch, good, bad = start, 0, None
    while True:
        if fits(batch):
            good = batch
            if bad is not None or batch >= most or over():
                return good, bad
            batch = min(2 * batch, most)
        else:
            bad = batch
            if good or batch == 1 or trials[-1].ending not in TOO_LARGE or over():
                return good, bad
            batch //= 2


def _goes_on(trials: list[Trial], good: int) -> bool:
    """Tell whether the last that did not fit was too large: a gap below what was too slow is not worth the time."""
    refused = [one for one in trials if one.options.batch > good and one.ending != "fits"]
    return bool(good) and all(one.ending in TOO_LARGE for one in refused)


def _bound(trials: list[Trial], good: int, bad: int | None, most: int) -> Bound:
    if good >= most:
        return "most"
    refused = [one.ending for one in trials if one.ending != "fits" and one.options.batch == bad]
    if not refused or refused[-1] == "slow":
        return "time"
    if refused[-1] in TOO_LARGE:
        return "memory"
    return "failed"
