"""What connecting an editor would change, and what is to be said with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Editor = Literal["vscode", "pycharm", "jupyter"]
EDITORS: tuple[Editor, ...] = ("vscode", "pycharm", "jupyter")
CONDA = "conda-meta"


@dataclass(frozen=True, slots=True)
class Target:
    """An environment to be made known. `python` keeps its own name: a link's goal is another interpreter."""

    env: Path
    python: Path
    windows: bool


@dataclass(frozen=True, slots=True)
class Edit:
    """A file's content before (None: there is none) and after."""

    path: Path
    before: bytes | None
    after: bytes


@dataclass(frozen=True, slots=True)
class Connection:
    """`edits` are those that change something; `steps` is what only the editor itself can do, in order."""

    editor: Editor
    edits: tuple[Edit, ...] = ()
    steps: tuple[Message, ...] = ()
    notes: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where editors keep what belongs to the user. `platform` as `sys.platform` says it."""

    platform: str
    home: Path
    env: Mapping[str, str]
    newline: str


def target(env: Path) -> Target:
    """Return the environment in a folder. Raises TrueupError where it holds no interpreter."""
    env = env.absolute()
    places = ((True, "Scripts/python.exe"), (True, "python.exe"), (False, "bin/python"))
    for windows, inside in places:
        if (env / inside).exists():
            return Target(env, env / inside, windows)
    looked = ", ".join(str(Path(inside)) for _, inside in places)
    raise TrueupError(
        Message("connect.no-environment", {"path": str(env), "looked": looked}),
        Message("connect.no-environment-hint"),
    )


def content(path: Path) -> bytes | None:
    """Return a file's content, None where there is no such file. Raises TrueupError."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from error


def text_of(path: Path, data: bytes | None) -> str:
    """Return a file as text that can be kept to the byte, a mark included. Raises TrueupError."""
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise unreadable(path, str(error)) from error


def unreadable(path: Path, why: str) -> TrueupError:
    return TrueupError(
        Message("connect.unreadable", {"path": str(path), "why": why}), Message("connect.unreadable-hint")
    )


def needed(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    return tuple(edit for edit in edits if edit.before != edit.after)
