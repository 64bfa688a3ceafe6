"""A fault that is made on purpose: where, how, with what program, and what is truly wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from bench import Bench

System = Literal["linux", "windows-native"]
Change = Callable[["Bench"], AbstractContextManager[None]]
HARMLESS = "harmless-warnings-only"

GPUS = "import tensorflow as tf\nprint('TensorFlow', tf.__version__)\nprint(tf.config.list_physical_devices('GPU'))\n"


@dataclass(frozen=True)
class Place:
    """An environment as uv builds it. `steps` are lists of requirements, installed one after the other."""

    name: str
    python: str
    steps: tuple[tuple[str, ...], ...]
    framework: str  # the distribution whose version is stated
    system: System = "linux"


@dataclass(frozen=True)
class Fault:
    """`truth`: the cause that must come first, then others that are as true; HARMLESS where nothing is wrong.

    `program` is what the user's `train.py` holds, or, with `command`, nothing. In `variables` and `command`
    the names of `Bench.names` stand in braces. `given` replaces or (with "") removes what is stated by default.
    """

    name: str
    place: Place
    truth: tuple[str, ...]
    made: str
    program: str = GPUS
    changes: tuple[Change, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)
    seconds: int = 240


@dataclass(frozen=True)
class Record:
    """What came of a fault, as files in its folder."""

    folder: Path
    log: str
    code: int
