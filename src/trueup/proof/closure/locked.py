"""The files of a lock, known from the wheels' own directories: nothing is installed, little is fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.facts.harvest.ranges import open_remote
from trueup.facts.harvest.wheel import installed, open_wheel
from trueup.proof.closure.collect import BINARY
from trueup.proof.closure.model import File

if TYPE_CHECKING:
    from trueup.facts.harvest.client import Client
    from trueup.plan.lock import Lock


def locked(lock: Lock, client: Client) -> tuple[File, ...]:
    """Return the binaries that a lock would install, by name and size.

    Reads the end of each wheel (some 100 KB) where the server does ranges, else all of it. Raises Refused.
    """
    found: list[File] = []
    for artifact in (package.artifact for package in lock.packages):
        if not artifact.filename.endswith(".whl"):
            continue
        opened = open_remote(client, artifact.url)
        with open_wheel(opened.file, artifact.filename, artifact.sha256, whole=opened.whole) as wheel:
            found += [File(installed(m.name), m.size) for m in wheel.members if BINARY.fullmatch(m.name)]
    return tuple(found)
