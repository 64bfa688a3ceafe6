"""A fault of ours: say so, and leave a file that can be pasted."""

from __future__ import annotations

import datetime as dt
import os
import platform
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from trueup import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.cli.session import Session


def leave_report(session: Session, error: Exception, args: Sequence[str]) -> int:
    """Write what happened beside the user's logs, name the file and return exit status 3."""
    text = redact(
        "\n".join(
            [
                f"trueup {__version__}, Python {platform.python_version()}, {platform.platform()}",
                f"arguments: {' '.join(args)}",
                "",
                "".join(traceback.format_exception(error)),
            ]
        )
    )
    path = _write(text)
    session.talk(session.text("cli.bug", kind=type(error).__name__, text=str(error), path=str(path)))
    return 3


def redact(text: str) -> str:
    """Take the user's home folder and name out of a text."""
    home = str(Path.home())
    return text.replace(home, "~").replace(home.replace("\\", "/"), "~") if len(home) > 1 else text


def _write(text: str) -> Path:
    import platformdirs

    stamp = dt.datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    name = f"trueup-bug-{stamp}-{os.getpid()}.txt"
    for folder in (Path(platformdirs.user_log_dir("trueup", appauthor=False)), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        except OSError:
            continue
        return folder / name
    return Path(name)
