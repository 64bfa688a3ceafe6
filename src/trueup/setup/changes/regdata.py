"""Data of registry values: readable where that loses nothing, else the bytes themselves."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from trueup.setup.changes.model import State

TYPES: Final = {
    "REG_SZ": 1,
    "REG_EXPAND_SZ": 2,
    "REG_BINARY": 3,
    "REG_DWORD": 4,
    "REG_MULTI_SZ": 7,
    "REG_QWORD": 11,
}
NAMES: Final = {number: name for name, number in TYPES.items()}
TEXTS: Final = ("REG_SZ", "REG_EXPAND_SZ")
NUMBERS: Final = {"REG_DWORD": "<I", "REG_QWORD": "<Q"}


def state_of(number: int, raw: bytes) -> State:
    """Return `{"type": name, "data"}`; `{"type": number, "raw": hexadecimal}` where that would lose a byte.

    Any program can store any bytes under any type: a text without its end, a number of three bytes.
    """
    name = NAMES.get(number)
    try:
        state = {"type": name, "data": _data(name, raw)} if name else None
        if state is not None and bytes_of(state) == (number, raw):
            return state
    except (ValueError, struct.error):
        pass
    return {"type": number, "raw": raw.hex()}


def bytes_of(state: State) -> tuple[int, bytes]:
    """Return the type's number and the bytes of a state."""
    kind = state["type"]
    if isinstance(kind, int):
        return kind, bytes.fromhex(state["raw"])
    data, number = state["data"], TYPES[kind]
    if kind in NUMBERS:
        return number, struct.pack(NUMBERS[kind], data)
    if kind in TEXTS:
        return number, _encoded(data + "\0")
    if kind == "REG_MULTI_SZ":
        return number, _encoded("".join(f"{text}\0" for text in data) + "\0")
    return number, bytes.fromhex(data)


def _data(name: str, raw: bytes) -> Any:
    if name in NUMBERS:
        return struct.unpack(NUMBERS[name], raw)[0]
    if name == "REG_BINARY":
        return raw.hex()
    text = raw.decode("utf-16-le", "surrogatepass").removesuffix("\0")
    if name in TEXTS:
        return text
    return text.removesuffix("\0").split("\0") if text else []


def _encoded(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")
