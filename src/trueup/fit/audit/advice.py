"""Advice that is known to be wrong or to do harm: rows of `data/advice.json`, each with its source."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

from trueup.fit.audit.model import Raw
from trueup.fit.audit.plain import table
from trueup.values import Message, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.fit.audit.plain import Plain
    from trueup.fit.audit.scene import Scene


def judge(scene: Scene, plain: Plain) -> Iterator[Raw]:
    for row, patterns, unless in _rules():
        for pattern in patterns:
            for match in pattern.finditer(plain.text):
                start, end = plain.sentence(match.start())
                if unless and unless.search(plain.text, start, max(end, match.end())):
                    continue
                if "system" in row and scene.at(match.start()) not in row["system"]:
                    continue
                yield _raw(row, match)


def _raw(row: dict[str, Any], match: re.Match[str]) -> Raw:
    problem, right = Message(f"audit.{row['id']}"), Message(f"audit.{row['id']}-right")
    source = Source(**table("advice")["sources"][row["source"]])
    return Raw(row["id"], row["severity"], problem, right, source, *match.span())


@functools.cache
def _rules() -> tuple[tuple[dict[str, Any], tuple[re.Pattern[str], ...], re.Pattern[str] | None], ...]:
    return tuple(
        (
            row,
            tuple(re.compile(text, re.IGNORECASE | re.ASCII | re.MULTILINE) for text in row["find"]),
            re.compile(row["unless"], re.IGNORECASE | re.ASCII) if "unless" in row else None,
        )
        for row in table("advice")["rules"]
    )
