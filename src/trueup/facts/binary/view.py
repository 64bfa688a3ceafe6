"""Bounded random reads of a file whose content nobody vouches for."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from typing import BinaryIO

PAGE = 4096
PAGES_KEPT = 256
TEXT_MOST = 1 << 18  # names of real DLLs stay below 8192; the RUNPATH of TensorFlow 2.21 has 21,000
TEXTS_MOST = 64 << 20  # bytes of names that one file may cost: loops in a forged table end here

Reason = Literal["not-pe", "not-elf", "truncated", "bad-address", "endless-table", "bad-text"]


class BadBinary(ValueError):  # noqa: N818  # as values.Unknown: what it is, not that it is an error
    """A file that is not what it says. `reason` is a short name, `detail` where it was seen."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason} ({detail})" if detail else reason)
        self.reason: Reason = reason
        self.detail = detail


class View:
    """Little-endian reads at an offset, in pages: a file of a gigabyte costs a few KB."""

    def __init__(self, file: BinaryIO, order: Literal["<", ">"] = "<") -> None:
        self._file = file
        self._pages: dict[int, bytes] = {}
        self._texts = 0
        self.order = order
        self.size = file.seek(0, 2)

    def read(self, at: int, count: int) -> bytes:
        """Return exactly `count` bytes."""
        if at < 0 or count < 0 or at + count > self.size:
            raise BadBinary("truncated", f"{count} bytes at {at:#x}")
        if count > PAGE:
            return self._straight(at, count)
        first, last = at // PAGE, (at + max(count, 1) - 1) // PAGE
        data = self._page(first) if first == last else self._page(first) + self._page(last)
        start = at - first * PAGE
        return data[start : start + count]

    def _straight(self, at: int, count: int) -> bytes:
        self._file.seek(at)
        data = self._file.read(count)
        if len(data) != count:
            raise BadBinary("truncated", f"{count} bytes at {at:#x}")
        return data

    def _page(self, number: int) -> bytes:
        if number not in self._pages:
            if len(self._pages) >= PAGES_KEPT:
                self._pages.clear()
            at = number * PAGE
            self._pages[number] = self._straight(at, max(0, min(PAGE, self.size - at)))
        return self._pages[number]

    def unpack(self, layout: str, at: int) -> tuple[int, ...]:
        """Return the integers of a struct layout without its byte order."""
        full = self.order + layout
        return struct.unpack(full, self.read(at, struct.calcsize(full)))

    def u16(self, at: int) -> int:
        return self.unpack("H", at)[0]

    def u32(self, at: int) -> int:
        return self.unpack("I", at)[0]

    def u64(self, at: int) -> int:
        return self.unpack("Q", at)[0]

    def text(self, at: int) -> str:
        """Return the NUL-terminated text at an offset; each byte is one character."""
        parts: list[bytes] = []
        where = at
        while where - at <= TEXT_MOST:
            chunk = self.read(where, max(1, min(PAGE - where % PAGE, self.size - where)))
            head, end, _ = chunk.partition(b"\0")
            parts.append(head)
            where += len(head)
            if end:
                self.spend(where - at + 1)
                return b"".join(parts).decode("latin-1")
        raise BadBinary("bad-text", f"at {at:#x}")

    def spend(self, count: int) -> None:
        self._texts += count
        if self._texts > TEXTS_MOST:
            raise BadBinary("endless-table", "names")
