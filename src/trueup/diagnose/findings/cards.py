"""The card and its driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose.findings import partition, remedies, visible
from trueup.diagnose.findings.say import harmless, notice, ok, problem, seen, unknown
from trueup.diagnose.findings.scene import nvidia
from trueup.machine import nvml
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene
    from trueup.machine.model import Gpu


def cards(scene: Scene) -> Iterator[Finding]:
    gpus = scene.machine.gpus
    if isinstance(gpus, Unknown):
        yield unknown("cards-unknown", "card", gpus.why)
        return
    if not gpus:
        yield problem("no-card", "card", remedies.build_anew(scene))
        return
    for gpu in gpus:
        yield _card(gpu)
    yield from _unlisted(scene)
    yield from partition.partitioned(scene)
    if not nvidia(scene) and scene.build is not None and scene.build.other is not None:
        names = ", ".join(gpu.name for gpu in gpus)
        why = Message("findings.only-cuda-is-judged")
        yield unknown("card-of-other-maker", "card", why, names=names, other=scene.build.other)
    elif not nvidia(scene):
        yield _not_nvidia(scene, gpus)
    if scene.survey.cards.failure is not None and scene.survey.cards.failure.code == nvml.GPU_IS_LOST:
        said = Message("findings.driver-says", {"text": scene.survey.cards.failure.text})
        yield seen(problem("gpu-lost", "card", remedies.say("gpu-lost-fix", restart=True)), said)


def _unlisted(scene: Scene) -> Iterator[Finding]:
    """Name cards that the system knows and the driver, which answers, does not list."""
    names = ", ".join(gpu.name for gpu in scene.survey.cards.unlisted)
    if names and scene.windows:
        mend = remedies.say("card-not-listed-fix", "devmgmt.msc", admin=True)
        yield problem("card-not-listed", "card", mend, names=names)
    elif names:
        mend = remedies.say("card-not-bound-fix", "lspci -nnk -d 10de:", admin=True)
        yield problem("card-not-listed", "card", mend, names=names)


def _card(gpu: Gpu) -> Finding:
    if gpu.vendor not in ("nvidia", "unknown"):
        return ok("card-other", "card", name=gpu.name)
    if isinstance(gpu.capability, Unknown):
        return ok("card-by-name", "card", name=gpu.name)
    if isinstance(gpu.memory_mb, Unknown):
        return ok("card-capability", "card", name=gpu.name, capability=gpu.capability)
    memory = f"{gpu.memory_mb / 1024:.1f}"
    return ok("card", "card", name=gpu.name, capability=gpu.capability, memory=memory)


def _not_nvidia(scene: Scene, gpus: tuple[Gpu, ...]) -> Finding:
    names = ", ".join(gpu.name for gpu in gpus)
    best = scene.solution.best
    if best is not None and best.route == "directml" and not best.changes and not scene.wants_cuda:
        return notice("gpu-by-directml", "card", remedies.build_anew(scene), names=names)
    return problem("gpu-not-nvidia", "card", remedies.build_anew(scene), names=names)


def driver(scene: Scene) -> Iterator[Finding]:
    """Look at the driver where an NVIDIA card is there, or none could be listed."""
    if not nvidia(scene) and not isinstance(scene.machine.gpus, Unknown):
        return
    failure, version = scene.survey.cards.failure, scene.machine.driver
    if failure is not None and (found := _failed(scene, failure.code, failure.text)):
        yield found
    elif version is None:
        yield _missing(scene)
    elif isinstance(version, Unknown):
        yield unknown("driver-unknown", "driver", version.why)
    elif (lacking := _without_cuda(scene)) is not None:
        yield lacking
    elif failure is not None and failure.code not in (0, nvml.GPU_IS_LOST):
        said = Message("machine.nvml-said", {"text": failure.text, "code": failure.code})
        yield unknown("driver-silent", "driver", said, version=version)
    else:
        yield _working(scene, version)
        if scene.windows:
            yield harmless("driver-edition", "driver")


def _failed(scene: Scene, code: int, text: str) -> Finding | None:
    settings = scene.survey.settings
    nouveau = not isinstance(settings, Unknown) and settings.nouveau
    found = None
    if code == nvml.LIB_RM_VERSION_MISMATCH:
        mend = remedies.say("mismatch-fix", "sudo reboot", admin=True)
        loaded = scene.survey.cards.module or "?"
        found = problem("driver-userspace-kernel-mismatch", "driver", mend, module=loaded)
    elif code == nvml.DRIVER_NOT_LOADED and scene.windows:
        mend = remedies.say("card-not-listed-fix", "devmgmt.msc", admin=True)
        found = problem("driver-not-running", "driver", mend)
    elif code == nvml.DRIVER_NOT_LOADED and nouveau:
        found = _nouveau()
    elif code == nvml.DRIVER_NOT_LOADED:
        mend = remedies.say("not-loaded-fix", "sudo modprobe nvidia", admin=True)
        found = problem("kernel-driver-not-loaded", "driver", mend)
    elif code == nvml.NO_PERMISSION:
        found = problem("driver-no-permission", "driver", remedies.say("permission-fix", admin=True))
    return seen(found, Message("findings.driver-says", {"text": text})) if found else None


def _nouveau() -> Finding:
    return problem("nouveau-owns-gpu", "driver", remedies.say("nouveau-fix", admin=True, restart=True))


def _missing(scene: Scene) -> Finding:
    settings = scene.survey.settings
    if not isinstance(settings, Unknown) and settings.container:
        fix = remedies.say("gpu-not-passed-fix", "docker run --gpus all …")
        return problem("gpu-not-passed-to-container", "driver", fix, name=settings.container)
    if scene.machine.os == "wsl2":
        return problem("driver-missing-wsl", "driver", remedies.say("driver-missing-wsl-fix", admin=True))
    if not isinstance(settings, Unknown) and settings.nouveau:
        return _nouveau()
    changes = scene.solution.best.changes if scene.solution.best else ()
    mends = [remedies.of_change(one) for one in changes if one.id in ("install-driver", "update-driver")]
    return problem("driver-missing", "driver", *(mends or [remedies.say("driver-missing-fix", admin=True)]))


def _without_cuda(scene: Scene) -> Finding | None:
    """Look for the driver's CUDA library: packages of a driver, and containers, may come without it."""
    settings = scene.survey.settings
    there = None if isinstance(settings, Unknown) else settings.driver_library
    if isinstance(there, Unknown):
        return unknown("driver-library-unknown", "driver", there.why)
    if there is not False:
        return None
    if scene.windows:
        return problem(
            "driver-without-cuda", "driver", remedies.say("driver-again-fix", admin=True), name="nvcuda.dll"
        )
    if not isinstance(settings, Unknown) and settings.container:
        mend = remedies.say(
            "capabilities-fix", "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility …"
        )
    else:
        mend = remedies.say("libcuda-fix", admin=True)
    return problem("driver-without-cuda", "driver", mend, name="libcuda.so.1")


def _working(scene: Scene, version: str) -> Finding:
    cuda = scene.machine.cuda_driver
    if isinstance(cuda, str):
        return ok("driver", "driver", version=version, cuda=cuda)
    return ok("driver-no-cuda", "driver", version=version)


def devices(scene: Scene) -> Iterator[Finding]:
    """Look at what hides a card that is there."""
    yield from visible.visible(scene)
    settings = scene.survey.settings
    if (
        isinstance(settings, Unknown)
        or scene.machine.os != "linux"
        or not isinstance(scene.machine.driver, str)
    ):
        return
    if settings.uvm_device is False and nvidia(scene):
        yield notice(
            "nvidia-uvm-device-missing",
            "driver",
            remedies.say("uvm-fix", "sudo nvidia-modprobe -u", admin=True),
        )
