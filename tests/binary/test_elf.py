from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_elf import ElfMaker

from trueup.facts.binary import BadBinary, kind_of, read_elf
from trueup.facts.binary.view import Reason

WORKED = ElfMaker(
    soname="libx.so.1",
    needed=("libcudart.so.12", "libc.so.6"),
    rpath="$ORIGIN/a:$ORIGIN/b",
    runpath="$ORIGIN/../nvidia/cudnn/lib",
    wants={"libc.so.6": ("GLIBC_2.2.5", "GLIBC_2.17"), "libstdc++.so.6": ("GLIBCXX_3.4.21",)},
    defines=("X_1.0", "X_1.1"),
)


@pytest.mark.parametrize(("bits", "order"), [(64, "<"), (32, "<"), (64, ">"), (32, ">")])
def test_everything_that_the_loader_reads(bits: int, order: str) -> None:
    maker = ElfMaker(bits, order, **{k: getattr(WORKED, k) for k in ("soname", "needed", "rpath", "runpath")})
    maker.wants, maker.defines = WORKED.wants, WORKED.defines
    elf = read_elf(io.BytesIO(maker.content()))
    assert (elf.machine, elf.bits, elf.soname) == ("x86_64", bits, "libx.so.1")
    assert elf.needed == ("libcudart.so.12", "libc.so.6")
    assert (elf.rpath, elf.runpath) == (("$ORIGIN/a", "$ORIGIN/b"), ("$ORIGIN/../nvidia/cudnn/lib",))
    assert dict(elf.wants) == WORKED.wants
    assert elf.defines == ("X_1.0", "X_1.1")
    assert elf.interpreter is None


def test_a_static_file_needs_nothing() -> None:
    elf = read_elf(io.BytesIO(ElfMaker(machine=183).content()))
    assert (elf.machine, elf.needed, elf.wants, elf.soname) == ("aarch64", (), (), None)


@pytest.mark.parametrize("content", [b"", b"MZ" + bytes(100), b"\x7fELF\x07\x01" + bytes(100)])
def test_what_is_no_elf_is_refused(content: bytes) -> None:
    with pytest.raises(BadBinary) as caught:
        read_elf(io.BytesIO(content))
    assert caught.value.reason == "not-elf"


def test_the_first_bytes_tell_the_format() -> None:
    assert [kind_of(b) for b in (b"MZ\x90\0", b"\x7fELF", b"PK\3\4", b"")] == ["pe", "elf", None, None]


def problem(content: bytes) -> str | None:
    try:
        read_elf(io.BytesIO(content))
    except BadBinary as error:
        return error.reason
    return None


@settings(max_examples=150, deadline=2000)
@given(st.lists(st.tuples(st.integers(0, 800), st.binary(min_size=1, max_size=8)), max_size=12), st.data())
def test_forged_bytes_raise_nothing_but_bad_binary(
    edits: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    content = bytearray(WORKED.content())
    for at, new in edits:
        content[at : at + len(new)] = new
    cut = data.draw(st.integers(0, len(content)))
    assert {problem(bytes(content)), problem(bytes(content[:cut]))} <= {None, *get_args(Reason)}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the interpreter that runs")
def test_the_running_interpreter() -> None:
    with Path(sys.executable).open("rb") as file:
        elf = read_elf(file)
    assert elf.interpreter
    assert any(name.startswith("libc.") for name in elf.needed)
    wanted = {version for _, versions in elf.wants for version in versions}
    assert any(version.startswith("GLIBC_2.") for version in wanted)
