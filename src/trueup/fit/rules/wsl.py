"""Is WSL2 there, or what would bring it? Only for the route from Windows into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.fit.knowledge import required
from trueup.fit.rules import changes
from trueup.fit.rules.verdict import HOLDS, change, unknown
from trueup.fit.versions import number, version
from trueup.machine.model import NOT_READ
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.fit.case import Candidate, Case
    from trueup.fit.model import Verdict

FIRST_WSL2_KERNEL = "4.19"  # WSL1 shows 4.4
_HELPERS = ("docker-desktop", "docker-desktop-data", "rancher-desktop", "podman-machine-default")


def windows_for_wsl(case: Case, candidate: Candidate) -> Verdict:
    if not from_windows(case, candidate):
        return HOLDS
    (needs, source), has = required(case.facts, "wsl2.windows-build"), case.windows
    least = f"10.0.{needs}"
    if has is None:
        return unknown("os-build-too-old", "assume-windows", source, least=least)
    if has < int(needs):
        said = str(case.machine.os_build)
        to = changes.update_windows(least)
        return change("os-build-too-old", "windows-too-old-wsl", to, source, has=said, least=least)
    return HOLDS


def ready(case: Case, candidate: Candidate) -> Verdict:
    if not from_windows(case, candidate):
        return HOLDS
    wsl = case.machine.wsl
    if isinstance(wsl, Unknown):
        return change("wsl-not-ready", "wsl-not-described", changes.enable_wsl2())
    if wsl is None or wsl.version is None:
        return change("wsl-not-ready", "wsl-absent", changes.enable_wsl2())
    distros = [name for name in wsl.distros if name.lower() not in _HELPERS]
    if wsl.version == 1 and distros:
        return change("wsl-not-ready", "wsl-version-1", changes.convert_distro(distros[0]), distro=distros[0])
    if wsl.version == 1:
        return change("wsl-not-ready", "wsl-version-1-empty", changes.enable_wsl2())
    if not distros:
        return change("wsl-not-ready", "wsl-no-distro", changes.add_distro())
    if isinstance(wsl.version, Unknown):
        return unknown("wsl-not-ready", "assume-wsl2", distro=distros[0])
    return HOLDS


def kernel(case: Case, candidate: Candidate) -> Verdict:
    inside = case.machine.os == "wsl2"
    if candidate.route != "wsl2" and not (inside and candidate.route == "directml"):
        return HOLDS
    wsl = None if isinstance(case.machine.wsl, Unknown) else case.machine.wsl
    if inside and wsl is not None and wsl.version == 1:
        return change("wsl-not-ready", "wsl-version-1-empty", changes.convert_distro("<distro>"))
    said = case.machine.kernel if inside else NOT_READ
    if isinstance(said, Unknown) and wsl is not None:
        said = wsl.kernel
    has = None if isinstance(said, Unknown) else number(said)
    least, source = required(case.facts, "wsl2.kernel-recommended")
    if has is not None and inside and has < version(FIRST_WSL2_KERNEL):
        return change(
            "wsl-not-ready", "wsl-inside-version-1", changes.convert_distro("<distro>"), has=str(has)
        )
    if has is not None and has < version(least):
        return change(
            "wsl-not-ready", "wsl-kernel-old", changes.update_wsl(), source, has=str(has), least=least
        )
    return HOLDS


def from_windows(case: Case, candidate: Candidate) -> bool:
    return case.machine.os == "windows" and candidate.build.platform == "linux"
