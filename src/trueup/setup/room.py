"""Is there room: on the disk, in the length of paths, in the folder's rights. Asked before anything is downloaded."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.setup.errors import SetupError
from trueup.setup.uv import Watch

if TYPE_CHECKING:
    from trueup.fit.model import Alignment
    from trueup.machine.model import Machine
    from trueup.setup.model import Lock
    from trueup.setup.uv import Uv

# Windows refuses longer paths unless long paths are on; the closing zero counts.
MAX_PATH: Final = 259
# The longest member of TensorFlow 2.10's Windows wheel, a generated header of MLIR; read 2026-11-30.
LONGEST_MEMBER: Final = 169
# Of the CUDA 11 set of TensorFlow 2.10: 4.0 GB from 2.2 GB; read 2026-11-30.
UNPACKED: Final = 1.8
UNKNOWN_MB: Final = 2000
SPARE_MB: Final = 100


def check_path(env_dir: Path, machine: Machine) -> None:
    """Raise SetupError where the longest file would not fit into Windows' limit. Unknown counts as off."""
    if machine.os != "windows" or machine.long_paths is True:
        return
    inside = len("\\Lib\\site-packages\\")
    most = MAX_PATH - LONGEST_MEMBER - inside
    if len(str(env_dir)) > most:
        short = f"{env_dir.drive or 'C:'}\\envs\\{env_dir.name.lstrip('.') or 'tf'}"
        raise SetupError("path-too-long", path=str(env_dir), length=len(str(env_dir)), most=most, short=short)


def check_disk(need_mb: int, env_dir: Path, uv: Uv, *, python: Path, pylock: Path) -> None:
    """Raise SetupError where the packages would not fit. Where uv's cache shares the disk, files are linked."""
    need = need_mb + SPARE_MB
    cache = Path(uv.run(["cache", "dir"], timeout=30).strip())
    disks = {_device(path): path for path in (cache, env_dir)}  # one entry where both are on one disk
    short = [(path, free) for path in disks.values() if (free := _free_mb(path)) < need]
    if short and not (len(disks) == 1 and _all_cached(uv, python, pylock)):
        path, free = short[0]
        raise SetupError("disk-full", path=str(path), free_mb=free, need_mb=need)


def needed_mb(alignment: Alignment, lock: Lock) -> int:
    """Return the megabytes of the unpacked packages: as read before, else guessed from the packed ones."""
    if alignment.disk_mb:
        return alignment.disk_mb
    packed = lock.download_bytes
    return UNKNOWN_MB if packed is None else round(packed * UNPACKED / 1e6)


def _all_cached(uv: Uv, python: Path, pylock: Path) -> bool:
    """Ask uv whether everything is in its cache already, so that nothing but links is written."""
    said: list[str] = []
    uv.run(
        ["pip", "sync", "--dry-run", "--python", str(python), str(pylock)],
        timeout=120,
        watch=Watch(line=said.append),
    )
    return not any(re.match(r"\s*Would download", line) for line in said)


def _free_mb(path: Path) -> int:
    return shutil.disk_usage(_there(path)).free // 1_000_000


def _device(path: Path) -> int:
    return _there(path).stat().st_dev


def _there(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())
