from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_pe import PeMaker

from trueup.facts.binary import BadBinary, Import, Pe, dll_names
from trueup.facts.binary.view import Reason

WORKED = PeMaker(
    imports={"KERNEL32.dll": ["LoadLibraryExW", 12], "cublasLt64_11.dll": ["cublasLtCreate"]},
    delayed={"nvcuda.dll": ["cuInit"]},
    exports={"cudnnGetVersion": None, "old": "OTHER.new"},
    version=(14, 42, 34433, 1),
)


def pe(maker: PeMaker) -> Pe:
    return Pe(io.BytesIO(maker.content()))


@pytest.mark.parametrize("plus", [True, False])
def test_imports_and_delayed_imports_with_their_symbols(plus: bool) -> None:
    file = pe(PeMaker(plus=plus, imports=WORKED.imports, delayed=WORKED.delayed))
    assert file.imports(symbols=True) == (
        Import("kernel32.dll", delayed=False, symbols=("LoadLibraryExW", "#12")),
        Import("cublaslt64_11.dll", delayed=False, symbols=("cublasLtCreate",)),
        Import("nvcuda.dll", delayed=True, symbols=("cuInit",)),
    )


def test_names_are_lower_case_and_given_once() -> None:
    maker = PeMaker(imports={"A.dll": ["x"], "a.DLL": ["y"]})
    assert dll_names(io.BytesIO(maker.content())) == ("a.dll",)


def test_a_delay_table_of_an_old_linker_holds_absolute_addresses() -> None:
    file = pe(PeMaker(plus=False, delayed={"old.dll": ["f"]}, delayed_absolute=True))
    assert file.imports(symbols=True) == (Import("old.dll", delayed=True, symbols=("f",)),)


def test_symbols_without_a_lookup_table_come_from_the_address_table() -> None:
    file = pe(PeMaker(imports={"x.dll": ["f"]}, without_lookup=True))
    assert file.imports(symbols=True)[0].symbols == ("f",)


def test_exports_with_a_forwarder() -> None:
    rows = [(e.name, e.ordinal, e.forward) for e in pe(WORKED).exports()]
    assert rows == [("cudnnGetVersion", 5, None), ("old", 6, "OTHER.new")]


def test_what_is_lacking_is_found_without_reading_all() -> None:
    file = pe(PeMaker(exports=dict.fromkeys(sorted(f"f{n}" for n in range(300)))))
    assert file.lacks(["f0", "f299", "f77", "g", "#5", "#304", "#305", "#4"]) == ("g", "#305", "#4")
    assert pe(PeMaker(imports={"a.dll": ["x"]})).lacks(["f"]) == ("f",)


def test_symbols_of_some_libraries_only() -> None:
    names = {row.name: row.symbols for row in pe(WORKED).imports(symbols=True, of={"nvcuda.dll"})}
    assert names == {"kernel32.dll": (), "cublaslt64_11.dll": (), "nvcuda.dll": ("cuInit",)}


def test_version_and_machine() -> None:
    assert pe(WORKED).file_version() == "14.42.34433.1"
    assert (pe(WORKED).machine, pe(WORKED).is_dll) == ("x86_64", True)
    assert pe(PeMaker(machine=0xAA64)).machine == "arm64"
    assert pe(PeMaker(machine=0x14C, plus=False)).machine == "x86"


def test_a_file_without_tables_answers_with_nothing() -> None:
    file = pe(PeMaker())
    assert (file.imports(), file.exports(), file.file_version()) == ((), (), None)


def test_few_bytes_of_a_large_file_are_read() -> None:
    class Counting(io.BytesIO):
        total = 0

        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size)
            Counting.total += len(data)
            return data

    file = Counting(WORKED.content() + bytes(8 << 20))
    assert dll_names(file) == ("kernel32.dll", "cublaslt64_11.dll", "nvcuda.dll")
    assert Counting.total < 64 << 10


@pytest.mark.parametrize("content", [b"", b"MZ", b"\x7fELF" + bytes(80), b"MZ" + bytes(200)])
def test_what_is_no_pe_is_refused(content: bytes) -> None:
    with pytest.raises(BadBinary) as caught:
        Pe(io.BytesIO(content))
    assert caught.value.reason == "not-pe"


def everything(content: bytes) -> None:
    file = Pe(io.BytesIO(content))
    file.imports(symbols=True)
    file.exports()
    file.file_version()


def problem(content: bytes) -> str | None:
    try:
        everything(content)
    except BadBinary as error:
        return error.reason
    return None


@settings(max_examples=150, deadline=2000)
@given(st.lists(st.tuples(st.integers(0, 3000), st.binary(min_size=1, max_size=8)), max_size=12), st.data())
def test_forged_bytes_raise_nothing_but_bad_binary(
    edits: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    content = bytearray(WORKED.content())
    for at, new in edits:
        content[at : at + len(new)] = new
    cut = data.draw(st.integers(0, len(content)))
    assert {problem(bytes(content)), problem(bytes(content[:cut]))} <= {None, *get_args(Reason)}


def test_a_table_that_points_at_itself_ends() -> None:
    content = bytearray(PeMaker(imports={"a.dll": ["f"]}).content())
    content[0x400:] = b"\x01\x10\0\0" * (len(content[0x400:]) // 4)
    assert problem(bytes(content)) in get_args(Reason)


@pytest.mark.skipif(sys.platform != "win32", reason="reads Windows' own files")
def test_windows_own_libraries() -> None:
    system = Path("C:/Windows/System32")
    with (system / "advapi32.dll").open("rb") as file:
        assert any(name.startswith(("ntdll", "kernel", "api-ms")) for name in dll_names(file))
