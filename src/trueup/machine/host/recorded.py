"""A machine in a file: `Recording` writes down what a host answered, `RecordedHost` answers the same again."""

from __future__ import annotations

import base64
import json
import ntpath
import posixpath
import threading
from typing import TYPE_CHECKING, Any, TypeVar, cast

from trueup.machine.environment import kept
from trueup.machine.host.base import HostError, RunResult
from trueup.machine.host.shapes import fits
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trueup.machine.host.base import Host, HostPlatform, RegistryValue

T = TypeVar("T")
SCHEMA = "trueup.machine/1"


class Recording:
    """A host that passes every question on and keeps the answers.

    `folder`: the environment that is asked about; `named`: the user named it, it goes before an active one.
    """

    def __init__(self, host: Host, folder: str | None = None, *, named: bool = False) -> None:
        self._host = host
        self._folder = folder
        self._named = named
        self._answers: dict[str, Any] = {}
        self._lock = threading.Lock()

    @property
    def platform(self) -> HostPlatform:
        return self._host.platform

    @property
    def env(self) -> Mapping[str, str]:
        return self._host.env

    def system(self) -> Mapping[str, str]:
        return self._keep(("system",), self._host.system)

    def read_text(self, path: str) -> str | None:
        return self._keep(("read_text", path), lambda: self._host.read_text(path))

    def read_head(self, path: str) -> bytes | None:
        return self._keep(("read_head", path), lambda: self._host.read_head(path))

    def size(self, path: str) -> int | None:
        return self._keep(("size", path), lambda: self._host.size(path))

    def list_dir(self, path: str) -> tuple[str, ...] | None:
        return self._keep(("list_dir", path), lambda: self._host.list_dir(path))

    def match(self, path: str, *patterns: str) -> tuple[str, ...] | None:
        return self._keep(("match", path, *patterns), lambda: self._host.match(path, *patterns))

    def real_path(self, path: str) -> str:
        return self._keep(("real_path", path), lambda: self._host.real_path(path))

    def disk_free(self, path: str) -> int:
        return self._keep(("disk_free", path), lambda: self._host.disk_free(path))

    def run(self, argv: Sequence[str], timeout: float) -> RunResult | None:
        return self._keep(("run", *argv), lambda: self._host.run(argv, timeout))

    def registry_values(self, key: str) -> Mapping[str, RegistryValue] | None:
        return self._keep(("registry_values", key), lambda: self._host.registry_values(key))

    def registry_keys(self, key: str) -> tuple[str, ...] | None:
        return self._keep(("registry_keys", key), lambda: self._host.registry_keys(key))

    def file_version(self, path: str) -> str | None:
        return self._keep(("file_version", path), lambda: self._host.file_version(path))

    def cpu_features(self) -> tuple[str, ...]:
        return self._keep(("cpu_features",), self._host.cpu_features)

    def memory(self) -> Mapping[str, int]:
        return self._keep(("memory",), self._host.memory)

    def nvml(self) -> Mapping[str, Any]:
        return self._keep(("nvml",), self._host.nvml)

    def _keep(self, question: tuple[str, ...], ask: Callable[[], T]) -> T:
        try:
            answer = ask()
        except HostError as error:
            self._write(question, {"error": [error.why.code, dict(error.why.params)]})
            raise
        self._write(question, {"is": _to_json(answer)})
        return answer

    def _write(self, question: tuple[str, ...], answer: Mapping[str, Any]) -> None:
        with self._lock:
            self._answers[json.dumps(question, ensure_ascii=False)] = answer

    def document(self) -> dict[str, Any]:
        """Return everything that was asked and answered, for a JSON file."""
        with self._lock:
            answers = [{"ask": json.loads(key), **value} for key, value in sorted(self._answers.items())]
        env = {name: value for name, value in sorted(self.env.items()) if kept(name)}
        about: dict[str, Any] = {"folder": self._folder} if self._folder else {}
        about |= {"named": True} if self._named and self._folder else {}
        return {"schema": SCHEMA, "platform": self.platform, **about, "env": env, "answers": answers}


