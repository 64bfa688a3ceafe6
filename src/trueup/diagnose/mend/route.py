"""The way from findings to the steps that mend them, in causal order."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.diagnose.findings.checkup import DECIDE
from trueup.diagnose.findings.order import rank
from trueup.diagnose.mend.model import Mend
from trueup.keep.tune.knowledge import row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.diagnose.findings.model import Checkup, Finding

DATA = Path(__file__).parents[1] / "data" / "mends.json"
_WORD = re.compile(r'"[^"]*"|\S+')


@functools.cache
def table() -> Mapping[str, Any]:
    """Return finding id -> the commands that may mend it, the first one first."""
    found: Mapping[str, Any] = json.loads(DATA.read_text("utf-8"))
    return found


def route(checkup: Checkup) -> tuple[Mend, ...]:
    """Return the steps: problems in causal order, then what else a command mends. Each command comes once."""
    problems = sorted((one for one in checkup.findings if one.status == "problem"), key=rank)
    notices = [one for one in checkup.findings if one.status == "notice" and not one.harmless]
    steps = [mends(checkup, one)[0] for one in problems]
    steps += [step for one in notices for step in mends(checkup, one)[:1] if step.argv]
    if not problems and checkup.outcome == "ready":
        steps.insert(0, Mend(None, _up(checkup)))
    elif not problems and checkup.outcome == "unknown":
        steps.insert(0, Mend(unread(checkup), ()))
    return tuple(_once(steps))


def unread(checkup: Checkup) -> Finding | None:
    """Return what could not be read, and without which nobody may say that all is well."""
    return next((one for one in checkup.findings if one.status == "unknown" and one.layer in DECIDE), None)


def mends(checkup: Checkup, finding: Finding) -> tuple[Mend, ...]:
    """Return every step for a finding; where there is none, the user's own."""
    found = tuple(_mends(checkup, finding))
    return found or (Mend(finding, ()),)


def _mends(checkup: Checkup, finding: Finding) -> Iterator[Mend]:
    for words in table().get(finding.id, ()):
        if words == ["up"]:
            if checkup.solution.status == "gpu":  # else what is built would not use the card either
                yield Mend(finding, _up(checkup))
            continue
        params = {name: str(value) for name, value in finding.text.params.items()}
        admin = words[0] == "tune" and row(words[1]).admin
        yield Mend(finding, tuple(word.format_map(params) for word in words), admin)


def _up(checkup: Checkup) -> tuple[str, ...]:
    """Return the words of the command that builds what fits.

    An environment of ours that is out of order stays as it is: another is built beside it.
    """
    words = tuple(word.strip('"') for word in _WORD.findall(checkup.command))[1:]
    subject = checkup.subject
    if subject is None or not subject.ours:
        return words
    bare = words[: words.index("--env")] if "--env" in words else words
    return (*bare, "--env", f"{subject.path}-new")


def _once(steps: list[Mend]) -> Iterator[Mend]:
    seen: set[tuple[str, ...]] = set()
    for step in steps:
        if not step.argv or step.argv not in seen:
            yield step
        seen.add(step.argv)
