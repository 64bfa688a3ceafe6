"""Many questions: a batch of lines, or one wish for several machines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from trueup.cli.session import Session
    from trueup.fit.model import Wish

LINE = '{"id": "a", "machine": {"os": "windows"}, "want": ["tensorflow"]}'


def answer_batch(session: Session, path: Path) -> int:
    """Answer line by line; a line that is wrong is answered by its error, and the rest goes on."""
    status = 0
    lines = list(_lines(path))
    if not lines:
        raise TrueupError(
            Message("solve.batch-empty", {"path": str(path)}), Message("solve.hint-batch", {"example": LINE})
        )
    for number, line in lines:
        try:
            answer = _answer_line(session, line)
        except TrueupError as error:
            status = 2
            text = session.say(error.message)
            answer = {"id": _id(line), "answer": None, "error": text}
            session.talk(session.text("solve.batch-line", path=str(path), line=number, text=text))
        session.out(json.dumps(answer, ensure_ascii=False))
    return status


def answer_fleet(session: Session, wish: Wish, paths: Sequence[Path], *, as_json: bool) -> int:
    from trueup.cli.machine_file import read_machine_file
    from trueup.cli.places import load
    from trueup.fit.fleet import solve_fleet
    from trueup.report.fleet import as_data, as_text

    machines = {path.stem: read_machine_file(path) for path in paths}
    fleet = solve_fleet(wish, machines, load())
    if as_json:
        session.out_json(as_data(fleet, session.lang))
    else:
        session.out(as_text(fleet, session.lang))
    served = all(member.status == "gpu" for group in fleet.groups for member in group)
    return 0 if served and not fleet.unserved else 1


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    from trueup.machine.host.decode import decode

    try:
        for number, line in enumerate(decode(path.read_bytes()).split("\n"), 1):
            if line.strip():
                yield number, line
    except OSError as error:
        what = {"path": str(path), "reason": getattr(error, "strerror", None) or str(error)}
        raise TrueupError(Message("solve.file-unreadable", what), Message("solve.hint-file")) from error


def _answer_line(session: Session, line: str) -> dict[str, Any]:
    from trueup.cli.places import load
    from trueup.fit.model import Wish
    from trueup.fit.solve import solve
    from trueup.machine.describe import parse
    from trueup.report.solution import as_data

    question = _question(line)
    solution = solve(Wish(tuple(question["want"])), parse(question["machine"]), load())
    return {"id": question["id"], "answer": as_data(solution, session.lang)}


def _question(line: str) -> dict[str, Any]:
    hint = Message("solve.hint-batch", {"example": LINE})
    try:
        question = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TrueupError(Message("solve.batch-shape"), hint) from error
    whole = isinstance(question, dict) and {"id", "machine", "want"} <= question.keys()
    want = question["want"] if whole else None
    if not isinstance(want, list) or not all(isinstance(text, str) for text in want):
        raise TrueupError(Message("solve.batch-shape"), hint)
    found: dict[str, Any] = question
    return found


def _id(line: str) -> Any:
    try:
        question = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return question.get("id") if isinstance(question, dict) else None
