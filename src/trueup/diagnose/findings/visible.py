"""CUDA_VISIBLE_DEVICES: which cards it leaves, and whether one of them serves what is installed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.version import Version

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.say import problem, unknown
from trueup.diagnose.findings.scene import nvidia
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene
    from trueup.machine.model import Gpu

NAME = "CUDA_VISIBLE_DEVICES"


def visible(scene: Scene) -> Iterator[Finding]:
    environment = dict(scene.machine.environment)
    value, cards = environment.get(NAME), nvidia(scene)
    if value is None or not cards:
        return
    mend = remedies.say("visible-fix", remedies.unset(scene, NAME))
    left = shown(value, cards, by_bus=environment.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID")
    if left is None:
        yield unknown("visible-unknown", "card", Message("findings.visible-unknown-why"), value=value)
    elif not left:
        yield problem("cuda-visible-devices-hides-gpu", "settings", mend, value=value, count=len(cards))
    elif len(left) < len(cards) and _serves(scene, cards) and not _serves(scene, left):
        names = ", ".join(gpu.name for gpu in left)
        yield problem("visible-card-does-not-fit", "settings", mend, value=value, names=names)


def _serves(scene: Scene, cards: tuple[Gpu, ...]) -> bool:
    answer = scene.with_cards(cards) if scene.wants_cuda else None
    return answer is None or answer.status == "gpu"


def shown(value: str, cards: tuple[Gpu, ...], *, by_bus: bool) -> tuple[Gpu, ...] | None:
    """Return the cards that are left; None where it cannot be told. CUDA stops at the first that it does not find."""
    order = cards if by_bus else fastest_first(cards)
    left: list[Gpu] = []
    for entry in (part.strip() for part in value.split(",")):
        if re.match(r"(GPU|MIG)-", entry, re.IGNORECASE):
            named = _by_uuid(entry, cards)
            if named is None:
                return None
            if not named:
                break
            left += named
        elif not entry.isdigit() or int(entry) >= len(cards):
            break
        elif order is None:
            return None
        else:
            left.append(order[int(entry)])
    return tuple(left)


def fastest_first(cards: tuple[Gpu, ...]) -> tuple[Gpu, ...] | None:
    """Return CUDA's own order where it is sure: one card, two of which one is stronger, or all alike."""
    kinds = {gpu.name for gpu in cards}
    if len(kinds) == 1:
        return cards
    numbers = [Version(gpu.capability) for gpu in cards if isinstance(gpu.capability, str)]
    if len(cards) != 2 or len(set(numbers)) != 2:
        return None
    return tuple(
        gpu for _, gpu in sorted(zip(numbers, cards, strict=True), key=lambda pair: pair[0], reverse=True)
    )


def _by_uuid(entry: str, cards: tuple[Gpu, ...]) -> list[Gpu] | None:
    """Return the card of an id, which may be shortened; MIG slices have ids that are not read."""
    if entry.upper().startswith("MIG-") or any(gpu.uuid is None for gpu in cards):
        return None
    return [gpu for gpu in cards if (gpu.uuid or "").lower().startswith(entry.lower())]
