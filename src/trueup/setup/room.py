"""Is there room: on the disk, in the length of paths, in the folder's rights. Asked before anything is downloaded."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from typing import TYPE_CHECKING, Final

from trueup.setup.errors import SetupError
from trueup.setup.files import failed

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.fit.model import Alignment
    from trueup.machine.model import Machine
    from trueup.plan.lock import Lock

# Windows refuses longer paths unless long paths are on; the closing zero counts.
MAX_PATH: Final = 259
# The longest member below site-packages. TensorFlow: a generated header of MLIR in 2.10's Windows wheel (2.21
# has 163). torch: a licence in 2.13. Read 2026-11-30. Others: below both, with room to spare.
LONGEST_MEMBER: Final = {"tensorflow": 169, "torch": 171}
LONGEST_OTHER: Final = 150
# Of the CUDA 11 set of TensorFlow 2.10: 4.0 GB from 2.2 GB; read 2026-11-30.
UNPACKED: Final = 1.8
UNKNOWN_MB: Final = 2000
SPARE_MB: Final = 100


def check_path(env_dir: Path, machine: Machine, alignment: Alignment) -> None:
    """Raise SetupError where the longest file would not fit into Windows' limit. Unknown counts as off."""
    if machine.os != "windows" or machine.long_paths is True:
        return
    inside = len("\\Lib\\site-packages\\")
    longest = max(LONGEST_MEMBER.get(build.framework, LONGEST_OTHER) for build in alignment.builds)
    most = MAX_PATH - longest - inside
    if len(str(env_dir)) > most:
        short = f"{env_dir.drive or 'C:'}\\envs\\{env_dir.name.lstrip('.') or 'tf'}"
        raise SetupError("path-too-long", path=str(env_dir), length=len(str(env_dir)), most=most, short=short)


def check_place(env_dir: Path) -> None:
    """Raise SetupError `unwritable` where no files can be kept, such as below /proc: that is no lack of room."""
    there = _there(env_dir.absolute())
    if shutil.disk_usage(there).total == 0 or not os.access(there, os.W_OK):
        reason = errno.EROFS if _is_read_only(there) else errno.EACCES
        raise failed(OSError(reason, os.strerror(reason)), there)


def _is_read_only(folder: Path) -> bool:
    """Tell whether the whole disk takes no files; else it is the folder that is somebody else's."""
    if sys.platform == "win32" or shutil.disk_usage(folder).total == 0:
        return shutil.disk_usage(folder).total == 0
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def short_of_disk(need_mb: int, env_dir: Path, cache: Path) -> SetupError | None:
    """Return the error of a disk that cannot take the packages. On one disk with uv's cache files are linked."""
    need = need_mb + SPARE_MB
    disks = {_device(path): path for path in (cache, env_dir)}  # one entry where both are on one disk
    short = [(path, free) for path in disks.values() if (free := _free_mb(path)) < need]
    return (
        SetupError("disk-full", path=str(short[0][0]), free_mb=short[0][1], need_mb=need) if short else None
    )


def needed_mb(alignment: Alignment, lock: Lock) -> int:
    """Return the megabytes of the unpacked packages: as read before, else guessed from the packed ones."""
    if alignment.disk_mb:
        return alignment.disk_mb
    packed = lock.download_bytes
    return UNKNOWN_MB if packed is None else round(packed * UNPACKED / 1e6)


def _free_mb(path: Path) -> int:
    return shutil.disk_usage(_there(path)).free // 1_000_000


def _device(path: Path) -> int:
    return _there(path).stat().st_dev


def _there(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())
