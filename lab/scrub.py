"""Takes what tells of the machine that recorded out of logs and machine files."""

from __future__ import annotations

import platform
import re
import socket
import sys
from pathlib import Path
from typing import Any

from bench import ROOT
from trueup.report.redact import redact

HOST = re.compile(rf"\b{re.escape(socket.gethostname())}\b")
TOLD = re.compile(r"python|pip|conda|nv|cu[db]|docker|uv|wine|tensor|torch|jax|gcc|cc$", re.IGNORECASE)
CROWDED = re.compile(r"/bin$|site-packages$|dist-packages$")
ELF, HEAD = "f0VM", 512  # of its beginning in base 64; its header is shorter
BUILT_BY = re.compile(r"\(\w+@[\w.-]+\)(?= \(gcc)")
LIBRARY = re.compile(r"\blib(cu|nv|stdc|python)")


def replacements() -> tuple[tuple[str, str], ...]:
    return (
        (str(ROOT / "src"), "/opt/trueup/src"),
        (str(ROOT), "/opt/trueup"),
        (sys.prefix, "/opt/trueup/venv"),
        (r"C:\users\root", r"C:\users\user"),
        (str(Path.home()), "/home/user"),
        (platform.release(), "6.8.0-51-generic"),
    )


def scrub(text: str) -> str:
    for old, new in replacements():
        text = text.replace(old, new)
    return HOST.sub("workstation", BUILT_BY.sub("(buildd@builder)", text))


def scrub_all(value: Any) -> Any:
    """Return a JSON value with every text scrubbed, names as well as answers."""
    if isinstance(value, str):
        return redact(scrub(value))
    if isinstance(value, dict):
        return {scrub(key): scrub_all(inner) for key, inner in value.items()}
    return [scrub_all(one) for one in value] if isinstance(value, list) else value


def trim(document: Any) -> Any:
    """Leave out the programs and libraries of the system that no reader of trueup looks for: they fill files.

    Where the laboratory itself runs in a container, its mark is left out too: the bench plays a bare machine.
    """
    for answer in document["answers"]:
        if answer["ask"] == ["size", "/.dockerenv"]:
            answer["is"] = None
        question, about = answer["ask"][0], answer["ask"][-1]
        if question == "list_dir" and answer.get("is") and not about.startswith(("/home/user/venv", "C:")):
            answer["is"] = [name for name in answer["is"] if TOLD.match(name) or not CROWDED.search(about)]
        if question == "read_head" and (answer.get("is") or "").startswith(ELF):
            answer["is"] = answer["is"][:HEAD]
        if answer["ask"][0] == "run" and "ldconfig" in answer["ask"][1] and answer.get("is"):
            lines = answer["is"]["out"].splitlines(keepends=True)
            answer["is"]["out"] = "".join(line for line in lines if LIBRARY.search(line))
    return document
