"""What WSL is on a machine, and the stages on the way to a trueup inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trueup.machine.model import NOT_READ

if TYPE_CHECKING:
    from trueup.values import Message, Source, Unknown

StageName = Literal[
    "windows",  # a build of Windows that can
    "firmware",  # virtualisation switched on in the firmware
    "features",  # the optional component
    "restart",  # which takes effect after a restart
    "hypervisor",  # started with Windows
    "package",  # WSL itself, new enough
    "distro",
    "user",  # of the distro
    "version",  # 2, not 1
    "driver",  # NVIDIA's, of Windows
    "trueup",  # inside
]
StageState = Literal["done", "next", "later", "unknown"]


@dataclass(frozen=True, slots=True)
class Distro:
    """A distribution. `uid`: of the user that it starts with, 0 is root; `running` None: not told."""

    name: str
    version: int
    default: bool = False
    uid: int | Unknown = NOT_READ
    running: bool | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A known error code in what `wsl.exe` said. `line` is its own, never translated."""

    name: str
    code: str
    line: str
    source: Source


@dataclass(frozen=True, slots=True)
class Reading:
    """WSL as Windows sees it. `wsl` is its version: None where it is the one that came with Windows, or none."""

    build: int | Unknown
    firmware: bool | Unknown
    hypervisor: bool | Unknown
    platform: bool | Unknown  # the component VirtualMachinePlatform
    restart: bool | Unknown  # Windows waits for one
    present: bool | Unknown  # wsl.exe is there
    wsl: str | Unknown | None
    kernel: str | Unknown | None
    distros: tuple[Distro, ...] | Unknown
    driver: str | Unknown | None
    trueup: str | Unknown | None = None  # version inside the distro; None: it is not there
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done. `commands` are for a terminal; `argv` is what trueup itself can start."""

    text: Message
    commands: tuple[str, ...] = ()
    admin: bool = False
    restart: bool = False
    argv: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    name: StageName
    state: StageState
    now: Message  # what was found
    step: Step | None = None


@dataclass(frozen=True, slots=True)
class Needs:
    """The least that WSL2 with CUDA needs, from the facts."""

    build: int
    kernel: str
    driver: str


@dataclass(frozen=True, slots=True)
class Wish:
    """`distro` None: the default one. `root`: trueup may run as root inside. `source`: where trueup can be had."""

    distro: str | None = None
    root: bool = False
    source: str | None = None
