from __future__ import annotations

import io
import random
from typing import BinaryIO

from hypothesis import given, settings
from hypothesis import strategies as st
from served import Manner, index

from trueup.facts.harvest.client import Client
from trueup.facts.harvest.ranges import BLOCK, BLOCKS_KEPT, open_remote

CONTENT = random.Random(1).randbytes(3 * BLOCK + 777)  # noqa: S311  # any bytes that differ


def opened(address: str) -> BinaryIO:
    found = open_remote(Client(seconds=5), address.replace("/simple", "/files/x"))
    assert not found.whole
    return found.file


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(CONTENT) + 10), st.integers(0, 2 * BLOCK)), min_size=1, max_size=8)
)
def test_a_remote_file_reads_as_the_file_itself(steps: list[tuple[int, int]]) -> None:
    here = io.BytesIO(CONTENT)
    with index({"x": CONTENT}, Manner()) as address, opened(address) as file:
        for at, count in steps:
            file.seek(at)
            here.seek(at)
            assert file.read(count) == here.read(count)


def test_a_small_file_is_brought_by_one_range() -> None:
    manner = Manner()
    with index({"x": b"small"}, manner) as address, opened(address) as file:
        assert file.read() == b"small"
    assert [span for _, span in manner.asked] == [f"bytes=-{BLOCK}"]


def test_reading_on_asks_for_longer_runs_and_keeps_little() -> None:
    content = bytes(64 * BLOCK)
    manner = Manner()
    with index({"x": content}, manner) as address, opened(address) as file:
        while file.read(BLOCK):
            pass
    assert len(manner.asked) < 12
    assert BLOCKS_KEPT * BLOCK <= 8 << 20
