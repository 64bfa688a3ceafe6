"""What a person can change on a machine: who must do it, with what command, with a restart or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.fit.model import Change
from trueup.values import Message

if TYPE_CHECKING:
    from trueup.machine.model import Os

WSL_INSTALL = "wsl --install -d Ubuntu"
WINDOWS_FOR_WSL = "10.0.19044"


def update_driver(least: str) -> Change:
    return Change("update-driver", Message("fit.change-update-driver", {"least": least}), admin=True)


def install_driver(least: str, os: Os) -> Change:
    code = "fit.change-install-driver-windows" if os in ("windows", "wsl2") else "fit.change-install-driver"
    return Change("install-driver", Message(code, {"least": least}), admin=True, restart=True)


def other_driver(branch: int) -> Change:
    return Change(
        "change-driver", Message("fit.change-other-driver", {"branch": branch}), admin=True, restart=True
    )


def enable_wsl2() -> Change:
    return Change(
        "enable-wsl2", Message("fit.change-enable-wsl2"), admin=True, restart=True, command=WSL_INSTALL
    )


def add_distro() -> Change:
    return Change("enable-wsl2", Message("fit.change-add-distro"), command=WSL_INSTALL)


def convert_distro(name: str) -> Change:
    command = f"wsl --set-version {name} 2"
    return Change("enable-wsl2", Message("fit.change-convert-distro", {"distro": name}), command=command)


def update_wsl() -> Change:
    return Change("update-wsl", Message("fit.change-update-wsl"), admin=True, command="wsl --update")


def update_windows(least: str) -> Change:
    text = Message("fit.change-update-windows", {"least": least})
    return Change("update-windows", text, admin=True, restart=True)


def free_disk(gigabytes: float) -> Change:
    return Change("free-disk", Message("fit.change-free-disk", {"gigabytes": f"{gigabytes:.1f}"}))


def find_card() -> Change:
    command = "nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv"
    return Change("find-out-card", Message("fit.change-find-card"), command=command)


def leave_tcc() -> Change:
    return Change(
        "leave-tcc", Message("fit.change-leave-tcc"), admin=True, restart=True, command="nvidia-smi -dm 0"
    )


def other_vgpu(series: str) -> Change:
    return Change(
        "change-vgpu", Message("fit.change-other-vgpu", {"series": series}), admin=True, restart=True
    )


def install_cuda(cuda: str, cudnn: str) -> Change:
    command = f"conda install -c conda-forge cudatoolkit={cuda} cudnn={cudnn}"
    text = Message("fit.change-install-cuda", {"cuda": cuda, "cudnn": cudnn})
    return Change("install-cuda", text, command=command)


def install_vc_runtime() -> Change:
    command = "winget install Microsoft.VCRedist.2015+.x64"
    return Change("install-vc-runtime", Message("fit.change-install-vc-runtime"), admin=True, command=command)


def install_python(minor: str) -> Change:
    return Change("install-python", Message("fit.change-install-python", {"python": minor}))
