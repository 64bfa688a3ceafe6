"""A survey as flat facts: what may differ between a day on which it worked and today, and nothing that always does."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.history.model import Facts
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import CudaCopy, Environment, Survey
    from trueup.machine.model import Gpu, Machine

_SYSTEM = ("os", "os_name", "os_build", "kernel", "glibc", "vc_runtime", "long_paths")
_SETTINGS = (
    *("page_file", "tdr_delay", "scheduling", "fast_startup", "power_plan", "min_cpu", "pcie", "app_control"),
    *("driver_library", "stub", "container", "nouveau", "uvm_device", "dxg_device", "wsl_libcuda"),
)
# said elsewhere, or another one in each shell: no cause of anything
_PASSING = frozenset({"PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV"})


def key_of(*words: str) -> str:
    """Return a key that tells things apart and does not name them."""
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def flatten(survey: Survey, subject: Environment | None, host: Host) -> Facts:
    """Return the facts of a machine and of the environment in question."""
    found: dict[str, Any] = {}
    for part in (
        _machine(survey.machine),
        _wsl(survey.machine),
        _environment(subject),
        _around(survey, subject, host),
    ):
        found.update((name, _plain(value)) for name, value in part)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Unknown):
        return {"unknown": value.why.code}
    if isinstance(value, (list, tuple)):
        return [str(one) for one in value]
    return None if value is None else str(value)


def _machine(machine: Machine) -> Iterator[tuple[str, Any]]:
    for name in _SYSTEM:
        yield f"system/{name}", getattr(machine, name)
    yield "driver/driver", machine.driver
    yield "driver/cuda_driver", machine.cuda_driver
    yield (
        "card/cards",
        machine.gpus if isinstance(machine.gpus, Unknown) else sorted(map(_card, machine.gpus)),
    )
    for name, value in machine.environment:
        if name.upper() not in _PASSING:
            yield f"variables/{name}", value


def _card(gpu: Gpu) -> str:
    return f"{gpu.name} (MIG)" if gpu.mig else gpu.name


def _wsl(machine: Machine) -> Iterator[tuple[str, Any]]:
    if isinstance(machine.wsl, Unknown) or machine.wsl is None:
        yield "wsl/version", machine.wsl
    else:
        yield "wsl/version", machine.wsl.version
        yield "wsl/kernel", machine.wsl.kernel


def _environment(subject: Environment | None) -> Iterator[tuple[str, Any]]:
    if subject is None:
        return
    yield "python/version", None if subject.lacks_python else subject.python.version
    yield "python/path", subject.python.path
    yield "framework/finds_own_cuda", subject.hook
    for build in subject.builds:
        yield f"framework/{build.framework}", f"{build.package} {build.version}"
        yield f"framework/{build.framework} CUDA", build.cuda
        yield f"framework/{build.framework} cuDNN", build.cudnn
    for package in reversed(subject.packages):
        yield f"packages/{package.name}", package.version


def _around(survey: Survey, subject: Environment | None, host: Host) -> Iterator[tuple[str, Any]]:
    cuda = survey.cuda
    yield "cuda/copies", cuda if isinstance(cuda, Unknown) else [_copy(one) for one in _in_order(cuda)]
    yield "path/entries", list(dict.fromkeys(_path(host, subject)))
    if isinstance(survey.settings, Unknown):
        yield "settings/all", survey.settings
        return
    for name in _SETTINGS:
        yield f"settings/{name}", getattr(survey.settings, name)


def _path(host: Host, subject: Environment | None) -> Iterator[str]:
    """Yield the folders of PATH but those of the environment: they come and go with its activation."""
    own = subject.path if subject is not None and subject.kind != "installed" else None
    for entry in host.env.get("PATH", "").split(";" if host.platform == "windows" else ":"):
        folder = _folder(entry)
        if folder and not (own is not None and _inside(folder, own)):
            yield folder


def _inside(folder: str, place: str) -> bool:
    """Tell whether a folder is a place or below it, in either system's spelling."""
    below, above = (f"{path.lower()}/".replace("\\", "/") for path in (folder, place))
    return below.startswith(above)


def _folder(entry: str) -> str:
    text = entry.strip().strip('"')
    return text.rstrip("\\/") or text


def _in_order(copies: tuple[CudaCopy, ...]) -> list[CudaCopy]:
    """Return what the loader searches, in its order, then the rest."""
    return sorted(copies, key=lambda one: (one.order is None, one.order or 0, one.kind, one.path))


def _copy(copy: CudaCopy) -> str:
    """Return kind, version, whether it is searched, and the path, in one text without loss."""
    version = "?" if isinstance(copy.version, Unknown) else copy.version
    return "|".join((copy.kind, version, "-" if copy.order is None else "searched", copy.path))
