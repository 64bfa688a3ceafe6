"""Cards by the bus."""

from __future__ import annotations

from pathlib import Path

import pytest
from world import World, load

from trueup.machine.pci import linux_cards, nvidia_version, pci_name, windows_cards

BASES = Path(__file__).parent.parent / "check" / "bases"
IDS = """# a comment
1002  Advanced Micro Devices, Inc. [AMD/ATI]
\t73df  Navi 22 [Radeon RX 6700/6700 XT/6750 XT / 6800M/6850M XT]
10de  NVIDIA Corporation
\t1eb8  TU104GL [Tesla T4]
\t\t10de 12a2  Tesla T4
\t2504  GA106 [GeForce RTX 3060 Lite Hash Rate]
8086  Intel Corporation
\t2504  Not a card of NVIDIA
"""


@pytest.mark.parametrize(
    ("vendor", "device", "name"),
    [
        ("10de", "2504", "GeForce RTX 3060 Lite Hash Rate"),
        ("10de", "1eb8", "Tesla T4"),
        ("8086", "2504", "Not a card of NVIDIA"),
        ("10de", "73df", None),
        ("ffff", "0001", None),
    ],
)
def test_names(vendor: str, device: str, name: str | None) -> None:
    assert pci_name("\n" + IDS, vendor, device) == name


@pytest.mark.parametrize(
    ("windows", "nvidia"),
    [
        ("31.0.15.3667", "536.67"),
        ("27.21.14.5671", "456.71"),
        ("32.0.15.6094", "560.94"),
        ("30.0.14.7141", "471.41"),
        ("10.18.13.623", "306.23"),
    ],
)
def test_windows_numbers_become_those_of_nvidia(windows: str, nvidia: str) -> None:
    assert nvidia_version(windows) == nvidia


def test_linux_lists_display_devices_alone() -> None:
    found = linux_cards(load(BASES / "linux.json"))
    assert found is not None
    assert [(gpu.name, gpu.vendor, gpu.pci) for gpu in found] == [
        ("NVIDIA A100 PCIe 40GB", "nvidia", "10de:20f1")
    ]


def test_no_bus_is_not_an_empty_bus() -> None:
    assert linux_cards(World({"platform": "linux", "env": {}})) is None


def test_windows_takes_the_display_class() -> None:
    ((gpu, version),) = windows_cards(load(BASES / "windows.json"))
    assert (gpu.name, gpu.vendor, gpu.pci, version) == (
        "NVIDIA GeForce RTX 3060",
        "nvidia",
        "10de:2504",
        "31.0.15.3667",
    )
