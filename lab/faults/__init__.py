"""Every fault of the laboratory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faults import installers, others, tf210, tf_early, tf_new, wine210

if TYPE_CHECKING:
    from model import Fault

ALL: tuple[Fault, ...] = (
    *tf210.FAULTS,
    *tf_early.FAULTS,
    *tf_new.FAULTS,
    *wine210.FAULTS,
    *others.FAULTS,
    *installers.FAULTS,
)
