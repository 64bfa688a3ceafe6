"""The door to the operating system, as a Protocol; nothing else in the house opens another."""

from __future__ import annotations

import ntpath
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from trueup.values import Message

HostPlatform = Literal["windows", "linux", "macos"]
RegistryValue = str | int | tuple[str, ...]
HEAD = 4096  # bytes of a file's beginning: enough for the headers of PE and ELF


class HostError(Exception):
    """A question to the host failed; the thing may or may not be there."""

    def __init__(self, why: Message) -> None:
        super().__init__(why.code, dict(why.params))
        self.why = why


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a program answered. `out` and `err` are decoded, lines end in a line feed."""

    code: int
    out: str
    err: str = ""


class Host(Protocol):
    """Questions to a machine. `None` says that the thing is not there; `HostError` that it could not be asked.

    Paths are texts in the machine's own spelling. Registry keys begin with HKLM or HKCU and are
    read in the 64-bit view.
    """

    @property
    def platform(self) -> HostPlatform: ...

    @property
    def env(self) -> Mapping[str, str]:
        """Environment variables; names are upper case on Windows."""
        ...

    def system(self) -> Mapping[str, str]:
        """`machine` as uname says it, `release`, and `libc`/`libc_version` on Linux where the C library tells."""
        ...

    def read_text(self, path: str) -> str | None: ...

    def read_head(self, path: str) -> bytes | None:
        """Return the first `HEAD` bytes."""
        ...

    def size(self, path: str) -> int | None:
        """Return the size of a file in bytes, None where there is no such file."""
        ...

    def list_dir(self, path: str) -> tuple[str, ...] | None:
        """Return the names in a folder, sorted; None where there is no such folder."""
        ...

    def match(self, path: str, *patterns: str) -> tuple[str, ...] | None:
        """Return the names in a folder that fit one of the patterns (`*`, `?`); case counts where the system says so."""
        ...

    def real_path(self, path: str) -> str:
        """Return the path with symbolic links followed."""
        ...

    def disk_free(self, path: str) -> int:
        """Return free bytes for this user on the volume of a path that may not exist yet."""
        ...

    def run(self, argv: Sequence[str], timeout: float) -> RunResult | None: ...

    def registry_values(self, key: str) -> Mapping[str, RegistryValue] | None: ...

    def registry_keys(self, key: str) -> tuple[str, ...] | None: ...

    def file_version(self, path: str) -> str | None:
        """Return the four-part version of a PE file's resource; None where the file or the resource is not there."""
        ...

    def cpu_features(self) -> tuple[str, ...]:
        """Return what the operating system says of the CPU, in the spelling of /proc/cpuinfo. Windows only."""
        ...

    def memory(self) -> Mapping[str, int]:
        """Return `total`, `available`, `commit_limit` and `commit_free` in bytes. Windows only."""
        ...

    def nvml(self) -> Mapping[str, Any]:
        """Return the raw answers of the NVIDIA management library; see `trueup.machine.nvml`."""
        ...


def path_of(host: Host) -> ModuleType:
    """Return the path module of the host's own spelling, which need not be that of this process."""
    return ntpath if host.platform == "windows" else posixpath
