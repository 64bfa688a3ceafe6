"""Which libraries an installed build loads by name, and which wheels bring them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packaging.specifiers import SpecifierSet

from trueup.diagnose.findings.scene import version
from trueup.facts.store import table

if TYPE_CHECKING:
    from packaging.version import Version

    from trueup.diagnose.findings.scene import Scene

BRING_THEIR_OWN = ("torch",)  # its wheels carry CUDA, or require the wheels that they find
# the wheel that brings a library, by the beginning of the file's name
WHEELS = {
    "cudart": "nvidia-cuda-runtime",
    "cublas": "nvidia-cublas",
    "cublaslt": "nvidia-cublas",
    "cufft": "nvidia-cufft",
    "curand": "nvidia-curand",
    "cusolver": "nvidia-cusolver",
    "cusparse": "nvidia-cusparse",
    "cudnn": "nvidia-cudnn",
}
_STEM = re.compile(r"(?:lib)?([a-z]+?)(?:64_|\.so)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Need:
    """Major versions, the least cuDNN of its major, and the files that are loaded by name where that is known."""

    cuda: int
    cudnn: int | None
    least_cudnn: Version | None
    files: tuple[str, ...]

    @property
    def wheels(self) -> tuple[str, ...]:
        """Return the wheels that bring the files; from CUDA 13 on their names carry no line."""
        names = {WHEELS[stem] for file in self.files if (stem := stem_of(file)) in WHEELS}
        names |= {"nvidia-cuda-runtime"} | ({"nvidia-cudnn"} if self.cudnn else set())
        plain = self.cuda >= 13
        return tuple(sorted(n if plain and n != "nvidia-cudnn" else f"{n}-cu{self.cuda}" for n in names))


def stem_of(file: str) -> str:
    found = _STEM.match(file)
    return found[1].lower() if found else ""


def need(scene: Scene) -> Need | None:
    """Return what the build loads; None where it uses no CUDA or brings its own."""
    build = scene.build
    if build is None or not isinstance(build.cuda, str) or scene.framework in BRING_THEIR_OWN:
        return None
    if scene.framework == "jax" and scene.package(f"jax-cuda{build.cuda}-plugin") is None:
        return None  # the jaxlib of old, whose CUDA was part of its version
    cudnn = version(build.cudnn) if isinstance(build.cudnn, str) else None
    rows = [row for row in scene.facts.builds(scene.framework) if row.version == build.version and row.cudnn]
    least = version(rows[0].cudnn) if rows and rows[0].cudnn else cudnn
    return Need(int(build.cuda.split(".")[0]), cudnn.major if cudnn else None, least, _files(scene))


def _files(scene: Scene) -> tuple[str, ...]:
    row = _row(scene, "loads", "frameworks")
    return tuple(row["loads"]) if row else ()


def unfound(scene: Scene) -> tuple[str, ...]:
    """Return what the release loads and would not find in the wheels: as its binaries say, else as is known."""
    if scene.lost is not None:
        return scene.lost
    row = _row(scene, "unfound", "rows")
    return tuple(row["files"]) if row else ()


def _row(scene: Scene, name: str, rows: str) -> dict[str, Any] | None:
    """Return the row of a table that is about the installed release on this system."""
    system = "windows" if scene.windows else "linux"
    for row in table(name)[rows]:
        same = (row["framework"], row["os"]) == (scene.framework, system)
        if same and scene.release and SpecifierSet(row["versions"]).contains(scene.release, prereleases=True):
            found: dict[str, Any] = row
            return found
    return None
