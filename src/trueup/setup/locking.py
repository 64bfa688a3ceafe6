"""Asks uv for the exact packages of a target, on whatever machine this is."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from trueup import __version__
from trueup.setup import truth
from trueup.setup.errors import SetupError
from trueup.setup.failures import without_wheel
from trueup.setup.lockfile import read_lock
from trueup.setup.probe import lists_no_file
from trueup.setup.scratch import scratch
from trueup.setup.uv import Uv, find

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from trueup.plan.lock import Lock
    from trueup.plan.request import LockRequest

TIMEOUT_S: Final = 900
PACKAGE: Final = re.compile(
    r'^\[\[packages\]\]\nname = "(?P<name>[^"]+)"\nversion = "[^"]+"\n(?!index)', re.MULTILINE
)
HTTP_TIMEOUT_S: Final = 15  # metadata is small: a silence of this length is a hang


def lock(question: LockRequest, *, uv: Uv | None = None) -> Lock:
    """Return the checked lock with the hash of every file. Raises SetupError."""
    uv = uv or find()
    with scratch() as folder:
        text = _resolve(question, uv, folder)
        index = default_index(uv, folder)
    found = read_lock(_signed(_with_index(text, question, index), question), question)
    truth.check(found, question)
    return found


def _resolve(question: LockRequest, uv: Uv, folder: Path, built: tuple[str, ...] = ()) -> str:
    """Take wheels only; a release of the allowed names that is source only may be built."""
    try:
        return _compile(question, uv, folder, built)
    except SetupError as error:
        name = without_wheel(error)
        if name is None or name in built or name not in question.sdists:
            raise _ours(error, question, uv) from None
    return _resolve(question, uv, folder, (*built, name))


def _compile(question: LockRequest, uv: Uv, folder: Path, built: tuple[str, ...]) -> str:
    source = _write_question(question, folder)
    out = folder / "pylock.toml"
    uv.run(
        [
            "pip", "compile", str(source), "--constraints", str(folder / "caps.txt"),
            "--format", "pylock.toml", "--output-file", str(out), "--no-header", "--generate-hashes",
            "--python-version", question.python, "--python-platform", question.uv_platform,
            "--python", sys.executable, "--no-python-downloads", *wheels_only(built),
        ],
        timeout=TIMEOUT_S, http_timeout=HTTP_TIMEOUT_S, cwd=folder,
    )  # fmt: skip
    return out.read_text("utf-8")


def wheels_only(but: Iterable[str]) -> list[str]:
    """Return uv's options: nothing is built from source but the named packages."""
    return ["--only-binary", ":all:", *(part for name in but for part in ("--no-binary", name))]


def _write_question(question: LockRequest, folder: Path) -> Path:
    (folder / "caps.txt").write_text("\n".join(question.constraints) + "\n", "utf-8")
    if not question.indexes:
        source = folder / "requirements.in"
        source.write_text("\n".join(question.requirements) + "\n", "utf-8")
        return source
    source = folder / "pyproject.toml"  # the one form in which uv binds a package to an index
    source.write_text(project(question), "utf-8")
    return source


def project(question: LockRequest) -> str:
    """Return a pyproject.toml that takes the named packages, and only them, from the question's indexes."""
    named = {canonicalize_name(Requirement(text).name) for text in question.requirements}
    lines = ["[project]", 'name = "wish"', 'version = "0"', f'requires-python = ">={question.python}"']
    lines += [f"dependencies = [{', '.join(_quoted(text) for text in question.requirements)}]"]
    for index in question.indexes:
        lines += [
            "",
            "[[tool.uv.index]]",
            f"name = {_quoted(index.name)}",
            f"url = {_quoted(index.url)}",
            "explicit = true",
        ]
    lines += ["", "[tool.uv.sources]"]
    for index in question.indexes:
        lines += [
            f"{n} = {{ index = {_quoted(index.name)} }}"
            for n in index.packages
            if canonicalize_name(n) in named
        ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def default_index(uv: Uv, folder: Path) -> str | None:
    """Return the one index that uv asks by default; None where there are several, or a login in its address."""
    nothing = folder / "nothing.in"
    nothing.touch()
    options = [
        "--emit-index-url",
        "--no-header",
        "--quiet",
        "--python",
        sys.executable,
        "--no-python-downloads",
    ]
    lines = uv.run(["pip", "compile", str(nothing), *options], timeout=60, cwd=folder).split("\n")
    flags = [line.split(" ", 1) for line in lines if line.startswith("--")]
    if [flag for flag, _ in flags] != ["--index-url"] or urlsplit(flags[0][1]).username:
        return None
    return flags[0][1]


def _with_index(text: str, question: LockRequest, default: str | None) -> str:
    """Say of each package which index it came from.

    Without that uv asks for every file again, though it is in its cache: where the answer may not be
    kept, it even downloads it again. uv 0.13, 2026-11-30.
    """
    own = {canonicalize_name(name): index.url for index in question.indexes for name in index.packages}

    def add(found: re.Match[str]) -> str:
        index = own.get(canonicalize_name(found["name"]), default)
        return found[0] + (f"index = {_quoted(index)}\n" if index else "")

    return PACKAGE.sub(add, text)


def _signed(text: str, question: LockRequest) -> str:
    """Add what the lock was made for, in the table that PEP 751 leaves to tools."""
    target = f"{question.uv_platform}, Python {question.python}"
    head = f"# Made by trueup {__version__} for {target}\n"
    tool = f'\n[tool.trueup]\nrequest = "{question.id}"\ntarget = "{question.uv_platform}"\npython = "{question.python}"\n'
    return head + text.rstrip("\n") + "\n" + tool


def _ours(error: SetupError, question: LockRequest, uv: Uv) -> SetupError:
    """Name the wishes that take part in a conflict; tell an index from a login page in front of it."""
    if error.kind == "no-version":
        name = str(error.message.params["what"])
        shut = lists_no_file(uv.env, name.partition("==")[0])
        return SetupError("not-an-index", quote=error.quote, what=name) if shut else error
    if error.kind != "conflict":
        return error
    wishes = [text for text in question.requirements if Requirement(text).name.lower() in error.quote.lower()]
    return error.about(what=", ".join(wishes or question.requirements))
