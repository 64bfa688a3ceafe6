"""What the diagnosis says of the recorded cases, in the two ways in which a user can ask."""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path

from trueup.cli.main import run

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", action="store_true", help="keep the answers to cases that have none yet")
    args = parser.parse_args()
    known = json.loads(FIRST.read_text("utf-8")) if FIRST.exists() else {}
    count: collections.Counter[str] = collections.Counter()
    for name in names():
        one = judge(name)
        count["all"] += 1
        count["facts"] += one.facts == one.expected
        count["machine"] += one.machine == one.expected
        count["both"] += one.right
        if not one.right:
            print(
                f"{name}: {one.expected!r}; told with facts {one.facts!r}, with the machine {one.machine!r}"
            )
        if args.first:
            known.setdefault(name, {"facts": one.facts, "machine": one.machine})
    if args.first:
        FIRST.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")
    print(dict(count))


if __name__ == "__main__":
    main()
