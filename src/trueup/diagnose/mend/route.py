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
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from trueup.diagnose.findings.model import Checkup, Finding

DATA = Path(__file__).parents[1] / "data" / "mends.json"
_WORD = re.compile(r'"[^"]*"|\S+')


@functools.cache
def tables() -> Mapping[str, Mapping[str, Any]]:
    """Return `check` and `cuda`: finding id -> `steps`, the commands that may mend it, the first one first.

    `yours` is the reason why no command of ours mends it, or why none of its commands can be taken here.
    """
    found: Mapping[str, Mapping[str, Any]] = json.loads(DATA.read_text("utf-8"))
    return found


def table() -> Mapping[str, Sequence[Sequence[str]]]:
    """Return finding id -> the commands that may mend what a check found."""
    return {id_: found.get("steps", ()) for id_, found in tables()["check"].items()}


def reason(finding: Finding) -> str:
    """Return the message that says why a finding is the user's turn."""
    row = tables()["check"].get(finding.id, {})
    return f"doctor.why-{row.get('yours', 'no-build')}"


def route(checkup: Checkup, toolkits: tuple[Mend, ...] = ()) -> tuple[Mend, ...]:
    """Return the steps: problems in causal order, then what else a command mends, then what is wrong with toolkits.

    Each command comes once.
    """
    problems = sorted((one for one in checkup.findings if one.status == "problem"), key=rank)
    notices = [one for one in checkup.findings if one.status == "notice" and not one.harmless]
    steps = [mends(checkup, one)[0] for one in problems]
    steps += [step for one in notices for step in mends(checkup, one)[:1] if step.argv]
    if not problems and checkup.outcome == "ready":
        steps.insert(0, Mend(None, _up(checkup)))
    elif not problems and checkup.outcome == "unknown":
        found = unread(checkup)
        steps.insert(0, Mend(found, (), why=reason(found) if found else None))
    return tuple(_once([*steps, *toolkits]))


def unread(checkup: Checkup) -> Finding | None:
    """Return what could not be read, and without which nobody may say that all is well."""
    return next((one for one in checkup.findings if one.status == "unknown" and one.layer in DECIDE), None)


def mends(checkup: Checkup, finding: Finding) -> tuple[Mend, ...]:
    """Return every step for a finding; where there is none, the user's own."""
    found = tuple(_mends(checkup, finding))
    return found or (Mend(finding, (), why=reason(finding)),)


def _mends(checkup: Checkup, finding: Finding) -> Iterator[Mend]:
    for words in tables()["check"].get(finding.id, {}).get("steps", ()):
        if words == ["up"]:
            if checkup.solution.status == "gpu":  # else what is built would not use the card either
                yield Mend(finding, _up(checkup))
            continue
        argv = filled(words, {**finding.text.params, **_around(checkup, finding)})
        if argv is not None:
            admin = argv[0] == "tune" and row(argv[1]).admin
            foreign = checkup.subject is not None and not checkup.subject.ours
            inside = foreign and any(word in ("{env}", "{repair}") for word in words)
            yield Mend(finding, argv, admin, in_place=inside)


def filled(words: Iterable[str], params: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the words of a command; None where something that it needs is not known."""
    known = {name: str(value) for name, value in params.items() if value is not None}
    try:
        return tuple(word.format_map(known) for word in words)
    except KeyError:
        return None


def _around(checkup: Checkup, finding: Finding) -> dict[str, str | None]:
    """Return what steps ask for beside the finding: the environment, its CUDA line, the toolkit that is meant.

    `repair` is the environment where it may be mended in place: not one of ours, which is built anew.
    """
    subject = checkup.subject
    env = subject.path if subject is not None and subject.kind != "installed" else None
    known = subject is not None and not subject.ours and subject.lacks_python is None
    where = str(finding.text.params.get("where", ""))
    return {
        "env": env,
        "repair": env if known else None,
        "line": checkup.line,
        "toolkit": _toolkit(checkup, where) if where else None,
    }


def _toolkit(checkup: Checkup, where: str) -> str | None:
    """Return the release of the toolkit in whose folder something lies."""
    copies = () if isinstance(checkup.survey.cuda, Unknown) else checkup.survey.cuda
    for copy in copies:
        if (
            copy.kind == "toolkit"
            and isinstance(copy.version, str)
            and where.lower().startswith(copy.path.lower())
        ):
            return ".".join(copy.version.split(".")[:2])
    return None


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
