"""For whom a set shall be closed: read off an alignment, or off the record of a finished environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.facts.catalog import load
from trueup.facts.model import CudaFrom
from trueup.proof.closure.model import Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trueup.fit.model import Alignment
    from trueup.machine.model import Gpu, Machine


def target_of(alignment: Alignment, machine: Machine) -> Target | None:
    """Return for whom an alignment's set shall be closed; None where its wheels bring no CUDA."""
    builds = [
        {name: getattr(build, name) for name in ("framework", "version", "platform", "arch", "flavour")}
        | {"cuda_from": build.cuda_from.value}
        for build in alignment.builds
    ]
    return _target(builds, alignment.python, machine)


def target_of_record(alignment: Mapping[str, Any], python: str, machine: Machine) -> Target | None:
    """Return the same of an alignment as the record of an environment keeps it."""
    return _target(alignment.get("builds", ()), python, machine)


def _target(builds: Sequence[Mapping[str, Any]], python: str, machine: Machine) -> Target | None:
    brought = [
        b for b in builds if b.get("flavour") == "cuda" and b.get("cuda_from") != CudaFrom.SYSTEM.value
    ]
    if not brought:
        return None
    first, *others = brought
    gpus = machine.gpus if isinstance(machine.gpus, tuple) else ()
    capabilities = dict.fromkeys(c for gpu in gpus for c in _capabilities(gpu))
    return Target(
        first["platform"],
        first["framework"],
        first["version"],
        arch=first["arch"],
        python=python,
        system_runtime=isinstance(machine.vc_runtime, str),
        capabilities=tuple(capabilities),
        beside=tuple((b["framework"], b["version"]) for b in others),
    )


def _capabilities(gpu: Gpu) -> tuple[str, ...]:
    """Return what the driver says, else what a described name may be."""
    return (gpu.capability,) if isinstance(gpu.capability, str) else load().card(gpu.name).capabilities
