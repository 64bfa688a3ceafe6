"""WHY IT FAILED: a log and the facts of the case to ranked causes.

The engine is imported when a log is read: a check-up passes through this package and needs none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose.model import Diagnosis, Finding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from trueup.diagnose.model import Observation
    from trueup.diagnose.signals import Scan

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
        "says-",
        "error-",
    ),
    *(
        "recent-date",
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


def diagnose(
    log: str,
    given: Mapping[str, object] | None = None,
    os: str = "unknown",
    read: Collection[str] = (),
) -> Diagnosis:
    """Diagnose a text with the facts that are stated about it. `read`: those that nobody stated, a survey did."""
    from trueup.diagnose.signals import scanned  # noqa: PLC0415

    return conclude(scanned(log), given or {}, os, read)


def diagnose_stream(
    chunks: Iterable[bytes],
    given: Mapping[str, object] | None = None,
    os: str = "unknown",
    read: Collection[str] = (),
) -> Diagnosis:
    """Diagnose a log of any size from its bytes, in memory that does not grow with it."""
    from trueup.diagnose.signals import Scan  # noqa: PLC0415
    from trueup.diagnose.text import raw_lines  # noqa: PLC0415

    scan = Scan()
    for lines in raw_lines(chunks):
        scan.block(lines)
    return conclude(scan, given or {}, os, read)


def conclude(
    scan: Scan, given: Mapping[str, object], os: str = "unknown", read: Collection[str] = ()
) -> Diagnosis:
    """Diagnose what a scan has seen; what is stated apart from the log goes before what the log states."""
    from trueup.diagnose.case import read_given, system_of  # noqa: PLC0415
    from trueup.diagnose.judge import judge  # noqa: PLC0415
    from trueup.diagnose.relate import relate  # noqa: PLC0415
    from trueup.diagnose.signals import scan_given  # noqa: PLC0415

    seen = _uncovered(scan.finish())
    case = read_given(given, system_of(os), scan.stated())
    everything = (*scan_given(case.texts, read), *seen)
    names = {"log:empty"} if all(one.signal == "recent-date" for one in seen) else set()
    names |= {"log:quiet"} if all(one.signal.startswith(QUIET) for one in seen) else set()
    names |= {"facts:read"} if read else set()
    at = relate(case, everything)
    return judge(everything, type(at)(at.names | names, at.versions))


def _uncovered(seen: tuple[Observation, ...]) -> tuple[Observation, ...]:
    """Leave out what lines say that are notices as a whole, whatever errors they quote."""
    whole = {one.line for one in seen if one.signal.startswith("harmless-whole-")}
    return tuple(one for one in seen if one.line not in whole or one.signal.startswith(QUIET))
