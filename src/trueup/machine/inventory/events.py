"""Windows' event logs: faults of the graphics driver, and libraries that Defender took away.

`wevtutil` reads them without an administrator where the log's own rights allow it; where they do not, its words
are the reason of the Unknown. Event ids: 4101 of "Display" (the driver was reset), 13, 14 and 153 of "nvlddmkm"
(faults of the card); 1116 and 1117 of Defender (found, acted).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import unescape

from trueup.machine.host import path_of
from trueup.machine.host.quiet import quiet_size
from trueup.machine.inventory.model import Event
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from trueup.machine.host import Host

DAYS = 30
TIMEOUT = 4.0
LIMIT = 50  # events
_SINCE = f"TimeCreated[timediff(@SystemTime) <= {DAYS * 86_400_000}]"
_FAULT = "Provider[@Name='Display' or @Name='nvlddmkm'] and (EventID=4101 or EventID=13 or EventID=14 or EventID=153)"
RESETS = ("System", f"*[System[{_FAULT} and {_SINCE}]]")
_ACTED = "(EventID=1116 or EventID=1117)"
TAKEN = ("Microsoft-Windows-Windows Defender/Operational", f"*[System[{_ACTED} and {_SINCE}]]")
_EVENT = re.compile(r"<Event\b.*?</Event>", re.DOTALL)
_PROVIDER = re.compile(r"<Provider[^>]*\bName=['\"]([^'\"]+)")
_ID = re.compile(r"<EventID[^>]*>(\d+)</EventID>")
_TIME = re.compile(r"<TimeCreated[^>]*SystemTime=['\"]([^'\"]+)")
_PATH = re.compile(r"<Data Name=['\"]Path['\"]>([^<]*)</Data>")
# files of CUDA, cuDNN and the frameworks, in Defender's "file:_C:\\x.dll; file:_…"
_LIBRARY = re.compile(
    r"(?:file:_)?([A-Za-z]:\\[^;<>|]*\\(?:[^;\\]*(?:cuda|cudnn|cublas|cufft|curand|cusolver|cusparse|nvrtc|nvinfer"
    r"|tensorflow|torch|c10|jaxlib|xla|paddle|onnxruntime|zlibwapi)[^;\\]*\.(?:dll|pyd|exe)))",
    re.IGNORECASE,
)


def read_resets(host: Host) -> tuple[Event, ...] | Unknown | None:
    """Return the driver's faults of the last days, the newest first."""
    if host.platform != "windows":
        return None
    answer = _query(host, *RESETS)
    return answer if isinstance(answer, Unknown) else tuple(event for event, _ in parse(answer))


def read_quarantined(host: Host) -> tuple[Event, ...] | Unknown | None:
    """Return the libraries of a framework that Defender acted on."""
    if host.platform != "windows":
        return None
    answer = _query(host, *TAKEN)
    if isinstance(answer, Unknown):
        return answer
    found: dict[str, Event] = {}
    for event, text in parse(answer):
        for path in libraries(text):
            gone = quiet_size(host, path) is None
            found.setdefault(path.lower(), Event(event.provider, event.number, event.time, path, gone))
    return tuple(found.values())


def _query(host: Host, log: str, query: str) -> str | Unknown:
    root = host.env.get("SYSTEMROOT", "C:\\Windows")
    program = str(path_of(host).join(root, "System32", "wevtutil.exe"))
    result = host.run([program, "qe", log, f"/q:{query}", f"/c:{LIMIT}", "/rd:true", "/f:xml"], TIMEOUT)
    if result is None:
        return Unknown(Message("machine.file-missing", {"path": program}))
    if result.code != 0:
        text = " ".join((result.err or result.out).split())[:200]
        return Unknown(
            Message("machine.program-failed", {"what": program, "code": result.code, "text": text})
        )
    return result.out


def parse(text: str) -> list[tuple[Event, str]]:
    """Return each event with its own XML; rows that are cut off are left out."""
    found = []
    for row in _EVENT.findall(text):
        provider, number, time = _PROVIDER.search(row), _ID.search(row), _TIME.search(row)
        if provider and number and time:
            found.append((Event(provider[1], int(number[1]), time[1][:19]), row))
    return found


def libraries(row: str) -> list[str]:
    """Return the files of frameworks that one of Defender's events names."""
    paths = " ".join(unescape(text) for text in _PATH.findall(row))
    return [path.strip() for path in _LIBRARY.findall(paths)]
