"""What every reader of a setting is handed, and the few questions that many of them ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.machine.host import HostError
from trueup.machine.system import read_os
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.keep.tune.model import Asked
    from trueup.machine.host import Host, RegistryValue
    from trueup.machine.model import Os


@dataclass(frozen=True, slots=True)
class Scene:
    host: Host
    os: Os
    asked: Asked

    def key(self, key: str) -> Mapping[str, RegistryValue] | Unknown:
        """Return the values of a key; a key that is not there has none."""
        try:
            return self.host.registry_values(key) or {}
        except HostError as error:
            return Unknown(error.why)

    def value(self, key: str, name: str) -> RegistryValue | Unknown | None:
        """Return one value; names do not heed case."""
        found = self.key(key)
        if isinstance(found, Unknown):
            return found
        return next((value for own, value in found.items() if own.lower() == name.lower()), None)

    def text(self, path: str) -> str | Unknown | None:
        try:
            found = self.host.read_text(path)
        except HostError as error:
            return Unknown(error.why)
        return None if found is None else found.strip()

    def run(self, *argv: str) -> str | Unknown | None:
        """Return what a program prints; None where there is no such program."""
        try:
            done = self.host.run(argv, 10.0)
        except HostError as error:
            return Unknown(error.why)
        if done is None:
            return None
        if done.code != 0:
            text = " ".join((done.err or done.out).split())[:200]
            return Unknown(
                Message("machine.program-failed", {"what": argv[0], "code": done.code, "text": text})
            )
        return done.out.strip()


def scene(host: Host, asked: Asked) -> Scene:
    return Scene(host, read_os(host), asked)
