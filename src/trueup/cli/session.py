"""What every command is handed: the language, and the two ways to speak."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from trueup.report.say import say
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from typing import BinaryIO

    from trueup.values import Param


@dataclass(frozen=True, slots=True)
class Session:
    """`lang` is a catalog's name. Data goes to standard output, talk to standard error."""

    lang: str

    def say(self, message: Message) -> str:
        return say(message, self.lang)

    def text(self, code: str, **params: Param) -> str:
        return say(Message(code, params), self.lang)

    def out(self, text: str) -> None:
        write(sys.stdout, text)

    def talk(self, text: str) -> None:
        write(sys.stderr, text)

    def out_json(self, value: Any) -> None:
        write(sys.stdout, json.dumps(value, ensure_ascii=False, indent=2))


def write(stream: TextIO | None, text: str) -> None:
    """Write a line; what the stream's code page cannot hold is escaped, never a crash."""
    if stream is None:  # closed by whoever started us: nobody listens
        return
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(stream)
        if stream is not sys.stderr:  # without a place for talk nothing can be said
            raise unwritable(error) from error


def unwritable(error: OSError) -> TrueupError:
    """Return the refusal for a full or broken place of output."""
    why = {"why": error.strerror or type(error).__name__}
    return TrueupError(Message("cli.cannot-write", why), Message("cli.cannot-write-hint"))


def silence(stream: TextIO) -> None:
    """Send what is still held back nowhere, so that the end of the process does not fail over it."""
    try:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, stream.fileno())
    except (OSError, ValueError):
        return


def standard_input() -> BinaryIO:
    """Return standard input as bytes; refuse where whoever started us closed it."""
    if sys.stdin is None:
        raise TrueupError(Message("cli.no-stdin"), Message("cli.no-stdin-hint"))
    return sys.stdin.buffer
