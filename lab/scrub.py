"""Takes what tells of the machine that recorded out of logs and machine files."""

from __future__ import annotations

import functools
import platform
import re
import socket
import sys
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Any

from bench import ROOT
from trueup.report.redact import redact

HOST = re.compile(rf"\b{re.escape(socket.gethostname())}\b")
TOLD = re.compile(r"python|pip|conda|nv|cu[db]|docker|uv|wine|tensor|torch|jax|gcc|cc$", re.IGNORECASE)
CROWDED = re.compile(r"/bin$|site-packages$|dist-packages$")
ELF, HEAD = "f0VM", 512  # of its beginning in base 64; its header is shorter
BUILT_BY = re.compile(r"\(\w+@[\w.-]+\)(?= \(gcc)")
OF_VENV = "_virtualenv.pth"  # uv and virtualenv put it into each of theirs
LIBRARY = re.compile(r"\blib(cu|nv|stdc|python)")


@functools.cache
def own_hooks() -> frozenset[str]:
    """Return the names of `.pth` files that this Python starts with and that are no package's, but for trueup's own."""
    places = {sysconfig.get_path("purelib", vars={"base": base}) for base in (sys.prefix, sys.base_prefix)}
    of_packages = {
        file.name
        for package in metadata.distributions(path=sorted(places))
        if package.name != "trueup"
        for file in package.files or ()
        if file.suffix == ".pth"
    }
    found = {path.name for place in places for path in Path(place).glob("*.pth")}
    return frozenset(found - of_packages - {OF_VENV})


def replacements(source: Path | None = None) -> tuple[tuple[str, str], ...]:
    """Return what stands for what; `source` is the trueup that read the machine, where it is not this one."""
    foreign = () if source is None else (str(source.absolute()), str(source.resolve()))
    windows = ("Z:" + path.replace("/", "\\") for path in (*foreign, str(ROOT / "src"), str(ROOT)))
    return (
        *((path, "/opt/trueup/src") for path in foreign),
        *((path, r"Z:\opt\trueup") for path in windows),
        (str(ROOT / "src"), "/opt/trueup/src"),
        (str(ROOT), "/opt/trueup"),
        (sys.prefix, "/opt/trueup/venv"),
        (r"C:\users\root", r"C:\users\user"),
        (str(Path.home()), "/home/user"),
        (platform.release(), "6.8.0-51-generic"),
    )


def scrub(text: str, source: Path | None = None) -> str:
    for old, new in replacements(source):
        text = text.replace(old, new)
    return HOST.sub("workstation", BUILT_BY.sub("(buildd@builder)", text))


def scrub_all(value: Any, source: Path | None = None) -> Any:
    """Return a JSON value with every text scrubbed, names as well as answers."""
    if isinstance(value, str):
        return redact(scrub(value, source))
    if isinstance(value, dict):
        return {scrub(key, source): scrub_all(inner, source) for key, inner in value.items()}
    return [scrub_all(one, source) for one in value] if isinstance(value, list) else value


def trim(document: Any) -> Any:
    """Leave out the programs and libraries of the system that no reader of trueup looks for: they fill files.

    Where the laboratory itself runs in a container, its mark is left out too: the bench plays a bare machine.
    """
    document["answers"] = [one for one in document["answers"] if not _is_of_a_hook(one["ask"])]
    for answer in document["answers"]:
        if answer["ask"] == ["size", "/.dockerenv"]:
            answer["is"] = None
        question, about = answer["ask"][0], answer["ask"][-1]
        if question == "list_dir" and answer.get("is"):
            answer["is"] = [name for name in answer["is"] if name not in own_hooks()]
        if question == "list_dir" and answer.get("is") and not about.startswith(("/home/user/venv", "C:")):
            answer["is"] = [name for name in answer["is"] if TOLD.match(name) or not CROWDED.search(about)]
        if question == "read_head" and (answer.get("is") or "").startswith(ELF):
            answer["is"] = answer["is"][:HEAD]
        if answer["ask"][0] == "run" and "ldconfig" in answer["ask"][1] and answer.get("is"):
            lines = answer["is"]["out"].splitlines(keepends=True)
            answer["is"]["out"] = "".join(line for line in lines if LIBRARY.search(line))
    return document


def _is_of_a_hook(question: list[Any]) -> bool:
    return any(isinstance(word, str) and re.split(r"[\\/]", word)[-1] in own_hooks() for word in question)
