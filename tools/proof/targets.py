"""The described machines and sets whose closure is proven for the page `docs/windows.md`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.machine.model import Gpu, Machine, Python

if TYPE_CHECKING:
    from collections.abc import Iterator

# Family -> a card of it and the newest driver branch that serves it.
CARDS = {
    "GTX 9 series": ("NVIDIA GeForce GTX 970", "576.80"),
    "GTX 10 series": ("NVIDIA GeForce GTX 1060", "576.80"),
    "RTX 20 series": ("NVIDIA GeForce RTX 2070", "576.80"),
    "RTX 30 series": ("NVIDIA GeForce RTX 3060", "576.80"),
    "RTX 40 series": ("NVIDIA GeForce RTX 4070", "576.80"),
    "RTX 50 series": ("NVIDIA GeForce RTX 5070", "576.80"),
    "Kepler": ("NVIDIA GeForce GTX 780", "474.44"),
}
PYTHONS = ("3.8", "3.9", "3.10")
CAPABILITIES = ("5.2", "6.1", "7.5", "8.6", "8.9", "12.0", "3.5")  # of the cards above, in their order
LINUX = (
    "tensorflow==2.10.1",
    "tensorflow==2.12.1",
    "tensorflow==2.14.1",
    "tensorflow==2.15.1",
    "tensorflow==2.16.1",
    "tensorflow==2.17.1",
    "tensorflow==2.18.1",
    "tensorflow==2.19.1",
    "tensorflow==2.20.0",
    "tensorflow==2.21.0",
    "torch",
    "jax[cuda12]",
    "jax",
    "onnxruntime-gpu",
)


def windows_machines() -> Iterator[tuple[str, str, Machine]]:
    """Yield family, Python and a Windows 11 PC with nothing but the display driver and that Python."""
    for family, (card, driver) in CARDS.items():
        gpus = (Gpu(card, vendor="nvidia"),)
        for python in PYTHONS:
            machine = Machine(
                "windows",
                arch="x86_64",
                os_build="10.0.22631",
                gpus=gpus,
                driver=driver,
                pythons=(Python(f"{python}.10"),),
                disk_free_gb=100.0,
            )
            yield family, python, machine


def with_card(machine: Machine) -> Machine:
    """Return a real Linux machine as if it had a card and a driver of CUDA 13."""
    card = Gpu("NVIDIA GeForce RTX 3060", vendor="nvidia")
    return replace(machine, gpus=(card,), driver="610.43", disk_free_gb=100.0)
