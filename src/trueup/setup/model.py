"""What a set-up works on: environments, and what is found in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Device = Literal["gpu", "cpu", "directml"]
StateName = Literal["missing", "foreign", "building", "complete", "changed"]
ChangeKind = Literal[
    "added", "removed", "replaced", "files-missing", "files-added", "files-edited", "python-gone"
]


@dataclass(frozen=True, slots=True)
class Record:
    """What `trueup.json` of a finished environment says.

    `alignment` and `proof` are JSON. `proof` is None until a training in it passed.
    """

    trueup: str
    made: str
    request_id: str | None
    lock_sha256: str
    device: Device
    python: str
    alignment: Mapping[str, Any]
    fingerprint: Mapping[str, Any]
    proof: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Environment:
    """A finished environment. `path` is absolute, `python` its interpreter."""

    path: Path
    python: Path
    record: Record


@dataclass(frozen=True, slots=True)
class EnvChange:
    """One thing that was changed by hand. `what` is a package or a path; versions where there are any."""

    kind: ChangeKind
    what: str
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class State:
    """What is in the folder of an environment.

    missing: nothing there. foreign: something that trueup did not make. building: an interrupted
    build of ours, nothing finished. complete: as it was built. changed: built by us and changed since.
    """

    name: StateName
    path: Path
    environment: Environment | None = None
    changes: tuple[EnvChange, ...] = ()
