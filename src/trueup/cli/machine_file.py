"""Files of machines, for every `--machine`: recorded, described, or inside a report; UTF-8 or UTF-16; `-` is a pipe."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.machine.host import RecordedHost
    from trueup.machine.model import Machine
    from trueup.values import Param

EXAMPLE = '{"os": "windows", "gpus": [{"name": "NVIDIA GeForce RTX 3060"}], "driver": "536.67"}'
# a report carries the machine that it is about
_INSIDE = re.compile(
    r"<script\b[^>]*\bid=[\"']?trueup-machine[\"']?[^>]*>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE
)


def read_machine_file(path: Path) -> Machine:
    """Return the machine of a file, whether it was written by hand or recorded."""
    from trueup.machine.describe import parse

    document = read_document(str(path))
    if isinstance(document, dict) and "schema" in document:
        from trueup.machine.read import read_machine

        host = _recorded(document)
        return read_machine(host, env_dir=host.folder)
    return parse(document)


def read_recording(path: str) -> RecordedHost:
    return _recorded(read_document(path))


def _recorded(document: Any) -> RecordedHost:
    from trueup.machine.host import RecordedHost

    return RecordedHost(document)


def read_document(path: str) -> Any:
    """Return the JSON of a file, or of standard input; raise with its name, the place and the reason."""
    text = _text(path)
    try:
        return json.loads(_inside(text, path), object_pairs_hook=_once, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        where: dict[str, Param] = {"path": path, "line": error.lineno, "column": error.colno}
        told = Message("machine.file-not-json", {**where, "text": error.msg})
        raise TrueupError(told, Message("machine.file-example", {"example": EXAMPLE})) from error
    except _Doubtful as error:
        told = Message(error.code, {"path": path, "name": error.name})
        raise TrueupError(told, Message("machine.file-example", {"example": EXAMPLE})) from error
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from error


def _text(path: str) -> str:
    """Decode as it was written: PowerShell's `>` makes UTF-16."""
    from trueup.machine.host.decode import decode

    try:
        data = _pipe() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    return decode(data)


def _pipe() -> bytes:
    from trueup.cli.session import standard_input

    return standard_input().read()


def _inside(text: str, path: str) -> str:
    """Return the machine that a page of HTML carries; any other text as it is."""
    if not text.lstrip().startswith("<"):
        return text
    found = _INSIDE.search(text)
    if found is None:
        raise TrueupError(
            Message("machine.no-machine-inside", {"path": path}), Message("machine.recording-from")
        )
    return found[1]


class _Doubtful(Exception):  # noqa: N818  # not an error of ours: it becomes the user's
    def __init__(self, code: str, name: str) -> None:
        super().__init__(code)
        self.code = code
        self.name = name


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice: which of the two counts, no reader could tell."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Doubtful("machine.file-key-twice", key)
        found[key] = value
    return found


def _no_number(text: str) -> NoReturn:
    raise _Doubtful("machine.file-no-number", text)


def _unreadable(path: str, text: str) -> TrueupError:
    told = Message("machine.file-unreadable", {"path": path, "text": text})
    return TrueupError(told, Message("machine.hint-file"))
