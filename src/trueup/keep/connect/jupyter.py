"""Jupyter: a kernel in the user's own folder, as `ipykernel install --user` would write it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trueup.keep.connect.model import CONDA, Connection, Edit, content, needed, text_of
from trueup.setup import record
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.keep.connect.model import Surroundings, Target

LAUNCH: Final = ("-m", "ipykernel_launcher", "-f", "{connection_file}")
_NO: Final = ("n", "no", "false", "off", "0", "0.0")  # as jupyter_core reads a switch
_NAME = re.compile(r"[a-z0-9._-]+")


def connect(target: Target, project: Path, around: Surroundings, name: str | None) -> Connection:
    """Return the kernel of an environment. Raises TrueupError where it has no ipykernel, or the name is taken."""
    if not has_kernel(target):
        raise TrueupError(
            Message("connect.no-ipykernel", {"env": str(target.env)}),
            Message("connect.no-ipykernel-hint", {"command": wanted(target)}),
        )
    kernel = checked(name) if name else kernel_name(project.absolute().name)
    file = data_folder(around) / "kernels" / kernel / "kernel.json"
    before = content(file)
    mine = spec(target, project.absolute().name)
    if before is not None:
        present = _loaded(text_of(file, before))
        if present.get("argv", [None])[:1] != mine["argv"][:1]:
            params = {"name": kernel, "path": str(file), "other": f"{kernel}-2"}
            raise TrueupError(
                Message("connect.kernel-taken", params), Message("connect.kernel-taken-hint", params)
            )
        mine = {**present, "argv": mine["argv"], "language": "python"}
        if present == mine:
            return Connection("jupyter", (), _steps(present, around), _notes(target))
    after = json.dumps(mine, ensure_ascii=False, indent=1) + "\n"
    edits = needed([Edit(file, before, after.encode("utf-8"))])
    return Connection("jupyter", edits, _steps(mine, around), _notes(target))


def spec(target: Target, project: str) -> dict[str, Any]:
    """Return `kernel.json`. It sets no variable: the hook of the environment finds what is needed."""
    made = record.read(target.env)
    python = f"Python {made.python}" if made else "Python"
    return {
        "argv": [str(target.python), *LAUNCH],
        "display_name": f"{python} ({project})",
        "language": "python",
        "metadata": {"debugger": True},
    }


def kernel_name(project: str) -> str:
    """Return a name that Jupyter allows; projects whose names differ only in other letters keep apart."""
    lower = project.lower()
    slug = re.sub(r"[^a-z0-9._-]+", "-", lower).strip("-")
    if slug != lower:
        slug = f"{slug}-{hashlib.sha256(lower.encode()).hexdigest()[:6]}".strip("-")
    return f"trueup-{slug}"


def checked(name: str) -> str:
    if not _NAME.fullmatch(name) or not name.strip("."):
        raise TrueupError(Message("connect.bad-name", {"name": name}), Message("connect.bad-name-hint"))
    return name


def data_folder(around: Surroundings) -> Path:
    """Return Jupyter's folder of the user's data, by the rules of `jupyter_core.paths.jupyter_data_dir`."""
    said = around.env.get("JUPYTER_DATA_DIR")
    if said:
        return Path(said)
    roaming, local = around.env.get("APPDATA"), around.env.get("LOCALAPPDATA")
    if around.env.get("JUPYTER_PLATFORM_DIRS", "0").lower() not in _NO:
        if around.platform == "win32" and local:
            return Path(local) / "Jupyter"
        if around.platform == "darwin":
            return around.home / "Library" / "Application Support" / "Jupyter"
    if around.platform == "win32":
        return Path(roaming) / "jupyter" if roaming else around.home / ".jupyter" / "data"
    if around.platform == "darwin":
        return around.home / "Library" / "Jupyter"
    shared = around.env.get("XDG_DATA_HOME")
    return (Path(shared) if shared else around.home / ".local" / "share") / "jupyter"


def has_kernel(target: Target) -> bool:
    return (record.site_packages(target.env) / "ipykernel").is_dir()


def wanted(target: Target) -> str:
    """Return the command that adds ipykernel to an environment in the way that it was made."""
    made = record.read(target.env)
    builds = made.alignment.get("builds", []) if made else []
    if builds:
        names = " ".join(f"{build['package']}=={build['version']}" for build in builds)
        return f'trueup up {names} ipykernel --env "{target.env}"'
    if (target.env / CONDA).is_dir():
        return f'conda install --prefix "{target.env}" ipykernel'
    if not (record.site_packages(target.env) / "pip").is_dir():  # as uv makes them
        return f'uv pip install --python "{target.python}" ipykernel'
    program = str(target.python)  # bare where it can be: PowerShell takes a quoted start of a line for a text
    return (f'"{program}"' if " " in program else program) + " -m pip install ipykernel"


def _loaded(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("argv", []), list) else {}


def _steps(kernel: dict[str, Any], around: Surroundings) -> tuple[Message, ...]:
    steps = [Message("connect.jupyter-pick", {"name": str(kernel.get("display_name", "Python"))})]
    if around.env.get("WSL_DISTRO_NAME"):
        steps.append(Message("connect.jupyter-wsl"))
    return (*steps, Message("connect.jupyter-cell"))


def _notes(target: Target) -> tuple[Message, ...]:
    return (Message("connect.conda-kernel"),) if (target.env / CONDA).is_dir() else ()
