"""Looks at every setting of this system. Nothing is changed."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from trueup.keep.tune import knowledge, linux, power, windows, wslconfig
from trueup.keep.tune.model import Asked
from trueup.keep.tune.registry import registry_setting
from trueup.keep.tune.scene import scene as scene_of
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.keep.tune.model import Row, Setting
    from trueup.keep.tune.scene import Scene
    from trueup.machine.host import Host

READERS: Final[dict[str, Callable[[Scene, Row], Setting | None]]] = {
    "power-mode": power.power_mode,
    "page-file": windows.page_file_setting,
    "defender": windows.defender_setting,
    "gpu-preference": windows.gpu_preference,
    "wsl-memory": wslconfig.wsl_setting,
    "wsl-swap": wslconfig.wsl_setting,
    "persistence": linux.persistence,
    "cpu-governor": linux.governor,
    "shared-memory": linux.shared_memory,
    "open-files": linux.open_files,
    "memory-limit": linux.memory_limit,
    "numa": linux.numa,
}


def look(host: Host, asked: Asked | None = None) -> tuple[Setting, ...]:
    """Return the settings of this system; with names, only those. Raises TrueupError for a name that it has not."""
    asked = asked or Asked()
    scene = scene_of(host, asked)
    rows = [row for row in knowledge.rows() if scene.os in row.systems]
    _check_names(asked, [row.name for row in rows])
    found = (read(scene, row) for row in rows if not asked.values or asked.names(row))
    return tuple(setting for setting in found if setting is not None)


def read(scene: Scene, row: Row) -> Setting | None:
    own = READERS.get(row.name)
    if own is not None:
        return own(scene, row)
    if row.power is not None:
        return power.power_setting(scene, row)
    if scene.host.platform != "windows":
        return linux.cuda_cache(scene, row)
    return registry_setting(scene, row)


def _check_names(asked: Asked, names: list[str]) -> None:
    for name in asked.values:
        if name not in names:
            elsewhere = name in [row.name for row in knowledge.rows()]
            near = [] if elsewhere else difflib.get_close_matches(name, names, n=1)
            code = "tune.other-system" if elsewhere else "tune.no-such-setting"
            listed = ", ".join(near or names)
            raise TrueupError(Message(code, {"name": name}), Message("tune.names-are", {"names": listed}))
