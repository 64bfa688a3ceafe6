"""`wsl.exe`: asked, and read by structure. Its words are in the language of Windows, its columns are not."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.keep.wsl.model import Distro, Fault
from trueup.machine.host import HostError, path_of
from trueup.values import Message, Source, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.machine.host import Host, RunResult

TIMEOUT: Final = 20.0
START: Final = 120.0  # a distro that starts for the first time
# The launcher's folder is on the PATH of a login shell only. No quotes: they would go through two parsers.
FIND: Final = "PATH=$HOME/.local/bin:$PATH; trueup --version || echo none"
RUN: Final = 'PATH=$HOME/.local/bin:$PATH; exec trueup "$@"'
# "* Ubuntu   Running   2": a mark, a name, a state, a version; some distros have spaces in their names.
_ROW = re.compile(r"^(?P<mark>[* ]) (?P<name>\S.*?)\s{2,}(?P<state>\S.*?)\s+(?P<version>[12])\s*$")
_CODE = re.compile(r"0x[0-9a-fA-F]{8}\b|\b(?:WSL|HCS|HCN|WININET|REGDB)_E_\w+|\bE_ACCESSDENIED\b|\bERROR_\w+")


def program(host: Host) -> str:
    """Return the path of `wsl.exe`; by its place, since any folder on PATH may hold another."""
    root = host.env.get("SYSTEMROOT", "C:\\Windows")
    return str(path_of(host).join(root, "System32", "wsl.exe"))


def ask(host: Host, *words: str, seconds: float = TIMEOUT) -> RunResult | Unknown | None:
    """Return what `wsl.exe` answers, None where there is none."""
    try:
        return host.run([program(host), *words], seconds)
    except HostError as error:
        return Unknown(error.why)


def parse_list(text: str) -> tuple[Distro, ...]:
    """Return the rows of `wsl --list --verbose`; a heading has no number, a sentence no columns."""
    rows = (_ROW.match(line) for line in text.splitlines())
    return tuple(
        Distro(row["name"], int(row["version"]), row["mark"] == "*", running=_running(row["state"]))
        for row in rows
        if row
    )


def _running(state: str) -> bool | None:
    return {"Running": True, "Stopped": False}.get(state)


def faults(texts: Iterable[str]) -> tuple[Fault, ...]:
    """Return the known codes in what `wsl.exe` said, each cause once."""
    found: dict[str, Fault] = {}
    for text in texts:
        for line in text.splitlines():
            for code in _CODE.findall(line):
                name, source = _known().get(code.upper(), ("", None))
                if source is not None and name not in found:
                    found[name] = Fault(name, code, line.strip(), source)
    return tuple(found.values())


@lru_cache(maxsize=1)
def _known() -> dict[str, tuple[str, Source]]:
    rows = json.loads((Path(__file__).with_name("data") / "codes.json").read_text("utf-8"))
    return {
        code.upper(): (row["name"], Source(**row["source"])) for row in rows["codes"] for code in row["is"]
    }


def inside(path: str) -> str | None:
    """Return where a distro sees a path of Windows; None where it has no drive letter."""
    found = re.fullmatch(r"(?:\\\\\?\\)?([A-Za-z]):[\\/](.*)", path)
    return None if found is None else f"/mnt/{found[1].lower()}/" + found[2].replace("\\", "/").strip("/")


def no_answer(text: str) -> Unknown:
    return Unknown(Message("wsl.no-answer", {"text": text.strip()[:200] or "-"}))
