"""What `nvidia-smi` prints, in the spelling of every driver: a fall-back for the library."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.model import Gpu
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from trueup.machine.host import Host, RunResult

QUERY = ("--query-gpu=name,memory.total,driver_version,compute_cap", "--format=csv,noheader,nounits")
OLD_QUERY = ("--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits")
TIMEOUT = 10.0

# driver 610 and newer print "KMD Version" and "CUDA UMD Version"
_DRIVER = re.compile(r"(?:Driver|KMD) Version:\s*([\d.]+)")
_CUDA = re.compile(r"CUDA (?:UMD )?Version:\s*(\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class Smi:
    """`failure` holds the program's own line where it reached no driver."""

    driver: str | None = None
    cuda: str | None = None
    gpus: tuple[Gpu, ...] = ()
    failure: str | None = None


def find(host: Host) -> str | None:
    """Return the program, by the places where drivers put it; PATH is left to Linux."""
    paths = path_of(host)
    if host.platform == "windows":
        env = host.env
        places = [
            paths.join(env.get("SYSTEMROOT", "C:\\Windows"), "System32", "nvidia-smi.exe"),
            paths.join(
                env.get("PROGRAMFILES", "C:\\Program Files"), "NVIDIA Corporation", "NVSMI", "nvidia-smi.exe"
            ),
        ]
    else:
        folders = [*host.env.get("PATH", "").split(":"), "/usr/bin", "/usr/lib/wsl/lib"]
        places = [paths.join(folder, "nvidia-smi") for folder in dict.fromkeys(folders) if folder]
    return next((str(place) for place in places if _is_there(host, place)), None)


def _is_there(host: Host, path: str) -> bool:
    try:
        return host.size(path) is not None
    except HostError:
        return False


def collect(host: Host) -> Smi | None:
    """Run it; None where there is no such program. Raises HostError where it hangs."""
    program = find(host)
    banner = host.run([program], TIMEOUT) if program else None
    if program is None or banner is None:
        return None
    parsed = parse_banner(banner)
    if parsed.failure is not None:
        return parsed
    rows = host.run([program, *QUERY], TIMEOUT)
    if rows is None or rows.code != 0:  # drivers before 510 do not know compute_cap
        rows = host.run([program, *OLD_QUERY], TIMEOUT)
    gpus = parse_rows(rows.out) if rows is not None and rows.code == 0 else ()
    return Smi(parsed.driver, parsed.cuda, gpus)


def parse_banner(result: RunResult) -> Smi:
    driver, cuda = _DRIVER.search(result.out), _CUDA.search(result.out)
    if driver is None:
        lines = [line for line in (result.out + "\n" + result.err).splitlines() if line.strip()]
        return Smi(failure=lines[0].strip() if lines else f"exit status {result.code}")
    return Smi(driver[1], cuda[1] if cuda else None)


def parse_rows(text: str) -> tuple[Gpu, ...]:
    """Read rows of `name, MiB, driver[, capability]`; "[N/A]" and "[Not Supported]" stay unknown."""
    return tuple(
        _row([cell.strip() for cell in line.split(",")]) for line in text.splitlines() if line.strip()
    )


def _row(cells: list[str]) -> Gpu:
    unknown = Unknown(Message("machine.smi-did-not-say"))
    memory = cells[1] if len(cells) > 1 else ""
    capability = cells[3] if len(cells) > 3 else ""
    return Gpu(
        cells[0],
        capability if re.fullmatch(r"\d+\.\d+", capability) else unknown,
        int(memory) if memory.isdigit() else unknown,
        vendor="nvidia",
    )
