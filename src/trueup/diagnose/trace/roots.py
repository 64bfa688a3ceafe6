"""Which files a framework's import begins with, and which names it loads while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_size
from trueup.proof.closure.tables import Wanted, of_framework

if TYPE_CHECKING:
    from trueup.facts.model import Platform
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import FrameworkBuild

# folder in site-packages, patterns of the modules that hold the framework's core
ROOTS = {
    "tensorflow": (("tensorflow/python", ("_pywrap_tensorflow_internal.*",)),),
    "torch": (("torch", ("_C.*",)), ("torch/lib", ("torch_cuda.dll", "c10_cuda.dll", "libtorch_cuda.so"))),
    "jax": (("jaxlib", ("_jax.*", "xla_extension.*", "libjax_common.*", "jax_common.*")),),
    "onnxruntime": (("onnxruntime/capi", ("onnxruntime_pybind11_state*", "*onnxruntime_providers_cuda.*")),),
    "paddlepaddle": (("paddle/base", ("libpaddle.*",)), ("paddle/fluid", ("libpaddle.*", "core_avx.*"))),
}
# the file that calls dlopen, where it is not the first root: its RUNPATH is the one that counts
LOADERS = {
    "tensorflow": ("tensorflow/libtensorflow_framework.so.2",),
    "jax": ("jax_plugins/xla_cuda13/xla_cuda_plugin.so", "jax_plugins/xla_cuda12/xla_cuda_plugin.so"),
}
BINARY = (".pyd", ".so", ".dll")


def roots(host: Host, build: FrameworkBuild) -> tuple[str, ...]:
    paths = path_of(host)
    found = []
    for folder, patterns in ROOTS.get(build.framework, ()):
        where = paths.join(build.place, *folder.split("/"))
        try:
            names = host.match(where, *patterns) or ()
        except HostError:
            names = ()
        found += [paths.join(where, name) for name in names if name.endswith(BINARY)]
    return tuple(found)


def loader(host: Host, build: FrameworkBuild) -> str | None:
    """Return the file whose code loads the names; None where the first root does."""
    if host.platform == "windows":
        return None
    paths = (str(path_of(host).join(build.place, name)) for name in LOADERS.get(build.framework, ()))
    return next((path for path in paths if quiet_size(host, path) is not None), None)


def wanted(host: Host, build: FrameworkBuild) -> Wanted | None:
    """Return the names that this release loads; None where nobody looked."""
    system: Platform = "windows" if host.platform == "windows" else "linux"
    if build.cuda is None:
        return Wanted({})  # a build without CUDA loads none of it
    known = of_framework(build.framework, build.version.partition("+")[0], system)
    return known[0] if known else None
