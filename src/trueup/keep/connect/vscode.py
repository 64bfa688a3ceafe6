"""VS Code: one key in the settings of a folder or of a workspace file.

The hook in the environment finds the CUDA libraries, so no PATH, no CUDA_PATH and no debugger environment is set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trueup.keep.connect.edit import NotAnObject, changed, found, keys
from trueup.keep.connect.jsonc import BadJsonc
from trueup.keep.connect.model import Connection, Edit, content, needed, text_of
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from trueup.keep.connect.model import Surroundings, Target
    from trueup.values import Param

KEY: Final = "python.defaultInterpreterPath"
WORKSPACE: Final = ".code-workspace"
# Read by nobody any more, or never; see the changelog and the settings reference of the Python extension.
DEAD: Final = ("python.pythonPath", "python.debugging.env")
TERMINALS: Final = ("terminal.integrated.env.windows", "terminal.integrated.env.linux")
NEEDLESS: Final = ("PATH", "CUDA_PATH", "LD_LIBRARY_PATH")


def connect(target: Target, project: Path, around: Surroundings) -> Connection:
    """Return what makes a project's VS Code use the environment. Raises TrueupError."""
    project = project.absolute()
    workspace = project.suffix.lower() == WORKSPACE
    if workspace and not project.is_file():
        raise _no_project(project)
    if not workspace and not project.is_dir():
        raise _no_project(project)
    file = project if workspace else project / ".vscode" / "settings.json"
    above = ("settings",) if workspace else ()
    before = content(file)
    text = text_of(file, before)
    value = interpreter(target, None if workspace else project)
    try:
        after = (
            text
            if found(text, (*above, KEY)) == value
            else changed(text, (*above, KEY), value, around.newline)
        )
        notes = tuple(_notes(text, above))
    except BadJsonc as bad:
        params: dict[str, Param] = {
            "path": str(file),
            "line": bad.line,
            "column": bad.column,
            "what": f"@connect.{bad.fault}",
        }
        raise TrueupError(Message("connect.bad-json", params), Message("connect.bad-json-hint")) from bad
    except NotAnObject as error:
        raise TrueupError(
            Message("connect.no-object", {"path": str(file)}), Message("connect.bad-json-hint")
        ) from error
    edits = needed([Edit(file, before, after.encode("utf-8"))])
    steps = [Message("connect.vscode-clear")]
    if around.env.get("WSL_DISTRO_NAME"):
        steps.insert(
            0, Message("connect.vscode-wsl", {"folder": str(project.parent if workspace else project)})
        )
    return Connection("vscode", edits, tuple(steps), notes)


def interpreter(target: Target, project: Path | None) -> str:
    """Return the interpreter as the setting spells it: from the folder of the project where it lies in it."""
    if project is not None and target.python.is_relative_to(project):
        return f"${{workspaceFolder}}/{target.python.relative_to(project).as_posix()}"
    return str(target.python)


def _notes(text: str, above: Sequence[str]) -> Iterator[Message]:
    here = keys(text, above)
    for key in DEAD:
        if key in here:
            yield Message("connect.vscode-dead", {"key": key})
    for terminal in TERMINALS:
        for name in keys(text, (*above, terminal)) if terminal in here else ():
            if name.upper() in NEEDLESS:
                yield Message("connect.vscode-needless", {"key": terminal, "name": name})


def _no_project(path: Path) -> TrueupError:
    return TrueupError(Message("connect.no-project", {"path": str(path)}), Message("connect.no-project-hint"))
