"""What happened when a framework was imported, beside what its files promised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose import diagnose
from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.say import ok, problem, seen
from trueup.diagnose.findings.scene import nvidia
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene
    from trueup.machine.inventory.live import Live

OS = {"windows": "windows-native", "wsl2": "wsl2", "linux": "linux"}


def live(scene: Scene, answers: tuple[Live, ...], *, expected: bool) -> Iterator[Finding]:
    """Explain each answer. `expected`: the files of the environment in question promised a card."""
    for answer in answers:
        mine = scene.subject is not None and answer.environment == scene.subject.path
        yield from _one(scene, answer, promised=expected and mine)


def _one(scene: Scene, answer: Live, *, promised: bool) -> Iterator[Finding]:
    names = {"framework": answer.framework, "path": answer.environment}
    if answer.outcome == "listed":
        yield ok("live-listed", "framework", **names, devices=", ".join(answer.devices))
        return
    if answer.outcome == "none" and not promised:
        yield ok("live-none-as-told", "framework", **names)
        return
    found = problem(
        f"live-{answer.outcome}", "framework", remedies.build_anew(scene), **names, status=_status(answer)
    )
    yield seen(found, *_means(scene, answer), *_words(answer))


def _status(answer: Live) -> str:
    """Return the exit status; Windows' own codes as everybody writes them."""
    if answer.status is None:
        return "-"
    return f"0x{answer.status & 0xFFFFFFFF:08X}" if abs(answer.status) > 255 else str(answer.status)


def _means(scene: Scene, answer: Live) -> tuple[Message, ...]:
    """Ask the catalog of causes what the printed lines mean."""
    given = {answer.framework: scene.build.version} if scene.build else {}
    answered = diagnose(answer.log, given, OS.get(scene.machine.os, "unknown"))
    refuted = set(_refuted(scene))
    first = next((one.cause for one in answered.causes if one.cause not in refuted), None)
    return (Message("findings.live-means", {"cause": first}),) if first else ()


def _refuted(scene: Scene) -> Iterator[str]:
    """Name causes that a text alone would suggest, and that this machine was seen not to have."""
    if scene.env("CUDA_VISIBLE_DEVICES") is None:
        yield "cuda-visible-devices-hides-gpu"
    if nvidia(scene):
        yield from ("gpu-not-nvidia", "gpu-not-passed-to-container")
    if isinstance(scene.machine.driver, str):
        yield "driver-missing"


def _words(answer: Live) -> tuple[Message, ...]:
    return tuple(Message("findings.live-said", {"line": line}) for line in answer.lines[-3:])
