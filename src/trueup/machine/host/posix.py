"""Linux, inside WSL too, and what of macOS is the same."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    raise ImportError("this host is for all but Windows")

import os
import platform
from typing import TYPE_CHECKING

from trueup.machine.host.base import HostError
from trueup.machine.host.local import LocalFiles, this_environment
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.machine.host.base import HostPlatform, RegistryValue


class LinuxHost(LocalFiles):
    """This machine, where it is not Windows."""

    def __init__(self) -> None:
        self._env = this_environment()

    @property
    def platform(self) -> HostPlatform:
        return "macos" if sys.platform == "darwin" else "linux"

    @property
    def env(self) -> Mapping[str, str]:
        return self._env

    def system(self) -> Mapping[str, str]:
        answer = {"machine": platform.machine(), "release": platform.release()}
        try:
            name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
        except (ValueError, OSError, AttributeError):  # musl and macOS do not know the question
            return answer
        return answer | ({"libc": name, "libc_version": version} if version else {})

    def registry_values(self, key: str) -> Mapping[str, RegistryValue] | None:  # noqa: ARG002
        return None

    def registry_keys(self, key: str) -> tuple[str, ...] | None:  # noqa: ARG002
        return None

    def file_version(self, path: str) -> str | None:
        raise HostError(Message("machine.not-on-this-system", {"what": path}))

    def cpu_features(self) -> tuple[str, ...]:
        raise HostError(Message("machine.not-on-this-system", {"what": "IsProcessorFeaturePresent"}))

    def memory(self) -> Mapping[str, int]:
        raise HostError(Message("machine.not-on-this-system", {"what": "GlobalMemoryStatusEx"}))
