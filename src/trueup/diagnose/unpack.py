"""A line that holds others: Docker's JSON logs, and a program's text as it was quoted by Python."""

from __future__ import annotations

import ast
import json
import re

JSON_KEYS = ("log", "message", "msg")
QUOTED_TEXT = re.compile(r"""\s*b?(['"]).*\1\s*""", re.DOTALL)
# What a container runtime puts before each line.
RUNTIME = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]{8,20}(?:Z|[+\-]\d\d:?\d\d) (?:stdout|stderr) [FP] ")


def unpacked(line: str) -> list[str]:
    """Return the lines that a line holds; itself where it holds none."""
    head = line[:1]
    if head == "{":
        inner = _from_json(line)
    elif head in ("'", '"', "b") and "\\n" in line and QUOTED_TEXT.fullmatch(line):
        inner = _from_python(line)
    elif head == "2" and (hit := RUNTIME.match(line)):
        inner = line[hit.end() :]
    else:
        return [line]
    return inner.splitlines() if inner else [line]


def _from_json(line: str) -> str:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    texts = (row.get(key) for key in JSON_KEYS) if isinstance(row, dict) else ()
    return next((text for text in texts if isinstance(text, str)), "")


def _from_python(line: str) -> str:
    try:
        value = ast.literal_eval(line.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
