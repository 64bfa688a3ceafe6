"""Scripts in the project's folder that are named like a package: Python imports them in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.machine.host import path_of
from trueup.machine.host.quiet import quiet_size

if TYPE_CHECKING:
    from trueup.machine.host import Host

NAMES = ("tensorflow", "keras", "torch", "jax", "jaxlib", "onnxruntime", "paddle", "numpy")


def read_shadows(host: Host, env_dir: str | None) -> tuple[str, ...]:
    """Ask for those names alone, in the folder that holds the environment; nothing is listed."""
    if env_dir is None:
        return ()
    paths = path_of(host)
    folder = paths.dirname(env_dir)
    scripts = (str(paths.join(folder, f"{name}.py")) for name in NAMES)
    return tuple(script for script in scripts if quiet_size(host, script) is not None)
