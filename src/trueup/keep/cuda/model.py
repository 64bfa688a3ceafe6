"""What an examination of a toolkit looks at, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.facts import Facts
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import CudaCopy, Environment
    from trueup.values import Param

Level = Literal["problem", "notice", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` is the cause; `command` what to type, where one line does it. `admin`: it needs an administrator."""

    code: str
    level: Level
    text: Message
    remedy: Message
    command: str | None = None
    admin: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What the examination of one toolkit may look at. `imports` reads a file's import table."""

    host: Host
    facts: Facts
    machine: tuple[CudaCopy, ...]
    environments: tuple[Environment, ...] = ()
    imports: Callable[[str], tuple[str, ...] | None] | None = None


def finding(code: str, level: Level, **params: Param) -> Finding:
    told = Message(f"cuda.found-{code}", params)
    return Finding(code, level, told, Message(f"cuda.mend-{code}", params))


def release(version: str) -> tuple[str, ...]:
    return tuple(version.split(".")[:2])


def three(version: str) -> tuple[str, ...]:
    """Return what counts of a cuDNN's version: a header has no fourth number."""
    return tuple(version.split(".")[:3])
