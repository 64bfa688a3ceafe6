"""Tries mirrors: does it answer, how fast, does it give the true file, does it have what GPU builds need."""

from __future__ import annotations

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from trueup.facts.harvest.client import Client
from trueup.facts.harvest.index import Index
from trueup.facts.harvest.refuse import Refused
from trueup.setup.logins import login_for
from trueup.setup.mirrors import needed, probe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trueup.facts.harvest.index import IndexFile
    from trueup.setup.mirrors import Mirror, Probe

AT_ONCE: Final = 8
SECONDS: Final = 12.0
State = Literal["good", "partial", "lies", "broken", "unreachable", "no-index"]


@dataclass(frozen=True, slots=True)
class Tried:
    """What a trial found. `seconds` to the first listing; `speed` in bytes a second; None where it did not come to that.

    `detail` quotes what went wrong; `lacks` names needed files that its listing does not have.
    """

    mirror: Mirror
    state: State
    seconds: float | None = None
    speed: float | None = None
    lacks: tuple[str, ...] = ()
    detail: str = ""


def attempt(mirrors: Sequence[Mirror], env: Mapping[str, str], *, seconds: float = SECONDS) -> list[Tried]:
    """Try all at once, each bounded in time; the fastest good ones first."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda mirror: one(mirror, env, seconds=seconds), mirrors))
    order = {"good": 0, "partial": 1}
    return sorted(found, key=lambda tried: (order.get(tried.state, 2), -(tried.speed or 0.0)))


def one(mirror: Mirror, env: Mapping[str, str], *, seconds: float = SECONDS) -> Tried:
    """Try one mirror; it fetches one file of some MB and, by its listings, asks for the needed ones."""
    if mirror.index is None:
        return Tried(mirror, "no-index")
    client = Client(login_for(mirror.index, env) or mirror.index, seconds, env)
    index = Index(mirror.index, client)
    wanted = probe()
    start = time.monotonic()
    try:
        listed = index.wheels(wanted.project)
        answered = time.monotonic() - start
        file = next((file for file in listed if file.name == wanted.file), None)
        if file is None:
            return Tried(mirror, "broken" if not listed else "partial", answered, None, (wanted.file,))
        return _judged(mirror, client, index, file, wanted, answered)
    except Refused as refused:
        return Tried(mirror, "unreachable", detail=_told(refused))


def _judged(  # noqa: PLR0917  # what one trial knows
    mirror: Mirror, client: Client, index: Index, file: IndexFile, wanted: Probe, answered: float
) -> Tried:
    start = time.monotonic()
    total = hashlib.sha256()
    with client.get(file.address, {}) as answer:
        for piece in client.chunks(answer, file.address, wanted.bytes * 2):
            total.update(piece)
    took = max(time.monotonic() - start, 1e-3)
    if total.hexdigest() != wanted.sha256:
        told = f"{wanted.file}: sha256 {total.hexdigest()}"
        return Tried(mirror, "lies", answered, None, (), told)
    if file.sha256 and file.sha256 != wanted.sha256:
        return Tried(mirror, "lies", answered, None, (), f"{wanted.file}: listed as {file.sha256}")
    lacks = tuple(_lacking(index))
    return Tried(mirror, "partial" if lacks else "good", answered, wanted.bytes / took, lacks)


def _lacking(index: Index) -> Iterator[str]:
    for project, name in needed():
        try:
            listed = index.wheels(project)
        except Refused as refused:
            if refused.reason != "no-project":
                raise
            listed = ()
        if not any(file.name == name for file in listed):
            yield name


def _told(refused: Refused) -> str:
    return str(refused.message.params.get("detail", refused.reason))
