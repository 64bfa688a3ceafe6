"""Does a repair: the folder is put aside whole, a copy takes its place and is mended; a failure brings the folder back."""

from __future__ import annotations

import secrets
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.keep.envs.copying import copy
from trueup.setup import conda, exclusive, files, hook
from trueup.setup.changes import census, made
from trueup.setup.changes.whole import announced
from trueup.setup.places import Places
from trueup.setup.record import site_packages
from trueup.setup.scratch import scratch
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trueup.keep.envs.mending import Step, Target
    from trueup.setup.changes import Change, Store
    from trueup.setup.conda import Program
    from trueup.setup.uv import Uv

COMMAND: Final = "trueup env repair"
TIMEOUT_S: Final = 6 * 3600
FAILED: Final = "repair.program-failed"
FORCE: Final = {"conda": "--force-remove"}  # the others know the older name alone


@dataclass(frozen=True, slots=True)
class Tools:
    """What the steps are done with. `program`: of conda, where a step needs one. `python`: of the environment."""

    uv: Uv
    python: Path
    program: Program | None
    target: Target | None


def repair(
    store: Store, env: Path, steps: tuple[Step, ...], tools: Tools, tell: Callable[[str], None]
) -> Path:
    """Do the steps and return where the folder from before lies. `tell` is handed what begins: `copy`, or an act.

    Raises TrueupError and OSError; the environment then is the one from before.
    """
    change = made.repair_change(env, secrets.token_hex(4))
    token, kept = change.target["token"], Path(change.target["kept"])
    places = Places(env)
    with exclusive.exclusive(places.lock_file, env):
        using = made.RepairKind().holders(change.target)
        if using:
            params = {"path": str(env), "by": ", ".join(using)}
            raise TrueupError(Message("repair.in-use", params), Message("repair.in-use-hint", params))
        with _tidied(change), announced(store, COMMAND, change):
            made.begin(env, token)
            kept.parent.mkdir(exist_ok=True)
            files.move(env, kept)
            tell("copy")
            copy(kept, env, token)
            for step in steps:
                tell(step.act)
                _do(step, env, tools)
            census.finish(env, env, token)
            made.close(env)
    return kept


@contextmanager
def _tidied(change: Change) -> Iterator[None]:
    """Leave nothing beside a folder that is as it was after what went wrong."""
    try:
        yield
    except BaseException:
        with suppress(TrueupError, OSError):
            if made.RepairKind().read(change.target) == change.before:
                made.close(Path(change.target["path"]))
                folder = Path(change.target["kept"]).parent
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
        raise


def _do(step: Step, env: Path, tools: Tools) -> None:
    python = ["--python", str(tools.python)]
    if step.act == "remove":
        for name in step.what:
            _remove(Path(name))
    elif step.act == "pip-out":
        tools.uv.run(["pip", "uninstall", *python, *step.what], timeout=TIMEOUT_S)
    elif step.act in ("pip-in", "pip-again"):
        _install(step, tools, python)
    elif step.act == "hook":
        _hook(env, tools)
    elif tools.program is not None:
        _by_conda(step, env, tools.program)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(files.long(path))
    else:
        path.unlink()


def _install(step: Step, tools: Tools, python: list[str]) -> None:
    with scratch() as folder:
        source = folder / "requirements.txt"
        text = "\n".join(step.what) + "\n"
        if step.act == "pip-in" and tools.target is not None:
            text = tools.target.requirements(frozenset(step.what))
        source.write_text(text, "utf-8")
        tools.uv.run(
            ["pip", "install", *python, "--no-deps", "--reinstall", "-r", str(source)], timeout=TIMEOUT_S
        )


def _hook(env: Path, tools: Tools) -> None:
    if tools.target is not None and not tools.target.wheels:
        conda.find_by_hook(env)
    else:
        hook.install(site_packages(env))


def _by_conda(step: Step, env: Path, program: Program) -> None:
    for words in conda_words(step, env, program.kind):
        if words[0] == "remove":
            conda.run(program, words, env, failed=FAILED)
            continue
        with scratch() as folder:
            listed = folder / "explicit.txt"
            listed.write_text("@EXPLICIT\n" + "".join(f"{address}\n" for address in step.what), "utf-8")
            conda.run(program, [*words, "--file", str(listed)], env, failed=FAILED)


def conda_words(step: Step, env: Path, kind: str) -> list[list[str]]:
    """Return the words of each command; those of `install` are followed by `--file` and an explicit list.

    What is listed goes first: conda links nothing anew of which its records say that it is there.
    """
    again = step.act == "conda-again"
    names = tuple(map(_name, step.what)) if again else step.what
    removed = ["remove", "--prefix", str(env), "--yes", FORCE.get(kind, "--force"), *names]
    return [removed, ["install", "--prefix", str(env), "--yes"]] if again else [removed]


def _name(address: str) -> str:
    """Return the package of a file's address: `…/NAME-VERSION-BUILD.conda#SUM`."""
    return address.partition("#")[0].rpartition("/")[2].rsplit("-", 2)[0]
