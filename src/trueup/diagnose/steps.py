"""The library of remedy steps, and how a step becomes commands of a shell."""

from __future__ import annotations

import functools
import json
import shlex
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trueup.diagnose.model import Step

Shell = Literal["powershell", "cmd", "bash"]
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,:/\\+@%")


@dataclass(frozen=True, slots=True)
class Action:
    """A step made for one operating system and shell. `text` is a template by language."""

    id: str
    text: Mapping[str, str]
    params: Mapping[str, str]
    commands: tuple[str, ...]
    admin: bool
    confirms: bool


@functools.cache
def library() -> Mapping[str, Mapping[str, Any]]:
    text = resources.files("trueup.diagnose").joinpath("data", "steps.json").read_text("utf-8")
    steps: Mapping[str, Mapping[str, Any]] = json.loads(text)
    return steps


def shell_of(os: str) -> Shell:
    return "powershell" if os in ("windows-native", "windows") else "bash"


def actions(steps: Iterable[Step], os: str, shell: Shell) -> tuple[Action, ...]:
    """Return the steps for an operating system; for a fault that only another one can have, that one's."""
    asked = tuple(steps)
    made = _made(asked, os, shell)
    if any(not one.confirms for one in made):
        return made
    return _made(asked, *(("linux", "bash") if shell != "bash" else ("windows-native", "powershell")))


def _made(steps: Iterable[Step], os: str, shell: Shell) -> tuple[Action, ...]:
    return tuple(made for step in steps if (made := action(step, os, shell)) is not None)


def action(step: Step, os: str, shell: Shell) -> Action | None:
    """Return the step for an operating system; None where it has no place there."""
    row = library()[step.id]
    family = "windows" if shell != "bash" else "linux"
    if row.get("only", family) not in (family, os):
        return None
    params = {"framework": "tensorflow", **step.params}
    commands = tuple(
        _command(one, params, shell)
        for key in ("do", f"do-{family}")
        for one in row.get(key, ())
    )  # fmt: skip
    return Action(
        step.id,
        {"en": row["en"], "zh_CN": row["zh_CN"]},
        params,
        commands,
        bool(row.get("admin")),
        bool(row.get("confirms")),
    )


def _command(one: Mapping[str, Any], params: Mapping[str, str], shell: Shell) -> str:
    if "run" in one:
        words = [word for part in one["run"] for word in _filled(part, params)]
        return " ".join(_quoted(word, shell) for word in words)
    name = one.get("set") or one["unset"]
    value = one.get("value", "").format_map(params)
    if "unset" in one:
        return {"powershell": f"Remove-Item Env:{name}", "cmd": f"set {name}=", "bash": f"unset {name}"}[
            shell
        ]
    return {
        "powershell": f'$env:{name} = "{value}"',
        "cmd": f"set {name}={value}",
        "bash": f"export {name}={value}",
    }[shell]


def _filled(part: str, params: Mapping[str, str]) -> list[str]:
    """Fill the places of a word; `{names}` stands for several words."""
    return params["names"].split() if part == "{names}" else [part.format_map(params)]


def _quoted(word: str, shell: Shell) -> str:
    if word and set(word) <= PLAIN:
        return word
    if shell == "bash":
        return word if word.startswith("$") else shlex.quote(word)
    return '"' + word.replace('"', '\\"' if shell == "cmd" else '`"') + '"'
