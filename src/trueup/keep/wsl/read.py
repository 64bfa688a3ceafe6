"""Reads WSL from Windows: CIM for what runs under Windows, the registry for distros, `wsl.exe` for itself."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from trueup.keep.wsl import wslexe
from trueup.keep.wsl.model import Distro, Reading
from trueup.machine.cards import read_cards
from trueup.machine.host import HostError, path_of
from trueup.machine.system import read_os_build
from trueup.machine.wsl import DISTROS, HELPERS, parse_versions
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.machine.host import Host, RunResult

CIM_SECONDS: Final = 60.0
# Values of CIM and registry keys are the same in every language of Windows.
CIM: Final = (
    "$ErrorActionPreference='SilentlyContinue';"
    "$p=@(Get-CimInstance Win32_Processor)[0];$c=Get-CimInstance Win32_ComputerSystem;"
    '"firmware=$($p.VirtualizationFirmwareEnabled)";"hypervisor=$($c.HypervisorPresent)";'
    "Get-CimInstance Win32_OptionalFeature -Filter \"Name='VirtualMachinePlatform'\""
    '|%{"platform=$($_.InstallState)"}'
)
PENDING: Final = "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Component Based Servicing"
INSTALLED: Final = 1  # of a distro's State; 3 and 4: on its way in or out


def read(host: Host, distro: str | None = None) -> Reading:
    """Return what WSL is here. The distro is only started where everything before it is there."""
    told = _cim(host)
    version, listed = wslexe.ask(host, "--version"), wslexe.ask(host, "--list", "--verbose")
    said = [answer for answer in (version, listed) if not isinstance(answer, Unknown) and answer is not None]
    numbers = _numbers(version)
    found = Reading(
        build=_build(host),
        firmware=_flag(told, "firmware"),
        hypervisor=_flag(told, "hypervisor"),
        platform=_flag(told, "platform"),
        restart=_pending(host),
        present=_present(version, listed),
        wsl=numbers if isinstance(numbers, Unknown) or numbers is None else numbers[0],
        kernel=numbers if isinstance(numbers, Unknown) or numbers is None else numbers[1],
        distros=_distros(host, listed),
        driver=_driver(host),
        faults=wslexe.faults(part for answer in said for part in (answer.out, answer.err)),
    )
    return _with_trueup(host, found, distro)


def chosen(found: Reading, name: str | None) -> Distro | None:
    """Return the distro that is meant: the named one, or the default of those that people use."""
    if isinstance(found.distros, Unknown):
        return None
    if name is not None:
        return next((one for one in found.distros if one.name.lower() == name.lower()), None)
    users = [one for one in found.distros if one.name not in HELPERS]
    return next((one for one in users if one.default), max(users, key=lambda one: one.version, default=None))


def _with_trueup(host: Host, found: Reading, name: str | None) -> Reading:
    distro = chosen(found, name)
    if distro is None or distro.version != 2:
        return found
    answer = wslexe.ask(host, "-d", distro.name, "-e", "sh", "-c", wslexe.FIND, seconds=wslexe.START)
    if isinstance(answer, Unknown):
        return replace(found, trueup=answer)
    said = "" if answer is None else answer.out + answer.err
    known = {fault.name for fault in found.faults}
    more = tuple(fault for fault in wslexe.faults([said]) if fault.name not in known)
    found = replace(found, faults=found.faults + more)
    if answer is None or answer.code != 0:
        return replace(found, trueup=wslexe.no_answer(said))
    version = re.search(r"^trueup (\S+)\s*$", said, re.MULTILINE)
    if version:
        return replace(found, trueup=version[1])
    return replace(found, trueup=None if "none" in said.split() else wslexe.no_answer(said))


def _cim(host: Host) -> Mapping[str, str] | Unknown:
    root = host.env.get("SYSTEMROOT", "C:\\Windows")
    shell = path_of(host).join(root, "System32", "WindowsPowerShell", "v1.0", "powershell.exe")
    try:
        answer = host.run([shell, "-NoProfile", "-NonInteractive", "-Command", CIM], CIM_SECONDS)
    except HostError as error:
        return Unknown(error.why)
    if answer is None:
        return Unknown(Message("wsl.no-powershell"))
    return dict(re.findall(r"^(\w+)=(\w+)\s*$", answer.out, re.MULTILINE))


def _present(*answers: RunResult | Unknown | None) -> bool | Unknown:
    said = [answer for answer in answers if not isinstance(answer, Unknown)]
    if said:
        return any(answer is not None for answer in said)
    return next(answer for answer in answers if isinstance(answer, Unknown))


def _flag(told: Mapping[str, str] | Unknown, name: str) -> bool | Unknown:
    """Return a yes or no; a component is on at 1, and off at 2 and 3."""
    if isinstance(told, Unknown):
        return told
    known = {"True": True, "False": False, "1": True, "2": False, "3": False}
    return known.get(told.get(name, ""), Unknown(Message("wsl.not-told", {"what": name})))


def _build(host: Host) -> int | Unknown:
    try:
        said = read_os_build(host)
    except HostError as error:
        return Unknown(error.why)
    if isinstance(said, Unknown):
        return said
    found = re.match(r"\d+\.\d+\.(\d+)", said)
    return int(found[1]) if found else Unknown(Message("wsl.not-told", {"what": said}))


def _pending(host: Host) -> bool | Unknown:
    try:
        return "RebootPending" in (host.registry_keys(PENDING) or ())
    except HostError as error:
        return Unknown(error.why)


def _numbers(answer: RunResult | Unknown | None) -> tuple[str, str] | Unknown | None:
    """Return the versions of WSL and of its kernel; None for the WSL of Windows, which does not know the question."""
    if answer is None or isinstance(answer, Unknown):
        return answer
    found = parse_versions(answer.out) if answer.code == 0 else ()
    return (found[0], found[1]) if len(found) > 1 else None


def _distros(host: Host, listed: RunResult | Unknown | None) -> tuple[Distro, ...] | Unknown:
    """Return the distros of the registry, which knows their users, with the states that `wsl.exe` told."""
    rows = () if listed is None or isinstance(listed, Unknown) else wslexe.parse_list(listed.out)
    running = {row.name: row.running for row in rows}
    try:
        keys = host.registry_keys(DISTROS) or ()
        default = (host.registry_values(DISTROS) or {}).get("DefaultDistribution")
        found = [(key, host.registry_values(f"{DISTROS}\\{key}") or {}) for key in keys]
    except HostError as error:
        return rows or Unknown(error.why)
    return tuple(
        replace(distro, running=running.get(distro.name))
        for key, values in found
        if (distro := _distro(values, default=key == default)) is not None
    )


def _distro(values: Mapping[str, Any], *, default: bool) -> Distro | None:
    name, version, uid = values.get("DistributionName"), values.get("Version", 1), values.get("DefaultUid", 0)
    if not isinstance(name, str) or version not in (1, 2) or values.get("State", INSTALLED) != INSTALLED:
        return None
    return Distro(name, version, default, uid if isinstance(uid, int) else 0)


def _driver(host: Host) -> str | Unknown | None:
    try:
        return read_cards(host).driver
    except HostError as error:
        return Unknown(error.why)
