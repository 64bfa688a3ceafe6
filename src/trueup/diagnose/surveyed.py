"""What a survey of a machine says about a case, in the keys in which people state facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.machine.inventory.model import CudaKind, Environment, Settings, Survey
    from trueup.machine.model import Gpu, Machine

SYSTEMS = {"windows": "windows-native", "wsl2": "wsl2", "linux": "linux"}
TOLD = (
    "numpy",
    "protobuf",
    "typing-extensions",
    "torchvision",
    "torchaudio",
    "keras",
    "bitsandbytes",
    "ctranslate2",
)
TOLD_PREFIXES = ("onnxruntime", "cupy", "jax", "nvidia-", "tensorflow", "torch")
NONE = "none"
NAMED_AFTER = {"11.0": "11"}  # every CUDA 11 has a libcudart.so.11.0
VARIABLES = ("CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "XLA_FLAGS", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")


def stated(survey: Survey, *, named: bool = False) -> dict[str, str]:
    """Return the facts that were read; what is unknown is left out, so that nothing rests on it.

    `named`: the folder that the survey was made for was asked for by name, and goes before an active environment.
    """
    facts = dict(_machine(survey.machine))
    if isinstance(survey.cards.cuda, str):
        facts["driver_cuda"] = survey.cards.cuda
    copies = {"cuda": _copies(survey, ("toolkit", "runtime")), "cudnn": _copies(survey, ("cudnn",))}
    facts |= {key: found for key, found in copies.items() if found}
    if not isinstance(survey.cuda, Unknown) and not survey.cuda:
        facts["cuda"] = NONE
    chosen = _environment(survey, named=named)
    if chosen is not None:
        facts |= dict(_installed(chosen))
    if not isinstance(survey.settings, Unknown):
        facts |= dict(_settings(survey.settings))
    return facts


def _machine(machine: Machine) -> Iterator[tuple[str, str]]:
    if machine.os in SYSTEMS:
        yield "os", SYSTEMS[machine.os]
    if isinstance(machine.driver, str):
        yield "driver", machine.driver
    elif machine.driver is None:
        yield "driver", NONE
    if not isinstance(machine.gpus, Unknown):
        yield "gpu", ", ".join(map(_gpu, machine.gpus)) or "none"
    if machine.os == "windows" and isinstance(machine.os_build, str):
        yield "windows", machine.os_build
    if machine.os == "windows" and machine.arch == "arm64":
        yield "cpu", "ARM64"
    if not isinstance(machine.cpu_flags, Unknown) and "avx" not in machine.cpu_flags:
        yield "cpu", "without AVX"
    named = {name: value for name, value in machine.environment if name in VARIABLES}
    for name, value in named.items():
        yield name.lower(), f"{name}={value}"


def _gpu(gpu: Gpu) -> str:
    return gpu.name if isinstance(gpu.capability, Unknown) else f"{gpu.name} ({gpu.capability})"


def _copies(survey: Survey, kinds: Iterable[CudaKind]) -> str:
    if isinstance(survey.cuda, Unknown):
        return ""
    versions = (
        NAMED_AFTER.get(one.version, one.version) if one.kind == "runtime" else one.version
        for one in survey.cuda
        if one.kind in kinds and isinstance(one.version, str)
    )
    return ", ".join(dict.fromkeys(versions))


def _environment(survey: Survey, *, named: bool) -> Environment | None:
    """Take the environment that was asked for or is active; of several others none is known to be meant."""
    found = () if isinstance(survey.environments, Unknown) else survey.environments
    folder = [one for one in found if "folder" in one.found_by]
    if named:
        return folder[0] if folder else None
    active = [one for one in found if "active" in one.found_by]
    meant = active or [one for one in found if one.active and one.kind != "installed"] or folder
    meant = meant or [one for one in found if one.active]
    return meant[0] if meant else found[0] if len(found) == 1 else None


def _installed(one: Environment) -> Iterator[tuple[str, str]]:
    kind = " (Microsoft Store)" if one.python.kind == "store" else " (conda)" if one.kind == "conda" else ""
    yield "python", f"{one.python.version} {one.python.bits}-bit{kind}"
    told = [
        f"{p.name} {p.version}" for p in one.packages if p.name in TOLD or p.name.startswith(TOLD_PREFIXES)
    ]
    told += [
        f"{p.name} {p.version} {p.build}" for p in one.conda if p.name.startswith(("tensorflow", "pytorch"))
    ]
    if told:
        yield "packages", ", ".join(dict.fromkeys(told))


def _settings(settings: Settings) -> Iterator[tuple[str, str]]:
    if settings.container:
        yield "host", settings.container
    if settings.nouveau:
        yield "kernel_driver", "nouveau is loaded"
    if settings.foreign_libcuda:
        yield "wsl_driver", "a Linux driver's libcuda is there"
