"""Cases, and how many of them are told right."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.diagnose import diagnose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trueup.diagnose import Diagnosis

HERE = Path(__file__).parent
HARMLESS = "harmless-warnings-only"


@dataclass(frozen=True)
class Told:
    id: str
    os: str
    given: dict[str, Any]
    log: tuple[str, ...]
    cause: str


def own_cases() -> list[Told]:
    rows = [json.loads(line) for line in (HERE / "cases.jsonl").read_text("utf-8").splitlines()]
    return [Told(row["id"], row["os"], row["given"], tuple(row["log"]), row["cause"]) for row in rows]


def answer(case: Told) -> Diagnosis:
    return diagnose("\n".join(case.log), case.given, case.os)


def first(case: Told) -> str | None:
    causes = answer(case).causes
    return causes[0].cause if causes else None


def wrong(cases: Iterable[Told]) -> list[str]:
    return [
        f"{case.id}: {case.cause} expected, got {got}" for case in cases if (got := first(case)) != case.cause
    ]


def share(cases: Iterable[Told], change: Callable[[Told], Told]) -> float:
    """Return the share of changed cases that are told right."""
    changed = [change(case) for case in cases]
    return 1 - len(wrong(changed)) / len(changed)


def with_log(case: Told, log: Iterable[str]) -> Told:
    return replace(case, log=tuple(log))
