"""A toolkit of the machine for one environment alone: written down in it, read by its hook, nothing global."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from packaging.version import Version

from trueup.keep.cuda.toolkit import folders, missing_of_toolkit, missing_parts, read_folder, read_toolkit
from trueup.setup import hook
from trueup.setup.changes.files import file_change
from trueup.setup.record import site_packages
from trueup.values import Message, TrueupError, Unknown

if TYPE_CHECKING:
    from trueup.facts import Facts
    from trueup.facts.model import Platform
    from trueup.keep.cuda.toolkit import Toolkit
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Environment, FrameworkBuild, Survey
    from trueup.setup.changes import Change, Store
    from trueup.values import Param

# what keeps a toolkit of this PC from serving, and not wheels: the refusals for which they are the way
BY_WHEELS: Final = ("not-here", "hidden", "half-toolkit", "no-cudnn", "old-cudnn", "no-framework")
HOOKED: Final = ("tensorflow", "onnxruntime")  # the hook finds CUDA for these; the others bring theirs


@dataclass(frozen=True, slots=True)
class Choice:
    """`folders` go into the environment's file; none: the CUDA that lies in the environment is taken."""

    environment: Environment
    version: str
    folders: tuple[str, ...]
    notes: tuple[Message, ...] = ()


def refuse(code: str, hint: str = "way", **params: Param) -> TrueupError:
    return TrueupError(Message(f"cuda.use-{code}", params), Message(f"cuda.use-hint-{hint}", params))


def check_asked(asked: str) -> None:
    if not re.fullmatch(r"\d+\.\d+", asked):
        raise refuse("version", "version", asked=asked)


def choose(
    host: Host, facts: Facts, survey: Survey, environment: Environment, asked: str, *, own: str | None = None
) -> Choice:
    """Return the toolkit of this PC that would be used; `own` is the line that the framework's wheels have.

    Raises TrueupError with the way out where framework, driver or cuDNN do not fit, or none is whole.
    """
    check_asked(asked)
    builds = [one for one in environment.builds if one.framework in HOOKED and isinstance(one.cuda, str)]
    if not builds:
        raise refuse("no-framework", env=environment.path)
    for build in builds:
        check_line(build, asked, str(build.cuda), own or str(build.cuda), environment.path)
    notes = check_driver(facts, survey, asked, builds[0])
    if _by_wheels(environment, asked):
        return Choice(environment, asked, (), notes)
    toolkit = _toolkit(host, survey, asked)
    if toolkit.hidden is not None:
        raise refuse("hidden", root=toolkit.root)
    missing = missing_of_toolkit(toolkit)
    if missing:
        raise refuse("half-toolkit", root=toolkit.root, names=", ".join(missing))
    for build in builds:
        _check_cudnn(facts, toolkit, build, "windows" if host.platform == "windows" else "linux")
    filled = [one for one in folders(host, toolkit.root) if next(read_folder(host, one), None)]
    return Choice(environment, asked, tuple(filled[:2] if host.platform == "windows" else filled[:1]), notes)


def named(build: FrameworkBuild) -> str:
    return f"{build.package} {build.version}"


def check_line(build: FrameworkBuild, asked: str, cuda: str, own: str, env: str) -> None:
    """Ask for the same major line and no older release: within a line, newer libraries keep what older ones had.

    `cuda` is what the build was made with, `own` the line that is known to serve it.
    """
    wanted = Version(cuda if "." in cuda else f"{cuda}.0")
    if wanted.major != Version(asked).major or Version(asked).release[:2] < wanted.release[:2]:
        told = {"framework": named(build), "cuda": cuda, "asked": asked, "own": own, "env": env}
        raise refuse("line", "line", **told)


def check_driver(facts: Facts, survey: Survey, asked: str, build: FrameworkBuild) -> tuple[Message, ...]:
    system: Platform = "windows" if survey.machine.os in ("windows", "wsl2") else "linux"
    floor, driver = facts.driver_floor(asked, system), survey.machine.driver
    if floor is None:
        raise refuse("unknown-line", "version", asked=asked)
    least = floor.minor_compatible or floor.full
    if driver is None:
        raise refuse("no-driver", "driver", least=least or "-", asked=asked)
    if isinstance(driver, Unknown) or least is None:
        return (Message("cuda.use-driver-unknown", {"least": least or "-"}),)
    if Version(driver) < Version(least):
        raise refuse("old-driver", "driver", driver=driver, least=least, asked=asked, framework=named(build))
    return ()


def _by_wheels(environment: Environment, asked: str) -> bool:
    runtime = (p for p in environment.packages if re.fullmatch(r"nvidia-cuda-runtime(-cu\d+)?", p.name))
    return any(package.version.split(".")[:2] == asked.split(".") for package in runtime)


def _toolkit(host: Host, survey: Survey, asked: str) -> Toolkit:
    copies = () if isinstance(survey.cuda, Unknown) else survey.cuda
    for copy in copies:
        known = isinstance(copy.version, str) and copy.version.split(".")[:2] == asked.split(".")
        toolkit = read_toolkit(host, copy.path) if copy.kind == "toolkit" and known else None
        if toolkit is not None:
            return toolkit
    raise refuse("not-here", asked=asked)


def _check_cudnn(facts: Facts, toolkit: Toolkit, build: FrameworkBuild, system: Platform) -> None:
    if not isinstance(build.cudnn, str):
        rows = [
            b for b in facts.builds(build.framework) if b.version == build.version and b.platform == system
        ]
        wanted = next((b.cudnn for b in rows if b.cudnn), None)
    else:
        wanted = build.cudnn
    if wanted is None:
        return
    told: dict[str, Param] = {"framework": named(build), "root": toolkit.root}
    line = tuple(one for one in toolkit.cudnn if str(one.line) == wanted.split(".", maxsplit=1)[0])
    if not line or missing_parts(line):
        raise refuse("no-cudnn", "cudnn", wanted=wanted, **told)
    version = next((one.version for one in line if isinstance(one.version, str)), None)
    if version and "." in wanted and Version(version).release[:2] < Version(wanted).release[:2]:
        raise refuse("old-cudnn", "cudnn", wanted=wanted, found=version, **told)


def changes_for(choice: Choice, store: Store) -> tuple[Change, ...]:
    """Return what would be written: the file of folders, and the hook where it is not there or is an older one."""
    root = Path(choice.environment.path)
    text = "".join(f"{folder}\n" for folder in choice.folders).encode() if choice.folders else None
    own = file_change(root / hook.CHOSEN, text, store.blobs)
    return store.preview([*files_of_hook(site_packages(root), store), own])


def files_of_hook(site: Path, store: Store) -> list[Change]:
    return [file_change(site / name, text.encode(), store.blobs) for name, text in hook.files().items()]
