"""The operating system, WSL, paths and power."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.say import harmless, notice, ok, problem, unknown
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene

# the longest path inside TensorFlow's Windows wheel has 169 characters; Windows stops at 260
LONGEST_FOLDER = 90
COMMIT = 3990  # MiB: the binaries of TensorFlow 2.10 for Windows with CUDA, 4.18 GB (docs/testing.md)
PATH_LIMIT = 2047  # what the dialog for environment variables of older Windows keeps
_READ = (
    *("page_file", "tdr_delay", "scheduling", "fast_startup", "power_plan", "min_cpu", "pcie", "app_control"),
)
_LONG_PATHS = (
    'Set-ItemProperty "HKLM:\\SYSTEM\\CurrentControlSet\\Control\\FileSystem" -Name LongPathsEnabled -Value 1'
)


def system(scene: Scene) -> Iterator[Finding]:
    machine = scene.machine
    name = machine.os_name if isinstance(machine.os_name, str) else machine.os
    detail = machine.os_build if isinstance(machine.os_build, str) else machine.kernel
    arch = machine.arch if isinstance(machine.arch, str) else "?"
    yield ok("system", "system", name=name, detail=detail if isinstance(detail, str) else "?", arch=arch)
    if scene.windows and machine.arch == "arm64":
        yield problem("windows-arm64-unsupported", "system", remedies.say("arm64-fix"))
    if machine.os == "macos":
        yield problem("no-nvidia-on-macos", "system", remedies.build_anew(scene))


def wsl(scene: Scene) -> Iterator[Finding]:
    found, settings = scene.machine.wsl, scene.survey.settings
    if isinstance(found, Unknown) or found is None:
        return
    version = found.version if isinstance(found.version, int) else "?"
    yield ok(
        "wsl", "wsl", version=version, distros=", ".join(found.distros) or "-", kernel=_text(found.kernel)
    )
    if scene.windows or isinstance(settings, Unknown):
        return
    if found.version == 1:
        distro = found.distros[0] if found.distros else "DISTRO"
        yield problem(
            "wsl-version-1", "wsl", remedies.say("wsl-version-1-fix", f"wsl --set-version {distro} 2")
        )
    elif settings.dxg_device is False and settings.container is None:
        yield problem(
            "wsl-no-gpu-device", "wsl", remedies.say("wsl-no-gpu-device-fix", "wsl --update", admin=True)
        )
    if settings.foreign_libcuda:
        where = ", ".join(settings.foreign_libcuda)
        yield problem(
            "wsl-linux-driver-installed", "wsl", remedies.say("wsl-linux-driver-fix", admin=True), where=where
        )


def _text(value: str | Unknown) -> str:
    return value if isinstance(value, str) else "?"


def paths(scene: Scene) -> Iterator[Finding]:
    if scene.subject is not None and not scene.subject.path.isascii():
        yield notice("non-ascii-path", "settings", path=scene.subject.path)
    if scene.windows and scene.machine.long_paths is False and scene.subject is not None:
        longest = max((len(place) for place in scene.subject.places), default=0)
        if longest > LONGEST_FOLDER:
            short = remedies.build_anew(scene, "C:\\tf")
            mend = remedies.say("long-path-fix", _LONG_PATHS, admin=True, restart=True)
            yield problem("long-path", "settings", short, mend, length=longest, limit=LONGEST_FOLDER)


def settings(scene: Scene) -> Iterator[Finding]:
    found = scene.survey.settings
    if isinstance(found, Unknown):
        yield unknown("settings-unread", "settings", found.why, name="-")
        return
    for name in _READ:
        value = getattr(found, name)
        if isinstance(value, Unknown):
            yield unknown("settings-unread", "settings", value.why, name=name)
    if isinstance(found.page_file, str) and found.page_file != "automatic":
        text = "page-file-none" if found.page_file == "none" else "page-file-fixed"
        mend = remedies.say("page-file-fix", "SystemPropertiesPerformance.exe")
        yield notice(text, "settings", mend, value=found.page_file)
    if found.power_plan == "power-saver":
        mend = remedies.say("power-fix", "powercfg /setactive SCHEME_BALANCED")
        yield notice("power-saver", "settings", mend)
    if found.app_control == "on":
        yield notice("app-control-on", "settings", remedies.say("app-control-fix", "trueup verify"))
    if found.path_length > PATH_LIMIT and scene.windows:
        yield notice("path-long", "settings", length=found.path_length, limit=PATH_LIMIT)
    if found.path_dead:
        yield harmless("path-dead", "settings", count=len(found.path_dead), first=found.path_dead[0])


def memory(scene: Scene) -> Iterator[Finding]:
    """Look at memory: on Windows loading CUDA's libraries needs a promise of memory as large as they are."""
    found = scene.survey.memory
    if isinstance(found, Unknown):
        yield unknown("memory-unknown", "settings", found.why)
        return
    yield ok("memory", "settings", total=_gb(found.total), free=_gb(found.available))
    if found.commit_free is not None and found.commit_free < COMMIT and found.commit_limit is not None:
        mends = [remedies.say("page-file-fix", "SystemPropertiesPerformance.exe")] if scene.windows else []
        params = {"free": _gb(found.commit_free), "limit": _gb(found.commit_limit), "size": _gb(COMMIT)}
        yield notice("commit-little", "settings", *mends, **params)
    if found.limit is not None and found.limit < COMMIT:
        yield notice("container-memory-little", "settings", limit=_gb(found.limit), size=_gb(COMMIT))


def _gb(mib: int) -> str:
    return f"{mib / 1024:.1f}"
