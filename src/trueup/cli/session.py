"""What every command is handed: the language, and the two ways to speak."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
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
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    stream.flush()
