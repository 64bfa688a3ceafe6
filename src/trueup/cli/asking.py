"""The one question before something is changed: yes, in either language, from somebody who is there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.values import TrueupError

YES = ("y", "yes", "是", "好")


def agreed(session: Session, question: str, nobody: TrueupError, *, as_json: bool = False) -> bool:
    """Ask the question of a code. Raises `nobody` where nobody can be asked."""
    if as_json or sys.stdin is None or not sys.stdin.isatty():
        raise nobody
    session.talk(session.text(question))
    return sys.stdin.readline().strip().lower() in YES
