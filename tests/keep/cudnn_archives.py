"""Archives of cuDNN as NVIDIA packs them, small, and whatever else may pass for one."""

from __future__ import annotations

import io
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from cuda_worlds import PARTS8, header

sys.path.insert(0, str(Path(__file__).parents[1] / "binary"))
from make_pe import PeMaker  # lies beside the tests of binaries

if TYPE_CHECKING:
    from collections.abc import Mapping


def dll(version: str | None, *, machine: int = 0x8664, tail: bytes = b"") -> bytes:
    numbers = tuple(int(part) for part in version.split(".")) if version else None
    return PeMaker(machine=machine, version=numbers).content() + tail  # type: ignore[arg-type]


def windows_files(
    version: str = "8.9.7.29", line: str = "11", folder: str = "cudnn-archive"
) -> dict[str, bytes]:
    """Return the files of a zip for Windows; the operations name the cuBLAS that they load."""
    files = {f"{folder}/bin/{part}.dll": dll(version) for part in PARTS8}
    files[f"{folder}/bin/cudnn_ops_infer64_8.dll"] += (
        f"\0cublas64_{line}.dll\0cublasLt64_{line}.dll\0".encode()
    )
    files |= {
        f"{folder}/include/cudnn_version.h": header(version).encode(),
        f"{folder}/include/cudnn.h": b"//\n",
    }
    files |= {f"{folder}/lib/x64/{name}.lib": b"lib" for name in ("cudnn", "cudnn64_8")}
    return files | {f"{folder}/LICENSE": b"..."}


def zipped(path: Path, files: Mapping[str, bytes | str]) -> Path:
    """Write a zip; a text is a symbolic link's goal."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            row = zipfile.ZipInfo(name)
            row.compress_type = zipfile.ZIP_DEFLATED
            row.external_attr = (0o120777 if isinstance(data, str) else 0o100644) << 16
            archive.writestr(row, data)
    return path


def linux_files(
    version: str = "8.9.7.29", line: str = "12", folder: str = "cudnn-linux"
) -> dict[str, bytes | str]:
    short = ".".join(version.split(".")[:3])
    files: dict[str, bytes | str] = {f"{folder}/include/cudnn_version.h": header(version).encode()}
    for part in (part.replace("64_8", "") for part in PARTS8):
        body = f"\x7fELF libcublas.so.{line}\0".encode() if "ops_infer" in part else b"\x7fELF "
        files[f"{folder}/lib/lib{part}.so.{short}"] = body + part.encode() + version.encode()
        files[f"{folder}/lib/lib{part}.so.8"] = f"lib{part}.so.{short}"
        files[f"{folder}/lib/lib{part}.so"] = f"lib{part}.so.8"
    return files


def tarred(path: Path, files: Mapping[str, bytes | str]) -> Path:
    """Write a tar, xz by its name; a text is a symbolic link's goal."""
    with tarfile.open(path, "w:xz" if path.suffix == ".xz" else "w:gz") as archive:
        for name, data in files.items():
            row = tarfile.TarInfo(name)
            if isinstance(data, str):
                row.type, row.linkname = tarfile.SYMTYPE, data
                archive.addfile(row)
            else:
                row.size = len(data)
                archive.addfile(row, io.BytesIO(data))
    return path
