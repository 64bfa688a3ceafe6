"""Every fault of the laboratory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faults import tf210

if TYPE_CHECKING:
    from model import Fault

ALL: tuple[Fault, ...] = tf210.FAULTS
