"""What a card can do at most: found by the driver's name, and sane."""

from __future__ import annotations

import pytest

from trueup.facts import limits, load
from trueup.facts.store import table

ROWS = table("card_limits")["rows"]


@pytest.mark.parametrize(
    ("name", "memory", "bandwidth"),
    [
        ("NVIDIA GeForce RTX 3080", 10240, 760.3),
        ("NVIDIA GeForce RTX 3080", 12288, 912.4),
        ("GeForce RTX 3080", None, 760.3),
        ("Tesla T4", 15360, 320.0),
        ("NVIDIA GeForce RTX 4060 Laptop GPU", 8188, 256.0),
    ],
)
def test_a_card_is_found_as_its_driver_names_it(name: str, memory: int | None, bandwidth: float) -> None:
    found = limits.of(name, memory)
    assert found is not None
    assert found.bandwidth_gbs == bandwidth


@pytest.mark.parametrize(
    "name", ["AMD Radeon RX 7900 XTX", "NVIDIA GeForce RTX 9999", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", ""]
)
def test_what_is_not_in_the_table_has_no_limits(name: str) -> None:
    assert limits.of(name) is None


def test_a_laptop_is_not_taken_for_the_desktop_card() -> None:
    laptop, desktop = (limits.of(f"NVIDIA GeForce RTX 4090{end}") for end in (" Laptop GPU", ""))
    assert laptop is not None
    assert desktop is not None
    assert laptop.laptop
    assert not desktop.laptop
    assert (laptop.fp32 or 0) < (desktop.fp32 or 0) / 2


def test_what_data_sheets_say_is_kept() -> None:
    t4, l4, a100 = (limits.of(name) for name in ("Tesla T4", "NVIDIA L4", "NVIDIA A100-SXM4-40GB"))
    assert (t4 and t4.fp16, l4 and l4.fp16, a100 and a100.tf32) == (65, 121, 156)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[1]} {row[2]}")
def test_each_row_is_sane(row: list[object]) -> None:
    _, name, memory, _, fp32, tf32, fp16, bf16, *_ = row
    capability = load().card(str(name)).capabilities
    assert capability
    assert isinstance(fp32, float | int)
    assert isinstance(memory, float | int)
    assert memory in {2, 3, 4, 5, 6, 8, 10, 11, 12, 16, 20, 24, 32, 40, 48, 80, 141}
    major = int(capability[0].split(".")[0])
    assert (tf32 is not None) == (bf16 is not None) == (major >= 8)
    assert fp16 is None or (isinstance(fp16, float | int) and fp16 >= fp32)