class RecordedHost:
    """A machine from a recording. What was not asked then is unknown now."""

    def __init__(self, document: Any) -> None:
        found = document.get("schema") if isinstance(document, dict) else None
        if found != SCHEMA:
            params = {"expected": SCHEMA, "found": str(found)}
            raise TrueupError(Message("machine.not-a-recording", params), Message("machine.recording-from"))
        self._document: Mapping[str, Any] = document
        if document.get("platform") not in ("windows", "linux", "macos"):
            raise _malformed("platform", "windows, linux, macos")
        if not _are_texts(document.get("env")):
            raise _malformed("env", "{name: text}")
        if not isinstance(document.get("folder", ""), str):
            raise _malformed("folder", "text")
        if not isinstance(document.get("named", False), bool):
            raise _malformed("named", "true, false")
        answers = document.get("answers")
        if not isinstance(answers, list) or not all(map(_is_answer, answers)):
            raise _malformed("answers", '[{"ask": [text, ...], "is": ...}, ...]')
        self._answers = {self._key(*row["ask"]): row for row in answers}

    @property
    def platform(self) -> HostPlatform:
        return cast("HostPlatform", self._document["platform"])

    @property
    def folder(self) -> str | None:
        """Return the environment that the recording was made for."""
        return self._document.get("folder")

    @property
    def named(self) -> bool:
        """Tell whether that environment was asked for by name, not only the one that would be looked for."""
        return bool(self._document.get("named")) and self.folder is not None

    @property
    def env(self) -> Mapping[str, str]:
        return cast("Mapping[str, str]", self._document["env"])

    def system(self) -> Mapping[str, str]:
        return cast("Mapping[str, str]", self._answer("system"))

    def read_text(self, path: str) -> str | None:
        return cast("str | None", self._answer("read_text", path))

    def read_head(self, path: str) -> bytes | None:
        answer = self._answer("read_head", path)
        return None if answer is None else base64.b64decode(answer)

    def size(self, path: str) -> int | None:
        return cast("int | None", self._answer("size", path))

    def list_dir(self, path: str) -> tuple[str, ...] | None:
        answer = self._answer("list_dir", path)
        return None if answer is None else tuple(answer)

    def match(self, path: str, *patterns: str) -> tuple[str, ...] | None:
        answer = self._answer("match", path, *patterns)
        return None if answer is None else tuple(answer)

    def real_path(self, path: str) -> str:
        return str(self._answer("real_path", path))

    def disk_free(self, path: str) -> int:
        return int(self._answer("disk_free", path))

    def run(self, argv: Sequence[str], timeout: float) -> RunResult | None:  # noqa: ARG002
        answer = self._answer("run", *argv)
        return None if answer is None else RunResult(**answer)

    def registry_values(self, key: str) -> Mapping[str, RegistryValue] | None:
        answer = self._answer("registry_values", key)
        if answer is None:
            return None
        return {name: tuple(value) if isinstance(value, list) else value for name, value in answer.items()}

    def registry_keys(self, key: str) -> tuple[str, ...] | None:
        answer = self._answer("registry_keys", key)
        return None if answer is None else tuple(answer)

    def file_version(self, path: str) -> str | None:
        return cast("str | None", self._answer("file_version", path))

    def cpu_features(self) -> tuple[str, ...]:
        return tuple(self._answer("cpu_features"))

    def memory(self) -> Mapping[str, int]:
        return cast("Mapping[str, int]", self._answer("memory"))

    def nvml(self) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", self._answer("nvml"))

    def _key(self, *question: str) -> tuple[str, ...]:
        return (question[0], *(self._normal(part) for part in question[1:]))

    def _normal(self, text: str) -> str:
        return (
            ntpath.normcase(ntpath.normpath(text)) if self.platform == "windows" else posixpath.normpath(text)
        )

    def _answer(self, *question: str) -> Any:
        row = self._answers.get(self._key(*question))
        if row is None:
            raise HostError(Message("machine.not-recorded", {"what": " ".join(question)}))
        if "error" in row:
            code, params = row["error"]
            raise HostError(Message(code, params))
        if not fits(question[0], row["is"]):
            raise HostError(Message("machine.recorded-nonsense", {"what": " ".join(question)}))
        return row["is"]


def _malformed(key: str, expected: str) -> TrueupError:
    params = {"key": key, "expected": expected}
    return TrueupError(Message("machine.malformed-recording", params), Message("machine.recording-from"))


def _are_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _is_answer(row: Any) -> bool:
    ask = row.get("ask") if isinstance(row, dict) else None
    asked = isinstance(ask, list) and bool(ask) and all(isinstance(part, str) for part in ask)
    error = row.get("error", ["", {}]) if isinstance(row, dict) else None
    return asked and ("is" in row or "error" in row) and isinstance(error, list) and len(error) == 2


def _to_json(answer: Any) -> Any:
    if isinstance(answer, bytes):
        return base64.b64encode(answer).decode("ascii")
    if isinstance(answer, RunResult):
        return {"code": answer.code, "out": answer.out, "err": answer.err}
    return answer
