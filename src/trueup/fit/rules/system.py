"""Operating system, processor, C library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.fit.case import WINDOWS_10
from trueup.fit.knowledge import required
from trueup.fit.rules import changes
from trueup.fit.rules.verdict import HOLDS, change, no, unknown
from trueup.fit.versions import number, version
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.facts.model import Build
    from trueup.fit.case import Candidate, Case
    from trueup.fit.model import Verdict


def architecture(case: Case, candidate: Candidate) -> Verdict:  # noqa: ARG001  # one shape for all rules
    return unknown("arch", "assume-arch") if isinstance(case.machine.arch, Unknown) else HOLDS


def windows_build(case: Case, candidate: Candidate) -> Verdict:
    if case.machine.os != "windows" or candidate.route == "wsl2" or candidate.build.platform != "windows":
        return HOLDS
    directml = candidate.route == "directml"
    least = int(required(case.facts, "directml.windows-build")[0]) if directml else WINDOWS_10
    has = case.windows
    if has is None:
        return HOLDS if not directml else unknown("os-build-too-old", "assume-windows", least=f"10.0.{least}")
    if has < least:
        to = changes.update_windows(f"10.0.{least}")
        said = str(case.machine.os_build)
        return change(
            "os-build-too-old",
            "windows-too-old",
            to,
            has=said,
            least=f"10.0.{least}",
            route=f"@fit.route-{candidate.route}",
        )
    return HOLDS


def vc_runtime(case: Case, candidate: Candidate) -> Verdict:
    """Ask for Microsoft's C++ runtime, unless the environment gets a copy of its own."""
    build = candidate.build
    if case.machine.vc_runtime is not None or build.platform != "windows":
        return HOLDS
    if any(text.startswith("msvc-runtime") for text in build.requirements):
        return HOLDS
    return change(
        "vc-runtime", "vc-runtime-missing", changes.install_vc_runtime(), build.source, **_what(candidate)
    )


def libc(case: Case, candidate: Candidate) -> Verdict:
    if not _runs_here_on_linux(case, candidate) or case.machine.libc != "musl":
        return HOLDS
    return no("libc", "libc-musl", candidate.build.source, **_what(candidate))


def glibc(case: Case, candidate: Candidate) -> Verdict:
    needs = candidate.build.glibc
    if needs is None or not _runs_here_on_linux(case, candidate) or case.machine.libc == "musl":
        return HOLDS
    has = None if isinstance(case.machine.glibc, Unknown) else number(case.machine.glibc)
    if has is None:
        return unknown("libc", "assume-glibc", candidate.build.source, least=needs)
    if has < version(needs):
        return no(
            "libc-glibc-too-old",
            "glibc-too-old",
            candidate.build.source,
            **_what(candidate),
            has=str(has),
            least=needs,
        )
    return HOLDS


def cpu_features(case: Case, candidate: Candidate) -> Verdict:
    needs = candidate.build.cpu_features
    if not needs or case.arch != "x86_64":
        return HOLDS
    if isinstance(case.machine.cpu_flags, Unknown):
        return unknown("cpu-features", "assume-cpu", candidate.build.source, features=", ".join(needs))
    has = {flag.lower() for flag in case.machine.cpu_flags}
    missing = [feature for feature in needs if feature.lower() not in has]
    if missing:
        return no(
            "cpu-features",
            "cpu-features",
            candidate.build.source,
            **_what(candidate),
            missing=", ".join(missing),
        )
    return HOLDS


def disk(case: Case, candidate: Candidate) -> Verdict:
    """Ask for the unpacked size and a tenth: wheels are unpacked as they come, and files of the cache are linked."""
    return room(case, (candidate.build,))


def room(case: Case, builds: tuple[Build, ...]) -> Verdict:
    """Judge the room for all builds of an environment."""
    free, sizes = case.machine.disk_free_gb, [build.disk_mb for build in builds]
    known = [size for size in sizes if size is not None]
    if isinstance(free, Unknown) or len(known) < len(sizes):
        return HOLDS
    gigabytes = sum(known) * 1.1 / 1000
    if free >= gigabytes:
        return HOLDS
    *others, last = builds
    return change(
        "disk",
        "disk-short",
        changes.free_disk(gigabytes),
        framework=" + ".join([*(f"{b.framework} {b.version}" for b in others), last.framework]),
        version=last.version,
        free=f"{free:.1f}",
        needs=f"{gigabytes:.1f}",
        download=f"{sum(build.download_mb or 0 for build in builds) / 1000:.1f}",
    )


def _runs_here_on_linux(case: Case, candidate: Candidate) -> bool:
    return candidate.build.platform == "linux" and case.machine.os in ("linux", "wsl2")


def _what(candidate: Candidate) -> dict[str, str]:
    return {"framework": candidate.build.framework, "version": candidate.build.version}
