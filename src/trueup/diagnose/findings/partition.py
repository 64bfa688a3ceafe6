"""Cards that are shared or cut into parts: MIG, vGPU, compute modes, memory that somebody else holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.say import notice, problem, unknown
from trueup.diagnose.findings.scene import nvidia
from trueup.machine.model import NOT_READ
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene
    from trueup.machine.model import Gpu

# NVIDIA's vGPU guide: C and Q profiles run CUDA, A (applications) and B (desktops) do not
_WITHOUT_CUDA = re.compile(r"\b(?:GRID|NVIDIA|Tesla)\b.*-\d+[AB]\d?$")
LITTLE = 1024  # MiB: a CUDA context and TensorFlow's libraries alone take some hundred


def partitioned(scene: Scene) -> Iterator[Finding]:
    """Look at each card; a fault counts only where no other card is left."""
    cards = nvidia(scene)
    faults = [(gpu, found) for gpu in cards if (found := _fault(gpu)) is not None]
    for gpu, found in faults:
        alone = len(faults) == len(cards)
        yield found if alone or found.status == "unknown" else notice("card-left-out", "card", name=gpu.name)
    for gpu in cards:
        if isinstance(gpu.free_mb, int) and gpu.free_mb < LITTLE:
            mend = remedies.say("memory-taken-fix", "nvidia-smi")
            yield notice("card-memory-taken", "card", mend, name=gpu.name, free=gpu.free_mb)


def _fault(gpu: Gpu) -> Finding | None:
    if gpu.mig and gpu.mig_slices == 0:
        mend = remedies.say("mig-fix", "sudo nvidia-smi mig -lgip", admin=True)
        off = remedies.say("mig-off-fix", "sudo nvidia-smi -mig 0", admin=True)
        return problem("mig-without-slices", "card", mend, off, name=gpu.name)
    if gpu.mig and not isinstance(gpu.mig_slices, int):
        why = gpu.mig_slices if isinstance(gpu.mig_slices, Unknown) else NOT_READ
        return unknown("mig-unknown", "card", why.why, name=gpu.name)
    if gpu.compute_mode == "prohibited":
        mend = remedies.say("compute-mode-fix", "nvidia-smi -c 0", admin=True)
        return problem("compute-prohibited", "card", mend, name=gpu.name)
    if _WITHOUT_CUDA.search(gpu.name):
        return problem("vgpu-without-cuda", "card", remedies.say("vgpu-fix", admin=True), name=gpu.name)
    return None
