"""The three CUDA numbers that people compare: the driver's, the toolkit's, the framework's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose.findings.cuda import of_kind, told
from trueup.diagnose.findings.model import CudaNumbers
from trueup.diagnose.findings.say import harmless
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene


def numbers(scene: Scene) -> CudaNumbers:
    driver = scene.machine.cuda_driver
    copies = scene.survey.cuda
    toolkits = [] if isinstance(copies, Unknown) else of_kind(copies, "toolkit")
    toolkit = next((told(copy) for copy in toolkits), None)
    built = scene.build.cuda if scene.build and isinstance(scene.build.cuda, str) else None
    return CudaNumbers(driver if isinstance(driver, str) else None, toolkit, built)


def explained(scene: Scene) -> Iterator[Finding]:
    """Say that the numbers need not be equal, where they differ and the driver serves the framework."""
    found = numbers(scene)
    served = scene.as_installed is None or scene.as_installed.status == "gpu"
    params = {
        "driver": found.driver or "?",
        "toolkit": found.toolkit or "?",
        "framework": found.framework or "?",
    }
    if found.framework and found.toolkit and served and _differ(found.driver, found.toolkit, found.framework):
        yield harmless("cuda-numbers-differ", "cuda", **params)
    elif found.framework and not found.toolkit and served and _differ(found.driver, found.framework):
        yield harmless("cuda-two-numbers-differ", "cuda", **params)
    elif found.toolkit and not found.framework and _differ(found.driver, found.toolkit):
        yield harmless("cuda-toolkit-differs", "cuda", **params)
    if found.toolkit is None:
        yield harmless("no-toolkit", "cuda")


def _differ(*texts: str | None) -> bool:
    return len({_minor(text) for text in texts if text}) > 1


def _minor(text: str) -> str:
    return ".".join(text.split(".")[:2])
