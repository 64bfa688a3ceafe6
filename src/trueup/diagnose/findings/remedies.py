"""Ways out, with commands in the spelling of the machine's own shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.diagnose.findings.model import Remedy
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from trueup.diagnose.findings.scene import Scene
    from trueup.fit.model import Change


def build_anew(scene: Scene, env: str | None = None) -> Remedy:
    """Let trueup build an environment that fits: the shortest way for all that is wrong above the driver."""
    return Remedy(Message("findings.build-anew"), up(scene, env))


def up(scene: Scene, env: str | None = None) -> str:
    """Return the command. A `.venv` that somebody else made is left alone, so another folder is named."""
    subject = scene.subject
    if env is None and subject is not None and not subject.ours and base(subject.path) == ".venv":
        env = ".venv-gpu"
    where = f" --env {quoted(env)}" if env else ""
    return f"trueup up {scene.framework}{where}"


def base(path: str) -> str:
    return re.split(r"[\\/]", path)[-1]


def of_change(change: Change) -> Remedy:
    return Remedy(change.text, change.command, change.admin, change.restart)


def say(
    code: str, command: str | None = None, *, admin: bool = False, restart: bool = False, **params: str
) -> Remedy:
    return Remedy(Message(f"findings.{code}", params), command, admin, restart)


def python(scene: Scene, words: str) -> str:
    """Return a command that runs the environment's own interpreter; PowerShell needs `&` before a quoted path."""
    path = scene.subject.python.path if scene.subject else None
    program = quoted(path or "python")
    call = "& " if program.startswith('"') and powershell(scene) else ""
    return f"{call}{program} {words}"


def powershell(scene: Scene) -> bool:
    settings = scene.survey.settings
    return scene.windows and not isinstance(settings, Unknown) and settings.shell == "powershell"


def unset(scene: Scene, name: str) -> str:
    if not scene.windows:
        return f"unset {name}"
    return f"Remove-Item Env:{name}" if powershell(scene) else f"set {name}="


def quoted(path: str) -> str:
    return f'"{path}"' if any(c in path for c in " &()") else path
