"""A handful of hand-made facts that answers like the real ones, and machines to go with them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from trueup.facts.model import (
    Beside,
    Build,
    Capability,
    CardMatch,
    CudaFrom,
    DriverFloor,
    GpuCode,
    Platform,
)
from trueup.fit.case import Candidate, Case, read_case
from trueup.fit.model import Wish
from trueup.fit.wish import Ask, understand
from trueup.machine.describe import parse
from trueup.values import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.fit.model import Route, Verdict

SOURCE = Source("hand-made", "2026-11-30")
CPU_CODE = GpuCode()
TURING = GpuCode(("6.0", "7.0", "7.5", "8.0"), ("8.0",))
LIBRARIES = GpuCode(("5.0", "6.0", "7.0", "7.5", "8.0", "8.6", "9.0"))

CARDS = {
    "GTX 760": ("3.0",),
    "GTX 980": ("5.2",),
    "GTX 1080": ("6.1",),
    "RTX 2060": ("7.5",),
    "RTX 3060": ("8.6",),
    "H100": ("9.0",),
    "RTX 5090": ("12.0",),
    "GT 7x0": ("3.0", "6.1"),
    "RTX 9090": (),
}
CAPABILITIES = {
    "3.0": ("Kepler", "6.0", "10.2", 470, 390),
    "5.2": ("Maxwell", "6.5", "12.9", 580, 390),
    "6.1": ("Pascal", "8.0", "12.9", 580, 390),
    "7.5": ("Turing", "10.0", None, None, 410),
    "8.6": ("Ampere", "11.1", None, None, 455),
    "9.0": ("Hopper", "11.8", None, None, 520),
    "12.0": ("Blackwell", "12.8", None, None, 570),
}
FLOORS: dict[tuple[str, Platform], tuple[str, str]] = {
    ("11.2", "windows"): ("452.39", "460.82"),
    ("11.2", "linux"): ("450.80.02", "460.27.03"),
    ("12.5", "windows"): ("528.33", "555.85"),
    ("12.5", "linux"): ("525.60.13", "555.42.02"),
    ("13.0", "windows"): ("580", "580"),
    ("13.0", "linux"): ("580", "580"),
}
BRANCHES = ((390, "9.1"), (410, "10.0"), (450, "11.0"), (455, "11.1"), (470, "11.4"), (495, "11.5"), (520, "11.8"),
            (525, "12.0"), (535, "12.2"), (550, "12.4"), (570, "12.8"), (580, "13.0"), (590, "13.1"))  # fmt: skip
REQUIREMENTS = {
    "wsl2.windows-build": "19044",
    "wsl2.kernel-recommended": "5.10.16.3",
    "wsl2.driver": "495",
    "wsl2.capability": "6.0",
    "directml.windows-build": "16299",
    "directml.nvidia-least": "GTX 9xx",
    "vgpu.cuda-series": "Q, C",
}


def build(framework: str, version: str, **other: Any) -> Build:
    """Return a build with the usual values; CUDA 11.2 for Windows unless said otherwise."""
    package = other.pop("package", framework)
    base = Build(
        framework=framework,
        package=package,
        version=version,
        platform="windows",
        arch="x86_64",
        flavour="cuda",
        requirements=(f"{package}=={version}",),
        pythons=("3.8", "3.9", "3.10"),
        index=None,
        cuda="11.2",
        cudnn="8.1",
        cuda_from=CudaFrom.ADDED,
        code=TURING,
        library_code=LIBRARIES,
        caps=(),
        glibc=None,
        cpu_features=(),
        download_mb=2000,
        disk_mb=4000,
        notes=(),
        source=SOURCE,
    )
    return replace(base, **other)


def cpu(framework: str, version: str, platform: Platform, **other: Any) -> Build:
    nothing = {
        "cuda": None,
        "cudnn": None,
        "cuda_from": CudaFrom.NONE,
        "code": CPU_CODE,
        "library_code": CPU_CODE,
    }
    small = {"download_mb": 400, "disk_mb": 1200}
    return build(framework, version, platform=platform, flavour="cpu", **nothing, **small, **other)


NEW: dict[str, Any] = {
    "cuda": "12.5",
    "cudnn": "9.3",
    "cuda_from": CudaFrom.DEPENDENCY,
    "pythons": ("3.10", "3.11", "3.12"),
}
PLUGIN = ("tensorflow-cpu==2.10.0", "tensorflow-directml-plugin==0.4.0")
BUILDS: dict[str, tuple[Build, ...]] = {
    "tensorflow": (
        build("tensorflow", "2.20.0", platform="linux", glibc="2.17", cpu_features=("avx",), **NEW),
        cpu("tensorflow", "2.20.0", "windows", pythons=NEW["pythons"], cpu_features=("avx",)),
        cpu("tensorflow", "2.20.0", "linux", pythons=NEW["pythons"], cpu_features=("avx",), package="tensorflow-cpu"),
        cpu("tensorflow", "2.20.0", "linux", pythons=NEW["pythons"], arch="aarch64"),
        build("tensorflow", "2.10.1", caps=("numpy<2",), cpu_features=("avx",)),
        build("tensorflow", "2.10.1", platform="linux", caps=("numpy<2",), glibc="2.17"),
        build(
            "tensorflow", "2.10.0", package="tensorflow-cpu", flavour="directml", cuda=None, cudnn=None,
            cuda_from=CudaFrom.NONE, code=CPU_CODE, library_code=CPU_CODE, requirements=PLUGIN, caps=("numpy<2",),
        ),
    ),
    "torch": (
        build("torch", "2.14.0", cuda="13.0", cudnn="9.20.0.48", cuda_from=CudaFrom.BUNDLED,
              code=GpuCode(("7.5", "8.0", "12.0")), library_code=GpuCode(("7.5", "8.0", "12.0")),
              pythons=("3.10", "3.11")),
        build("torch", "2.14.0", cuda="12.5", cudnn="9.10.2.21", cuda_from=CudaFrom.BUNDLED,
              code=GpuCode(("6.0", "7.0", "8.0", "9.0")), pythons=("3.10", "3.11")),
        build("torch", "2.7.1", cuda="11.2", cudnn="9.1.0.70", cuda_from=CudaFrom.BUNDLED, pythons=("3.10", "3.11")),
        build("torch", "2.0.1", cudnn="8.7.0.84", cuda_from=CudaFrom.BUNDLED),
        cpu("torch", "2.14.0", "windows", pythons=("3.10", "3.11")),
    ),
}  # fmt: skip

METADATA = {
    ("tensorflow", "2.10.1"): ("keras<2.11,>=2.10.0", "numpy>=1.20", "protobuf<3.20,>=3.9.2"),
    ("tensorflow", "2.20.0"): ("keras>=3.10.0", "numpy>=1.26.0", "protobuf>=5.28.0"),
}


def beside(package: str, version: str, *asks: str, **other: Any) -> Beside:
    """Return a release of a pure package; for any Python unless said otherwise."""
    wheels = other.get("wheels", (("windows", "x86_64", None), ("linux", "x86_64", None)))
    made_for = tuple(other.get("made_for", ()))
    return Beside(package, version, other.get("python", ""), wheels, asks, made_for, SOURCE)


ONLY_LINUX = (("windows", "x86_64", ()), ("linux", "x86_64", ("3.9", "3.10", "3.11")))
BESIDE = {
    "tftext": (
        beside("tftext", "2.20.0", "tensorflow<2.21,>=2.20", wheels=ONLY_LINUX),
        beside("tftext", "2.10.0", "tensorflow<2.11,>=2.10"),
    ),
    "addons": (
        beside("addons", "0.23.0", made_for=["tensorflow<2.16,>=2.13"]),
        beside("addons", "0.20.0", made_for=["tensorflow<2.13,>=2.10"], python=">=3.9"),
    ),
}


@dataclass(frozen=True, eq=False)
class World:
    """The facts double. Two worlds are never equal: each solve may keep what it looked up in one."""

    shelves: dict[str, tuple[Build, ...]] = field(default_factory=lambda: BUILDS)

    def frameworks(self) -> Sequence[str]:
        return tuple(self.shelves)

    def framework_of(self, dist: str) -> str | None:
        return next((name for name in self.shelves if dist == name or dist.startswith(f"{name}-")), None)

    def builds(self, framework: str) -> Sequence[Build]:
        return self.shelves.get(framework, ())

    def driver_floor(self, cuda: str, platform: Platform) -> DriverFloor | None:
        found = FLOORS.get((cuda, platform))
        return DriverFloor(cuda, platform, *found, SOURCE) if found else None

    def cuda_of_driver(self, driver: str, platform: Platform) -> str | None:  # noqa: ARG002
        return next(
            (cuda for start, cuda in reversed(BRANCHES) if start <= int(driver.split(".", maxsplit=1)[0])),
            None,
        )

    def driver_branch(self, driver: str) -> int | None:
        return next(
            (start for start, _ in reversed(BRANCHES) if start <= int(driver.split(".", maxsplit=1)[0])), None
        )

    def capability(self, capability: str) -> Capability | None:
        row = CAPABILITIES.get(capability)
        if row is None:
            return None
        name, first, last, last_branch, first_branch = row
        return Capability(capability, name, first, last, last_branch, first_branch, SOURCE)

    def card(self, name: str) -> CardMatch:
        vendor: Literal["nvidia", "amd", "intel", "other", "unknown"] = "unknown"
        if name in CARDS or "GeForce" in name:
            vendor = "nvidia"
        elif "Radeon" in name:
            vendor = "amd"
        elif "Intel" in name:
            vendor = "intel"
        elif "Basic" in name:
            vendor = "other"
        return CardMatch(name, vendor, CARDS.get(name, ()), None, SOURCE)

    def requirement(self, name: str) -> tuple[str, Source]:
        return REQUIREMENTS[name], SOURCE

    def without_directx12(self, name: str) -> tuple[str, Source] | None:
        return ("Ivy Bridge", SOURCE) if name.endswith("HD Graphics 4000") else None

    def metadata(self, package: str, version: str, platform: Platform) -> tuple[str, ...] | None:  # noqa: ARG002
        return METADATA.get((package, version))

    def beside(self, package: str) -> Sequence[Beside]:
        return BESIDE.get(package, ())


WORLD = World()
WINDOWS: dict[str, Any] = {"os": "windows", "arch": "x86_64", "os_build": "10.0.22631", "cpu_flags": ["avx"]}
LINUX: dict[str, Any] = {"os": "linux", "arch": "x86_64", "glibc": "2.35", "cpu_flags": ["avx"]}
READY: dict[str, Any] = {"version": 2, "distros": ["Ubuntu"], "kernel": "5.15.133.1"}


def machine(base: dict[str, Any], *cards: str, **other: Any) -> dict[str, Any]:
    return {**base, "gpus": [{"name": name} for name in cards], **other}


def case(described: dict[str, Any], *want: str, world: World = WORLD, **wish: Any) -> Case:
    return read_case(parse(described), understand(Wish(want or ("tensorflow",), **wish), world), world)


def candidate(route: Route, chosen: Build) -> Candidate:
    return Candidate(route, chosen, Ask(chosen.framework, chosen.framework, chosen.framework, "", None, None))


HOLDS = ("ok", "holds", None)


def said(verdict: Verdict) -> tuple[str, str, str | None]:
    return verdict.outcome.value, verdict.rule, verdict.change.id if verdict.change else None
