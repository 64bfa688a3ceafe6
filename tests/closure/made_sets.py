"""Small made binaries that have the names of the real ones: a whole set for TensorFlow 2.10 on Windows."""

from __future__ import annotations

import io
from typing import BinaryIO

from make_pe import PeMaker

from trueup.facts.store import table
from trueup.proof.closure import File, Target

WINDOWS = Target("windows", "tensorflow", "2.10.1", python="3.10")
LINUX = Target("linux", "tensorflow", "2.15.1")
ROW = next(r for r in table("loads")["frameworks"] if ">=2.5" in r["versions"] and r["os"] == "windows")
LOADS = [*ROW["loads"], *ROW["at_import"]]
PARTS = next(r["loads"] for r in table("loads")["files"] if r["file"] == "cudnn64_8.dll")
MODULE = "tensorflow/python/_pywrap_tensorflow_internal.pyd"


def file(name: str, content: bytes) -> File:
    def opened() -> BinaryIO:
        return io.BytesIO(content)

    return File(name, len(content), opened)


def pe(name: str, machine: int = 0x8664, **imports: list[str | int]) -> File:
    wanted = {f"{library}.dll": symbols for library, symbols in imports.items()}
    maker = PeMaker(machine, imports=wanted, exports=dict.fromkeys(("alpha", "beta")))
    return file(name, maker.content())


def windows_set(*left_out: str) -> list[File]:
    names = [n for n in (*LOADS, *PARTS) if n not in left_out]
    return [pe(MODULE, python310=["Py_Init"], kernel32=["Sleep"]), *(pe(f"nvidia/x/bin/{n}") for n in names)]
