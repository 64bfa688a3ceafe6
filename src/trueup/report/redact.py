"""Takes names and secrets out of what is handed to strangers, so that paths keep their shape."""

from __future__ import annotations

import base64
import re
from typing import Any

_HOMES = re.compile(
    r"(?P<root>(?:[A-Za-z]:|/mnt/[a-z])?[\\/]+(?:Users|home)[\\/]+)(?P<name>(?:[^\\/;:\"'<>|\n]|(?<=\w)'(?=\w))+)",
    re.IGNORECASE,
)
_SHARED = frozenset({"public", "default", "all users", "default user", "linuxbrew", "user"})
_CREDENTIALS = re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)")
_SECRET_NAME = re.compile(r"(?i)[\w-]*(token|passw(or)?d|secret|api[_-]?key)[\w-]*")
_SECRET = re.compile(
    r"(?i)\b([\w-]*(?:token|passw(?:or)?d|secret|api[_-]?key)[\w-]*)(\s*[=:]\s*)[^\s,;&\"']+"
)


# Windows' event log names the computer, the user and the account's number
_COMPUTER = re.compile(r"(?<=<Computer>)[^<]+(?=</Computer>)")
_ACCOUNT = re.compile(r"\bS-1-5-21(?:-\d+){3,}\b")
_EVENT_USER = re.compile(r"(<Data Name=['\"](?:Detection )?(?:User|Remediation User)['\"]>)[^<]+")

# a card's own number: its first part tells cards apart, as CUDA_VISIBLE_DEVICES may, the rest names one in the world
_CARD = re.compile(r"\b((?:GPU|MIG)-[0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)


def redact(text: str) -> str:
    """Replace user names in home folders and whatever looks like a secret."""
    text = _HOMES.sub(lambda found: found["root"] + _stranger(found["name"]), text)
    text = _CREDENTIALS.sub("***", text)
    text = _ACCOUNT.sub("S-1-5-21-0", _EVENT_USER.sub(r"\1user", _COMPUTER.sub("computer", text)))
    text = _CARD.sub(r"\1-0000-0000-0000-000000000000", text)
    return _SECRET.sub(r"\1\2***", text)


def _stranger(name: str) -> str:
    """Return a name that keeps what matters of the old one: letters outside ASCII, and spaces."""
    if name.lower() in _SHARED:
        return name
    base = "user" if name.isascii() else "用户"
    return f"{base} name" if " " in name else base


def redact_all(value: Any) -> Any:
    """Return a JSON value with every text redacted, the beginnings of files in it too."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        if value.get("ask", [""])[0] == "read_head" and isinstance(value.get("is"), str):
            return {**value, "ask": redact_all(value["ask"]), "is": _head(value["is"])}
        return {redact(key): _of_key(key, inner) for key, inner in value.items()}
    return [redact_all(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _of_key(key: str, value: Any) -> Any:
    return "***" if isinstance(value, str) and _SECRET_NAME.fullmatch(key) else redact_all(value)


def _head(encoded: str) -> str:
    """Redact a script; of a binary nothing is readable, and its offsets must stay."""
    data = base64.b64decode(encoded)
    if data[:2] != b"#!":
        return encoded
    return base64.b64encode(
        redact(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    ).decode()
