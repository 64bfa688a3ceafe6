"""What a file is, by its first bytes."""

from __future__ import annotations

from typing import Literal

HEAD = 4  # bytes that `kind_of` needs


def kind_of(head: bytes) -> Literal["pe", "elf"] | None:
    """Return the format that a file's first bytes announce; None for anything else."""
    if head.startswith(b"MZ"):
        return "pe"
    return "elf" if head.startswith(b"\x7fELF") else None
