"""Which cards the GPU code of a binary reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["sass", "ptx"]
TEGRA = frozenset({(5, 3), (6, 2), (7, 2), (8, 7)})  # GPUs on boards: their SASS runs on no card


class Code(NamedTuple):
    """One piece of GPU code. `variant` is "a" for code of this one capability, "f" for its family only."""

    kind: Kind
    major: int
    minor: int
    variant: str = ""

    @property
    def capability(self) -> str:
        """Return the capability as it is written, "9.0" or "9.0a"."""
        return f"{self.major}.{self.minor}{self.variant}"

    def runs_on(self, major: int, minor: int) -> bool:
        """Tell whether a card of that capability can use it: SASS as it is, PTX after compiling."""
        mine, card = (self.major, self.minor), (major, minor)
        if self.variant == "a":
            return mine == card
        if self.kind == "ptx" and not self.variant:
            return mine <= card
        return self.major == major and self.minor <= minor and (mine == card or mine not in TEGRA)


class Reach(NamedTuple):
    """Of how many modules a card runs the machine code, compiles the PTX at start, or finds nothing."""

    native: int
    ptx: int
    none: int


@dataclass(frozen=True, slots=True)
class GpuModules:
    """Modules by the set of code that each holds -> how many hold just that."""

    by_codes: Mapping[frozenset[Code], int]

    @property
    def count(self) -> int:
        return sum(self.by_codes.values())

    def modules_with(self, kind: Kind) -> dict[str, int]:
        """Return capability -> number of modules with such code, in ascending order."""
        found: dict[Code, int] = {}
        for codes, count in self.by_codes.items():
            for code in codes:
                if code.kind == kind:
                    found[code] = found.get(code, 0) + count
        return {code.capability: found[code] for code in sorted(found)}

    @property
    def sass(self) -> tuple[str, ...]:
        return tuple(self.modules_with("sass"))

    @property
    def ptx(self) -> tuple[str, ...]:
        return tuple(self.modules_with("ptx"))

    def reach(self, capability: str) -> Reach:
        """Return what a card of a capability such as "8.6" can use."""
        major, minor = (int(part) for part in capability.split("."))
        native = ptx = 0
        for codes, count in self.by_codes.items():
            kinds = {code.kind for code in codes if code.runs_on(major, minor)}
            native += count * ("sass" in kinds)
            ptx += count * (kinds == {"ptx"})
        return Reach(native, ptx, self.count - native - ptx)
