"""Reads a pylock.toml (PEP 751) and takes it only if every file in it can be trusted and used by the target."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from packaging.pylock import Pylock, PylockValidationError
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from trueup.plan.lock import Artifact, Lock, Locked
from trueup.setup.errors import SetupError
from trueup.setup.tags import rank
from trueup.setup.toml import loads

if TYPE_CHECKING:
    from trueup.plan.request import LockRequest

SHA256: Final = re.compile(r"[0-9a-f]{64}")
ELSEWHERE: Final = ("vcs", "directory", "archive")  # sources that no hash of a published file covers


def read_lock(text: str, question: LockRequest) -> Lock:
    """Return the checked lock. Raises SetupError `bad-lock` or `no-wheel`."""
    document = _document(text)
    packages = tuple(_locked(entry, question) for entry in document["packages"])
    _check_answers(packages, question)
    tool = document.get("tool", {}).get("trueup", {})
    return Lock(text, hashlib.sha256(text.encode()).hexdigest(), tool.get("request"), packages)


def _document(text: str) -> dict[str, Any]:
    try:
        document: dict[str, Any] = loads(text)
        Pylock.from_dict(document)
    except (ValueError, PylockValidationError) as error:
        raise SetupError("bad-lock", quote=str(error), what="pylock.toml") from error
    return document


def _locked(entry: dict[str, Any], question: LockRequest) -> Locked:
    name, version = entry["name"], entry.get("version")
    if not version or any(key in entry for key in ELSEWHERE):
        raise SetupError(
            "bad-lock", what=name, quote=f"{name}: {', '.join(k for k in ELSEWHERE if k in entry)}"
        )
    ranked = [
        (place, wheel)
        for wheel in entry.get("wheels", ())
        if (place := rank(_filename(wheel), question)) is not None
    ]
    if ranked:
        best = min(ranked, key=lambda pair: pair[0])[1]
        hashes = tuple(_artifact(name, wheel).sha256 for _, wheel in ranked)
        return Locked(name, version, _artifact(name, best), hashes)
    if "sdist" in entry and canonicalize_name(name) in question.sdists:
        source = _artifact(name, entry["sdist"])
        return Locked(name, version, source, (source.sha256,))
    raise SetupError(
        "no-wheel", what=f"{name}=={version}", quote="\n".join(map(_filename, entry.get("wheels", ())))
    )


def _filename(file: dict[str, Any]) -> str:
    return file.get("name") or unquote(urlsplit(file.get("url") or file["path"]).path).rpartition("/")[2]


def _artifact(name: str, file: dict[str, Any]) -> Artifact:
    sha256 = file.get("hashes", {}).get("sha256", "")
    if not SHA256.fullmatch(sha256):
        raise SetupError("bad-lock", what=name, quote=f"{_filename(file)}: sha256?")
    return Artifact(_filename(file), file.get("url") or file["path"], sha256, file.get("size"))


def _check_answers(packages: tuple[Locked, ...], question: LockRequest) -> None:
    """Every requirement of the question must be met by the lock: it may be an old file or another machine's."""
    versions = {canonicalize_name(p.name): Version(p.version) for p in packages}
    for text in question.requirements:
        requirement = Requirement(text)
        found = versions.get(canonicalize_name(requirement.name))
        if requirement.marker is None and (
            found is None or not requirement.specifier.contains(found, prereleases=True)
        ):
            raise SetupError("bad-lock", what=text, quote=f"{requirement.name}=={found or '?'}")
