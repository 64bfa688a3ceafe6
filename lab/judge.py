"""What the diagnosis says of the recorded cases, in the two ways in which a user can ask."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RECORDED = Path(__file__).parent / "recorded"
FIRST = Path(__file__).parent / "first-try.json"


@dataclass(frozen=True)
class Judged:
    """`truth` are the true causes, the expected one first; `facts` and `machine` the first cause told, or ""."""

    name: str
    truth: tuple[str, ...]
    facts: str
    machine: str

    @property
    def expected(self) -> str:
        return self.truth[0] if self.truth else ""

    @property
    def right(self) -> bool:
        return self.facts == self.machine == self.expected


def names() -> list[str]:
    return sorted(path.parent.name for path in RECORDED.glob("*/truth.json"))


def told(name: str, *options: str) -> str:
    """Return the first cause that `trueup diagnose` names."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run(["diagnose", str(RECORDED / name / "log.txt"), "--json", *options])
    causes = json.loads(out.getvalue())["causes"]
    return str(causes[0]["id"]) if causes else ""


def judge(name: str) -> Judged:
    folder = RECORDED / name
    truth = json.loads((folder / "truth.json").read_text("utf-8"))
    facts = json.loads((folder / "facts.json").read_text("utf-8"))
    given = told(name, "--given", str(folder / "facts.json"), "--os", facts["os"])
    return Judged(name, tuple(truth["causes"]), given, told(name, "--machine", str(folder / "machine.json")))


def place_of(name: str) -> tuple[str, str]:
    """Return the environment of a case and the system under it."""
    truth = json.loads((RECORDED / name / "truth.json").read_text("utf-8"))
    facts = json.loads((RECORDED / name / "facts.json").read_text("utf-8"))
    given = facts["given"]
    told = f"tensorflow {given['tensorflow']}" if "tensorflow" in given else given.get("framework", "pip, uv")
    wine = truth["place"].startswith("wine")
    python = "" if told == "pip, uv" else f", Python {given['python']}"
    return told.partition(",")[0] + python if told != "pip, uv" else told, "Wine" if wine else "Linux"


def table(cases: Iterable[Judged], first: Mapping[str, Mapping[str, str]]) -> str:
    """Return how many are told right, at the first try and now, an environment a row."""
    rows: dict[tuple[str, str], list[int]] = {}
    for one in cases:
        tried = first.get(one.name, {})
        row = rows.setdefault(place_of(one.name), [0, 0, 0, 0, 0])
        told = (tried.get("facts") == one.expected, tried.get("machine") == one.expected)
        for column, value in enumerate((True, *told, all(told), one.right)):
            row[column] += value
    total = [sum(column) for column in zip(*rows.values(), strict=True)]
    head = (
        "environment",
        "system",
        "faults",
        "first try, facts",
        "first try, machine",
        "first try, both",
        "now, both",
    )
    lines = [head, tuple("---" for _ in head), *((*key, *map(str, row)) for key, row in sorted(rows.items()))]
    lines.append(("all", "", *map(str, total)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", action="store_true", help="keep the answers to cases that have none yet")
    parser.add_argument("--table", action="store_true", help="print the table of the README")
    args = parser.parse_args()
    known = json.loads(FIRST.read_text("utf-8")) if FIRST.exists() else {}
    cases = [judge(name) for name in names()]
    for one in cases:
        if not one.right:
            print(
                f"{one.name}: {one.expected!r}; told with facts {one.facts!r}, with the machine {one.machine!r}"
            )
        if args.first:
            known.setdefault(one.name, {"facts": one.facts, "machine": one.machine})
    if args.first:
        FIRST.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")
    if args.table:
        print(table(cases, known))
    print(f"{sum(one.right for one in cases)} of {len(cases)} right in both ways")


if __name__ == "__main__":
    main()
