"""A remote file read in pieces, as a seekable file; whole, where the server does not do pieces."""

from __future__ import annotations

import io
import re
import tempfile
from collections import OrderedDict
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from trueup.facts.harvest.client import shown
from trueup.facts.harvest.refuse import Refused

if TYPE_CHECKING:
    from http.client import HTTPResponse

    from trueup.facts.harvest.client import Client

BLOCK = 1 << 16
BLOCKS_KEPT = 128
RUN_MOST = 64  # blocks that one request of a sequential read brings
WHEEL_MOST = 16 << 30
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


class Opened(NamedTuple):
    """`whole`: the file was brought whole, so its hash can be computed."""

    file: BinaryIO
    whole: bool


def open_remote(client: Client, address: str) -> Opened:
    """Open a remote file by ranges, or by bringing it whole into a temporary file."""
    with client.get(address, {"Range": f"bytes=-{BLOCK}"}) as response:
        if response.status != 206:
            return Opened(_whole(client, response, address), whole=True)
        start, end, total = _span(response, address)
        tail = b"".join(client.chunks(response, address, BLOCK))
        tag = _tag(response)
    if len(tail) != end - start + 1 or end + 1 != total:
        raise Refused("index-answer", shown(address), detail="a range that was not asked for")
    remote = RangeFile(client, address, total, tag)
    remote.keep(start, tail)
    return Opened(cast("BinaryIO", io.BufferedReader(remote, BLOCK)), whole=False)


def _span(response: HTTPResponse, address: str) -> tuple[int, int, int]:
    found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if not found:
        raise Refused("index-answer", shown(address), detail="206 without Content-Range")
    return int(found[1]), int(found[2]), int(found[3])


def _tag(response: HTTPResponse) -> tuple[str | None, str | None]:
    return response.headers.get("ETag"), response.headers.get("Last-Modified")


def _whole(client: Client, response: HTTPResponse, address: str) -> BinaryIO:
    file = tempfile.TemporaryFile()  # noqa: SIM115  # the wheel closes it
    try:
        for chunk in client.chunks(response, address, WHEEL_MOST):
            file.write(chunk)
    except BaseException:
        file.close()
        raise
    return cast("BinaryIO", file)


class RangeFile(io.RawIOBase):
    """Blocks of a remote file, the last used ones kept. Reading on asks for longer and longer runs."""

    def __init__(self, client: Client, address: str, size: int, tag: tuple[str | None, str | None]) -> None:
        super().__init__()
        self._client, self._address, self._size, self._tag = client, address, size, tag
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        self._at = 0
        self._next, self._run = -1, 1

    def keep(self, start: int, data: bytes) -> None:
        """Take in bytes that lie at `start`; whole blocks of them are kept."""
        for number in range(-(-start // BLOCK), (start + len(data) + BLOCK - 1) // BLOCK):
            at = number * BLOCK - start
            block = data[at : at + BLOCK]
            if len(block) == min(BLOCK, self._size - number * BLOCK):
                self._blocks[number] = block
        while len(self._blocks) > BLOCKS_KEPT:
            self._blocks.popitem(last=False)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = max(0, offset + (0, self._at, self._size)[whence])
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any writable buffer
        if self._at >= self._size:
            return 0
        number, skip = divmod(self._at, BLOCK)
        data = self._block(number)[skip : skip + len(buffer)]
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def _block(self, number: int) -> bytes:
        if number not in self._blocks:
            self._run = min(RUN_MOST, self._run * 2) if number == self._next else 1
            self._ask(number, self._run)
            self._next = number + self._run
        self._blocks.move_to_end(number)
        return self._blocks[number]

    def _ask(self, number: int, count: int) -> None:
        start = number * BLOCK
        end = min(self._size, start + count * BLOCK) - 1
        with self._client.get(self._address, {"Range": f"bytes={start}-{end}"}) as response:
            changed = response.status != 206 or _tag(response) != self._tag
            if changed or _span(response, self._address) != (start, end, self._size):
                raise Refused("changed-meanwhile", shown(self._address))
            data = b"".join(self._client.chunks(response, self._address, end - start + 1))
        if len(data) != end - start + 1:
            raise Refused("index-answer", shown(self._address), detail="a short range")
        self.keep(start, data)
