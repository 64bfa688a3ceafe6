"""Does machine code run on a card? The rule of NVIDIA's binaries, for one set of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from trueup.fit.versions import capability

if TYPE_CHECKING:
    from trueup.facts.model import Build, GpuCode
    from trueup.fit.model import Kernels

_TEGRA = frozenset({(3, 2), (5, 3), (6, 2), (7, 2), (8, 7)})


@lru_cache(maxsize=4096)
def reach(code: GpuCode, card: str) -> Kernels:
    """Return how a card runs this code.

    SASS runs on the same major capability with an equal or higher minor; PTX of an equal or lower
    capability is compiled at start. Between desktop and Tegra (Jetson), and among Tegras, SASS does not
    carry over. Source: CUDA C++ Programming Guide, binary and PTX compatibility.
    """
    if not code.known:
        return "unknown"
    has = capability(card)
    if any(_runs(built, has) for built in map(capability, code.sass)):
        return "native"
    return "ptx-jit" if any(capability(built) <= has for built in code.ptx) else "none"


def _runs(built: tuple[int, int], has: tuple[int, int]) -> bool:
    if built in _TEGRA or has in _TEGRA:
        return built == has
    return built[0] == has[0] and built[1] <= has[1]


def together(build: Build, card: str) -> Kernels:
    """Return how a build with its libraries runs on a card."""
    return both(reach(build.code, card), reach(build.library_code, card))


def both(framework: Kernels, libraries: Kernels) -> Kernels:
    """Return how framework and libraries run together: the weaker decides, what is unknown stays so."""
    if "none" in (framework, libraries):
        return "none"
    if framework == "unknown":
        return "unknown"
    return "ptx-jit" if "ptx-jit" in (framework, libraries) else framework
