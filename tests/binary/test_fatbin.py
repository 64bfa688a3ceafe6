from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_fatbin import Entry, concatenated, container

from trueup.facts.binary import BadBinary, Code, GpuModules, Reach, scan

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(__file__).parent / "data"
SASS, PTX = 2, 1


def chunks(content: bytes, size: int = 1 << 16) -> Iterator[bytes]:
    for at in range(0, len(content), size):
        yield content[at : at + size]


def read(content: bytes, size: int = 1 << 16) -> GpuModules:
    return scan(chunks(content, size))


@pytest.mark.parametrize("name", ["compressed", "concatenated"])
@pytest.mark.parametrize("size", [1, 17, 1 << 16])
def test_what_nvidias_own_tool_wrote(name: str, size: int) -> None:
    modules = read((DATA / f"{name}.fatbin").read_bytes(), size)
    assert modules.count == 1
    assert modules.sass == modules.ptx == ("7.5", "9.0", "9.0a", "10.0f", "12.0")


def test_containers_between_other_bytes_are_each_one_module() -> None:
    first = container([Entry(SASS, 70), Entry(SASS, 80), Entry(PTX, 80)])
    second = container([Entry(SASS, 70)])
    modules = read(b"junk" * 100 + first + b"\x50\xed\x55\xba" + b"junk" + second + b"\x50\xed")
    assert modules.count == 2
    assert modules.modules_with("sass") == {"7.0": 2, "8.0": 1}
    assert modules.modules_with("ptx") == {"8.0": 1}


def test_reach_counts_modules_three_ways() -> None:
    old_and_new = container([Entry(SASS, 75), Entry(SASS, 80), Entry(PTX, 80)])
    old = container([Entry(SASS, 75), Entry(PTX, 75)])
    bare = container([Entry(SASS, 75)])
    modules = read(old_and_new + old + bare)
    assert modules.reach("7.5") == Reach(native=3, ptx=0, none=0)
    assert modules.reach("8.6") == Reach(native=1, ptx=1, none=1)
    assert modules.reach("12.0") == Reach(native=0, ptx=2, none=1)
    assert modules.reach("5.0") == Reach(native=0, ptx=0, none=3)


@pytest.mark.parametrize(
    ("code", "runs", "does_not"),
    [
        (Code("sass", 8, 0), ["8.0", "8.6", "8.9"], ["7.5", "9.0"]),
        (Code("sass", 8, 6), ["8.6", "8.9"], ["8.0"]),
        (Code("ptx", 8, 0), ["8.0", "9.0", "12.0"], ["7.5"]),
        (Code("sass", 9, 0, "a"), ["9.0"], ["9.1", "10.0"]),
        (Code("ptx", 9, 0, "a"), ["9.0"], ["10.0", "12.0"]),
        (Code("ptx", 10, 0, "f"), ["10.0", "10.3"], ["12.0", "9.0"]),
        (Code("sass", 8, 7), ["8.7"], ["8.9"]),
    ],
)
def test_where_code_runs(code: Code, runs: list[str], does_not: list[str]) -> None:
    def on(capability: str) -> bool:
        major, minor = capability.split(".")
        return code.runs_on(int(major), int(minor))

    assert [c for c in runs if not on(c)] == []
    assert [c for c in does_not if on(c)] == []


def test_appendices_of_concatenated_rows_are_stepped_over() -> None:
    entries = [Entry(SASS, 90, appendix=b"x" * n) for n in (0, 36, 40, 44)] + [Entry(PTX, 120, "f")]
    assert read(concatenated(entries)).by_codes == {
        frozenset({Code("sass", 9, 0), Code("ptx", 12, 0, "f")}): 1
    }


def test_the_magic_inside_a_body_starts_no_module() -> None:
    inner = container([Entry(SASS, 35)])
    assert read(container([Entry(SASS, 80, body=inner)])).sass == ("8.0",)


def test_a_magic_by_chance_hides_no_module_behind_it() -> None:
    chance = b"\x50\xed\x55\xba\x01\0\x10\0" + (1 << 40).to_bytes(8, "little") + b"no entry" * 10
    assert read(chance + container([Entry(SASS, 80)])).sass == ("8.0",)


def test_a_stream_that_ends_inside_a_body_is_said() -> None:
    with pytest.raises(BadBinary) as caught:
        read(container([Entry(SASS, 80, body=bytes(500))])[:-100])
    assert caught.value.reason == "truncated"


def test_nothing_in_nothing() -> None:
    assert scan(iter(())) == GpuModules({})
    assert read(b"MZ" * 5000).count == 0


def test_a_long_body_is_not_kept() -> None:
    import tracemalloc

    def stream() -> Iterator[bytes]:
        whole = container([Entry(SASS, 80, body=b"")])
        size = 256 << 20
        yield whole[:8] + (64 + size).to_bytes(8, "little") + whole[16:24] + size.to_bytes(8, "little")
        yield whole[32:]
        for _ in range(256):
            yield bytes(1 << 20)

    tracemalloc.start()
    modules = scan(stream())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert modules.sass == ("8.0",)
    assert peak < 8 << 20


def problem(content: bytes, size: int) -> str | None:
    try:
        read(content, size)
    except BadBinary as error:
        return error.reason
    return None


ENTRIES = st.builds(Entry, st.sampled_from([1, 2, 8]), st.sampled_from([35, 52, 86, 90, 120]), st.just("a"))


@settings(max_examples=150, deadline=2000)
@given(
    st.lists(ENTRIES, max_size=4),
    st.lists(st.tuples(st.integers(0, 600), st.binary(min_size=1, max_size=8)), max_size=8),
    st.integers(1, 700),
)
def test_forged_bytes_raise_nothing_but_bad_binary(
    entries: list[Entry], edits: list[tuple[int, bytes]], size: int
) -> None:
    content = bytearray(container(entries) + concatenated(entries))
    for at, new in edits:
        content[at : at + len(new)] = new
    assert problem(bytes(content), size) in {None, "truncated"}
