"""What the history keeps of one check, build or proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from trueup.values import Message

Kind = Literal["check", "build", "proof"]
# "layer/name" -> text, list of texts, None (not there) or {"unknown": code}
Facts = Mapping[str, Any]
# causal order: what makes later changes meaningless comes first
LAYERS = (
    "card", "system", "driver", "wsl", "python", "framework", "packages", "cuda", "path", "variables", "settings",
)  # fmt: skip


class Reach(IntEnum):
    """How far it went: a trained or aligned card counts as worked."""

    NO = 0
    CPU = 1
    CARD = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """`first` and `last` are seconds since 1970, UTC: equal answers in a row are one entry, `times` counts them.

    `machine` and `env` are keys, not names; `place` is the environment's folder, redacted. `facts` is None where
    they can no longer be read. `ident` is 0 before the entry is kept.
    """

    kind: Kind
    verdict: str
    reach: Reach
    framework: str
    machine: str
    env: str
    place: str
    facts: Facts | None
    cause: str | None = None
    numbers: Mapping[str, Any] = field(default_factory=dict)
    first: int = 0
    last: int = 0
    times: int = 1
    ident: int = 0

    @property
    def where(self) -> tuple[str, str, str]:
        return self.machine, self.env, self.framework


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `before` and `after` as they were kept; None: not there."""

    layer: str
    name: str
    kind: Literal["new", "gone", "changed", "order", "unread"]
    before: Any
    after: Any
    text: Message
