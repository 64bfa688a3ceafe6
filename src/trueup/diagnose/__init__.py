"""WHY IT FAILED: a log and the facts of the case to ranked causes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose.case import read_given
from trueup.diagnose.judge import judge
from trueup.diagnose.model import Diagnosis, Finding, Observation
from trueup.diagnose.relate import relate
from trueup.diagnose.signals import Scan, scan_given, scan_text
from trueup.diagnose.text import raw_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# What a log may hold without pointing at a fault: facts by the way, progress, an empty list of GPUs.
QUIET = (
    *(
        "text-",
        "log-",
        "harmless-",
        "works-",
        "note-",
        "in-",
        "gpu-",
        "cpu-",
        "name-",
        "pywrap-",
        "import-",
        "asks-",
    ),
    *(
        "smi-works",
        "cuda-available",
        "tf-not-built",
        "cudart-",
        "lib-opened",
        "dll-",
        "native-",
        "cudnn-file",
    ),
)

__all__ = ["Diagnosis", "Finding", "conclude", "diagnose", "diagnose_stream"]


def diagnose(log: str, given: Mapping[str, object] | None = None, os: str = "unknown") -> Diagnosis:
    """Diagnose a text with the facts that are stated about it."""
    return _answer(scan_text(log), given or {}, os)


def diagnose_stream(
    chunks: Iterable[bytes], given: Mapping[str, object] | None = None, os: str = "unknown"
) -> Diagnosis:
    """Diagnose a log of any size from its bytes, in memory that does not grow with it."""
    scan = Scan()
    for lines in raw_lines(chunks):
        scan.block(lines)
    return conclude(scan, given or {}, os)


def conclude(scan: Scan, given: Mapping[str, object], os: str = "unknown") -> Diagnosis:
    """Diagnose what a scan has seen."""
    return _answer(scan.finish(), given, os)


def _answer(seen: tuple[Observation, ...], given: Mapping[str, object], os: str) -> Diagnosis:
    case = read_given(given, os)
    stated = scan_given(case.texts)
    everything = (*stated, *seen)
    names = {"log:empty"} if not seen else set()
    names |= {"log:quiet"} if all(one.signal.startswith(QUIET) for one in seen) else set()
    at = relate(case, everything)
    return judge(everything, type(at)(at.names | names, at.versions))
