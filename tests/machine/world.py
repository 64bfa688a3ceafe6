"""A host made of data: a closed world, in which what is not written down does not exist."""

from __future__ import annotations

import fnmatch
import json
import ntpath
import posixpath
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from trueup.machine.host import HostError, HostPlatform, RegistryValue, RunResult
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NO_NVML = {"error": {"code": 12, "text": "NVML Shared Library Not Found"}}
MERGED = ("env", "files", "links", "versions", "registry", "runs", "packages")
BASES = Path(__file__).parent.parent / "check" / "bases"
MACHINES = {"<pe64>": 0x8664, "<pe32>": 0x14C}


def load(path: Path) -> World:
    """Return the world of a file; `base` names another that it changes."""
    return World(_merged(path))


def _merged(path: Path) -> dict[str, Any]:
    own: dict[str, Any] = json.loads(path.read_text("utf-8"))
    if "base" not in own:
        return own
    base = _merged(BASES / f"{own['base']}.json")
    for key, value in own.items():
        base[key] = {**base.get(key, {}), **value} if key in MERGED else value
    return base


class World:
    """Answers from `data`; see the files in `tests/check/bases` for its keys."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self._files = {
            self._key(path): text for path, text in data.get("files", {}).items() if text is not None
        }
        for place, names in data.get("packages", {}).items():
            for name in names or ():
                self._files.setdefault(
                    self._key(f"{place}/{name}.dist-info/METADATA"), "Metadata-Version: 2.1\n"
                )
        for path, version in data.get("versions", {}).items():
            if version is not None:
                self._files.setdefault(self._key(path), "")
        self._folders: dict[str, set[str]] = {}
        for path in self._files:
            self._add(path)
        self._registry = {
            key.lower(): value for key, value in data.get("registry", {}).items() if value is not None
        }

    @property
    def platform(self) -> HostPlatform:
        return cast("HostPlatform", self.data["platform"])

    @property
    def env(self) -> Mapping[str, str]:
        return {name: value for name, value in self.data["env"].items() if value is not None}

    def system(self) -> Mapping[str, str]:
        return cast("Mapping[str, str]", self.data["system"])

    def read_text(self, path: str) -> str | None:
        self._check(path)
        return cast("str | None", self._files.get(self._key(path)))

    def read_head(self, path: str) -> bytes | None:
        text = self._files.get(self._key(path))
        return None if text is None else head(text)

    def size(self, path: str) -> int | None:
        self._check(path)
        text = self._files.get(self._key(path))
        return None if text is None else len(text)

    def list_dir(self, path: str) -> tuple[str, ...] | None:
        self._check(path)
        names = self._folders.get(self._key(path))
        return None if names is None else tuple(sorted(names))

    def match(self, path: str, *patterns: str) -> tuple[str, ...] | None:
        names = self.list_dir(path)
        if names is None:
            return None
        asked = [one.lower() for one in patterns] if self.platform == "windows" else patterns
        return tuple(n for n in names if any(fnmatch.fnmatchcase(n, one) for one in asked))

    def real_path(self, path: str) -> str:
        links: Mapping[str, str] = self.data.get("links", {})
        return links.get(path, path)

    def disk_free(self, path: str) -> int:  # noqa: ARG002
        return int(self.data.get("disk", 200e9))

    def run(self, argv: Sequence[str], timeout: float) -> RunResult | None:  # noqa: ARG002
        answer = self.data.get("runs", {}).get(" ".join(argv))
        return None if answer is None else RunResult(**answer)

    def registry_values(self, key: str) -> Mapping[str, RegistryValue] | None:
        found = self._registry.get(key.lower())
        if found is None:
            return {} if self.registry_keys(key) else None
        return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}

    def registry_keys(self, key: str) -> tuple[str, ...] | None:
        start = key.lower() + "\\"
        below = [name for name, value in self.data.get("registry", {}).items() if value is not None]
        found = {name[len(start) :].split("\\")[0] for name in below if name.lower().startswith(start)}
        return tuple(sorted(found)) if found or key.lower() in self._registry else None

    def file_version(self, path: str) -> str | None:
        wanted = self._key(path)
        versions: Mapping[str, str] = self.data.get("versions", {})
        return next((version for name, version in versions.items() if self._key(name) == wanted), None)

    def cpu_features(self) -> tuple[str, ...]:
        return tuple(self.data.get("cpu", ("sse2", "avx", "avx2")))

    def memory(self) -> Mapping[str, int]:
        if "memory" not in self.data:
            raise HostError(Message("machine.not-read"))
        return cast("Mapping[str, int]", self.data["memory"])

    def nvml(self) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", self.data.get("nvml", NO_NVML))

    def _key(self, path: str) -> str:
        if self.platform == "windows":
            return ntpath.normpath(path).lower()
        return posixpath.normpath(path)

    def _add(self, path: str) -> None:
        paths = ntpath if self.platform == "windows" else posixpath
        while (parent := paths.dirname(path)) != path:
            self._folders.setdefault(parent, set()).add(paths.basename(path))
            path = parent

    def _check(self, path: str) -> None:
        if path in self.data.get("closed", ()):
            raise HostError(Message("machine.unreadable", {"path": path, "text": "Permission denied"}))


def head(text: str) -> bytes:
    """Return the bytes of a file; `<pe64>` and `<pe32>` stand for the headers of a program."""
    if text in MACHINES:
        return b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", MACHINES[text])
    return text.encode()
