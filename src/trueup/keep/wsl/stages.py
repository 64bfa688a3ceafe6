"""From what was read to the stages that are done, the one that is next, and its step. Pure, and without memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from packaging.version import InvalidVersion, Version

from trueup.keep.wsl.model import Distro, Stage, Step
from trueup.keep.wsl.read import chosen
from trueup.values import Message, TrueupError, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trueup.keep.wsl.model import Needs, Reading, StageName, StageState, Wish

WSL: Final = "wsl.exe"
OLDEST: Final = 19041  # below this Windows has no WSL2: Microsoft, Manual installation steps
INSTALL_SWITCH: Final = 22000  # from here on every Windows knows `--no-distribution`
DISTRO: Final = "Ubuntu"
FEATURES: Final = ("Microsoft-Windows-Subsystem-Linux", "VirtualMachinePlatform")
ENABLE: Final = tuple(
    f"dism.exe /online /enable-feature /featurename:{name} /all /norestart" for name in FEATURES
)
Found = tuple[bool | None, Message, Step | None]  # None: not known


def stages(found: Reading, needs: Needs, wish: Wish) -> tuple[Stage, ...]:
    """Return all stages in their order. Of those that are not done only the first is `next`.

    Raises TrueupError where the distro that was asked for is not there.
    """
    distro = _asked(found, wish)
    looks: dict[StageName, Callable[[], Found]] = {
        "windows": lambda: _windows(found, needs),
        "firmware": lambda: _firmware(found, distro),
        "features": lambda: _features(found, distro),
        "restart": lambda: _restart(found, distro),
        "hypervisor": lambda: _hypervisor(found, distro),
        "package": lambda: _package(found, needs),
        "distro": lambda: _distro(found, distro),
        "user": lambda: _user(distro, wish),
        "version": lambda: _version(distro),
        "driver": lambda: _driver(found, needs),
        "trueup": lambda: _trueup(found, distro, wish),
    }
    return tuple(_ordered(looks))


def next_of(found: tuple[Stage, ...]) -> Stage | None:
    return next((stage for stage in found if stage.state == "next"), None)


def _ordered(looks: dict[StageName, Callable[[], Found]]) -> Iterator[Stage]:
    waiting = False
    for name, look in looks.items():
        good, now, step = look()
        state: StageState = "done" if good else "later" if waiting else "next"
        if good is None and step is None and not waiting:
            state = "unknown"
        waiting = waiting or state == "next"
        yield Stage(name, state, now, None if good else step)


def _asked(found: Reading, wish: Wish) -> Distro | None:
    distro = chosen(found, wish.distro)
    if wish.distro is not None and distro is None and not isinstance(found.distros, Unknown):
        names = ", ".join(one.name for one in found.distros) or "-"
        raise TrueupError(
            Message("wsl.no-such-distro", {"name": wish.distro}), Message("wsl.distros-are", {"names": names})
        )
    return distro


def _runs(found: Reading, distro: Distro | None) -> bool:
    """Tell whether a WSL2 runs already, so that all below it is there, whatever could be read."""
    others = () if isinstance(found.distros, Unknown) else found.distros
    started = any(one.version == 2 and one.running for one in others)
    return started or (distro is not None and isinstance(found.trueup, str))


def _windows(found: Reading, needs: Needs) -> Found:
    if isinstance(found.build, Unknown):
        return None, found.build.why, None
    now = Message("wsl.windows-is", {"build": found.build})
    update = Step(Message("wsl.update-windows", {"least": needs.build}), admin=True, restart=True)
    return found.build >= needs.build, now, update


def _firmware(found: Reading, distro: Distro | None) -> Found:
    # Under a hypervisor Windows answers no for the firmware: it sees itself as a guest.
    if found.hypervisor is True or _runs(found, distro) or found.firmware is True:
        return True, Message("wsl.firmware-on"), None
    if isinstance(found.firmware, Unknown):
        if any(fault.name == "no-virtualisation" for fault in found.faults) and found.platform is True:
            return False, Message("wsl.firmware-said"), _firmware_step()
        return None, found.firmware.why, None
    return False, Message("wsl.firmware-off"), _firmware_step()


def _firmware_step() -> Step:
    return Step(Message("wsl.enable-firmware"), ("shutdown /r /fw /t 0",), admin=True, restart=True)


def _features(found: Reading, distro: Distro | None) -> Found:
    off = any(fault.name in {"no-platform", "no-subsystem"} for fault in found.faults)
    if _runs(found, distro) or (found.platform is True and found.present is True and not off):
        return True, Message("wsl.features-on"), None
    if isinstance(found.present, Unknown):
        return None, found.present.why, None
    if isinstance(found.platform, Unknown) and found.present and not off:
        return None, found.platform.why, None
    known = not isinstance(found.build, Unknown) and found.build >= INSTALL_SWITCH
    commands = ("wsl.exe --install --no-distribution",) if known or found.wsl else ENABLE
    return (
        False,
        Message("wsl.features-off"),
        Step(Message("wsl.enable-features"), commands, admin=True, restart=True),
    )


def _restart(found: Reading, distro: Distro | None) -> Found:
    if found.restart is True and found.hypervisor is not True and not _runs(found, distro):
        step = Step(Message("wsl.restart"), ("shutdown /r /t 0",), restart=True)
        return False, Message("wsl.restart-waits"), step
    if isinstance(found.restart, Unknown):
        return None, found.restart.why, None
    return True, Message("wsl.restart-none"), None


def _hypervisor(found: Reading, distro: Distro | None) -> Found:
    if found.hypervisor is True or _runs(found, distro):
        return True, Message("wsl.hypervisor-runs"), None
    if isinstance(found.hypervisor, Unknown):
        return None, found.hypervisor.why, None
    step = Step(
        Message("wsl.start-hypervisor"),
        ("bcdedit /set hypervisorlaunchtype auto",),
        admin=True,
        restart=True,
    )
    return False, Message("wsl.hypervisor-off"), step


def _package(found: Reading, needs: Needs) -> Found:
    update = Step(Message("wsl.update-wsl"), ("wsl.exe --update",), argv=(WSL, "--update"))
    if isinstance(found.kernel, Unknown):
        return None, found.kernel.why, None
    if found.present is not True or found.kernel is None:
        return False, Message("wsl.package-old"), update
    params = {"wsl": str(found.wsl), "kernel": found.kernel}
    return _at_least(found.kernel, needs.kernel), Message("wsl.package-is", params), update


def _distro(found: Reading, distro: Distro | None) -> Found:
    if isinstance(found.distros, Unknown):
        return None, found.distros.why, None
    if distro is not None:
        number = len(found.distros)
        return True, Message("wsl.distro-is", {"name": distro.name, "count": number}), None
    words = ("--install", "-d", DISTRO)
    step = Step(Message("wsl.add-distro"), (f"wsl.exe {' '.join(words)}",), argv=(WSL, *words))
    return False, Message("wsl.distro-none"), step


def _user(distro: Distro | None, wish: Wish) -> Found:
    if distro is None:
        return None, Message("wsl.after-distro"), None
    if isinstance(distro.uid, Unknown):
        return None, distro.uid.why, None
    if distro.uid != 0:
        return True, Message("wsl.user-is", {"name": distro.name, "uid": distro.uid}), None
    now = Message("wsl.user-root", {"name": distro.name})
    step = Step(
        Message("wsl.make-user"), (f"wsl.exe -d {_quoted(distro.name)}",), argv=(WSL, "-d", distro.name)
    )
    return wish.root, now, step


def _version(distro: Distro | None) -> Found:
    if distro is None:
        return None, Message("wsl.after-distro"), None
    now = Message("wsl.version-is", {"name": distro.name, "version": distro.version})
    words = ("--set-version", distro.name, "2")
    step = Step(
        Message("wsl.convert"), (f"wsl.exe --set-version {_quoted(distro.name)} 2",), argv=(WSL, *words)
    )
    return distro.version == 2, now, step


def _driver(found: Reading, needs: Needs) -> Found:
    if isinstance(found.driver, Unknown):
        return None, found.driver.why, None
    params = {"least": needs.driver}
    if found.driver is None:
        return None, Message("wsl.driver-none", params), None
    step = Step(Message("wsl.update-driver", params), admin=True)
    now = Message("wsl.driver-is", {"driver": found.driver, **params})
    return _at_least(found.driver, needs.driver), now, step


def _trueup(found: Reading, distro: Distro | None, wish: Wish) -> Found:
    if distro is None or distro.version != 2:
        return None, Message("wsl.after-distro"), None
    if isinstance(found.trueup, Unknown):
        return None, found.trueup.why, None
    if found.trueup is not None:
        params = {"version": found.trueup, "name": distro.name}
        return True, Message("wsl.trueup-is", params), None
    now = Message("wsl.trueup-none", {"name": distro.name})
    if wish.source is None:
        return False, now, Step(Message("wsl.bring-trueup", {"name": distro.name}))
    words = ("-d", distro.name, "-e", "sh", f"{wish.source}/install.sh")
    shown = f'wsl.exe -d {_quoted(distro.name)} -e sh "{wish.source}/install.sh"'
    return False, now, Step(Message("wsl.install-trueup"), (shown,), argv=(WSL, *words))


def _at_least(has: str, least: str) -> bool | None:
    """Compare version numbers; kernels carry a build after a hyphen."""
    try:
        return Version(has.partition("-")[0]) >= Version(least)
    except InvalidVersion:
        return None


def _quoted(name: str) -> str:
    return f'"{name}"' if " " in name else name
