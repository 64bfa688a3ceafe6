"""What a report is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trueup.diagnose.findings import Checkup
    from trueup.diagnose.trace import Trace
    from trueup.history import Change, Entry


@dataclass(frozen=True, slots=True)
class Material:
    """`machine` is the redacted recording; `proof` a document of trueup.verify/1; `samples` lines of trueup.watch/1.

    `date` in ISO 8601. `good` is the last time that it worked, with `changes` since. `no_trace` is the code of the
    reason why there is no tree. `skipped` counts lines of the log that are no samples.
    """

    checkup: Checkup
    machine: Mapping[str, Any]
    date: str
    proof: Mapping[str, Any] | None = None
    trace: Trace | None = None
    no_trace: str = "report.no-trace-recorded"
    samples: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    verdict: Mapping[str, Any] | None = None
    skipped: int = 0
    entries: Sequence[Entry] = field(default_factory=tuple)
    good: Entry | None = None
    changes: Sequence[Change] = field(default_factory=tuple)
