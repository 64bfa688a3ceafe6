"""An import that fails within a framework's own files: parts of two installations, or of one that broke."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FAMILIES = (
    frozenset(("tensorflow", "tensorflow_core", "tensorflow_estimator", "keras", "tf_keras")),
    frozenset(("torch",)),
)
FAILED = re.compile(r"importerror: cannot import name ['\"]?([\w.]{1,80})", re.IGNORECASE)
FRAME = re.compile(
    r"\bfile [\"']?[^\"'\n]{1,300}[/\\](?:site|dist)-packages[/\\]+(\w{1,40})[/\\]", re.IGNORECASE
)
TAKES = re.compile(r"\bfrom (\w{1,40})[\w.]{0,200} import ", re.IGNORECASE)
BACK = 4  # lines from the error to its frame: the statement, marks under it, and what stood between


def inner_imports(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield each error by whose frame a framework asks for a part of its own that is not there."""
    for at, (number, text) in enumerate(lines):
        if not FAILED.search(text) or "circular" in text or "partially init" in text:
            continue
        before = [line for _, line in lines[max(0, at - BACK) : at]][::-1]
        frame = next(filter(None, map(FRAME.search, before)), None)
        takes = next(filter(None, map(TAKES.search, before)), None)
        if frame and takes and _kin(frame[1].lower(), takes[1].lower()):
            yield number, text


def _kin(one: str, other: str) -> bool:
    return any(one in family and other in family for family in FAMILIES)
