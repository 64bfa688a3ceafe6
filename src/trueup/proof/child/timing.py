"""Times a thing honestly: warmed up, awaited, repeated; every repetition is told."""

import time
from typing import Any, Callable, List, Tuple

REPEATS = 9
LEAST_REPEAT = 0.06  # seconds of one repetition: a clock's tick and an interruption are small beside it
MOST = 4.0  # seconds that one figure may take, once it is warm


class NotOffered(Exception):  # noqa: N818  # not an error: the hardware or the framework has no such thing
    """`kind`: no-device, no-hardware or not-offered."""

    def __init__(self, kind: str, text: str = "") -> None:
        super().__init__(text)
        self.kind = kind


def repeat(run: Callable[[], Any], wait: Callable[[Any], None]) -> List[float]:
    """Return seconds a run, one for each repetition; each is awaited until the device is done."""
    once = _timed(run, wait, 1)  # the first run loads libraries and chooses algorithms
    once = min(_timed(run, wait, 1), _timed(run, wait, 1)) if once < MOST / 4 else once
    inner = max(1, min(1000, int(LEAST_REPEAT / max(once, 1e-6))))
    seconds: List[float] = []
    begin = time.perf_counter()
    while len(seconds) < REPEATS and (len(seconds) < 3 or time.perf_counter() - begin < MOST):
        seconds.append(_timed(run, wait, inner) / inner)
        if time.perf_counter() - begin > 3 * MOST:
            break
    return seconds


def _timed(run: Callable[[], Any], wait: Callable[[Any], None], count: int) -> float:
    begin = time.perf_counter()
    result = None
    for _ in range(count):
        result = run()
    wait(result)
    return time.perf_counter() - begin


def sized(
    sizes: Tuple[int, ...],
    target: float,
    make: Callable[[int], Callable[[], Any]],
    wait: Callable[[Any], None],
) -> Tuple[int, Callable[[], Any]]:
    """Return the first size whose run lasts long enough to measure, and the run; the last size at most."""
    size, run = sizes[0], make(sizes[0])
    for following in (*sizes[1:], None):
        _timed(run, wait, 1)
        once = min(_timed(run, wait, 1) for _ in range(3))  # a busy machine delays one, seldom all
        if following is None or once >= target:
            break
        size, run = following, make(following)
    return size, run
