"""WSL from both sides."""

from __future__ import annotations

from typing import Any

import pytest
from world import World

from trueup.machine.system import kernel_of_wsl
from trueup.machine.wsl import parse_versions, read_wsl
from trueup.values import Unknown

LXSS = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Lxss"
ASK = "C:\\Windows\\System32\\wsl.exe --version"
ENGLISH = "WSL version: 2.0.9.0\nKernel version: 5.15.133.1-1\nWSLg version: 1.0.59\nWindows version: 10.0.22631.2861\n"
CHINESE = "WSL 版本： 2.1.5.0\n内核版本： 5.15.146.1-2\nWSLg 版本： 1.0.60\n"


def windows(distros: dict[str, tuple[str, int]], default: str, out: str = ENGLISH) -> World:
    registry: dict[str, Any] = {LXSS: {"DefaultDistribution": default}}
    registry |= {
        f"{LXSS}\\{key}": {"DistributionName": name, "Version": v} for key, (name, v) in distros.items()
    }
    runs = {ASK: {"code": 0, "out": out}}
    env = {"SYSTEMROOT": "C:\\Windows"}
    return World({"platform": "windows", "env": env, "registry": registry if distros else {}, "runs": runs})


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_the_kernel_is_the_second_number_in_every_language(text: str) -> None:
    assert parse_versions(text)[1].startswith("5.15.1")


def test_the_default_distro_decides() -> None:
    found = read_wsl(windows({"{a}": ("Ubuntu", 1), "{b}": ("Debian", 2)}, "{a}"))
    assert found is not None
    assert not isinstance(found, Unknown)
    assert (found.version, found.distros, found.kernel) == (1, ("Ubuntu", "Debian"), "5.15.133.1-1")


def test_docker_s_own_distro_is_none_of_the_user_s() -> None:
    found = read_wsl(windows({"{a}": ("docker-desktop", 2)}, "{a}"))
    assert found is not None
    assert not isinstance(found, Unknown)
    assert found.distros == ()
    assert isinstance(found.version, Unknown)


def test_wsl_exe_alone_is_no_wsl() -> None:
    assert read_wsl(windows({}, "")) is None


@pytest.mark.parametrize(
    ("release", "version"),
    [
        ("5.15.153.1-microsoft-standard-WSL2", 2),
        ("4.19.104-microsoft-standard", 2),
        ("4.4.0-19041-Microsoft", 1),
        ("6.1.0-18-amd64", None),
        ("6.6.0-custom-microsoft-WSL2", 2),
    ],
)
def test_kernels(release: str, version: int | None) -> None:
    world = World({"platform": "linux", "env": {}, "files": {"/proc/sys/kernel/osrelease": release + "\n"}})
    assert kernel_of_wsl(world) == version
