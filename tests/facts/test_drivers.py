"""Drivers, CUDA lines, capabilities and cuDNN."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from trueup.facts import load

if TYPE_CHECKING:
    from trueup.facts.model import Platform

FACTS = load()
OSES: tuple[Platform, ...] = ("windows", "linux")


@pytest.mark.parametrize(
    ("cuda", "os", "minor", "full"),
    [
        ("11.2", "windows", "452.39", "460.82"),
        ("11.2", "linux", "450.80.02", "460.27.03"),
        ("11.8", "windows", "452.39", "522.06"),
        ("12.0", "windows", "528.33", "528.33"),
        ("12.5", "linux", "525.60.13", "555.42.02"),
        ("13.0", "linux", "580.65.06", "580.65.06"),
        ("10.1", "windows", None, "418.96"),
    ],
)
def test_floors(cuda: str, os: Platform, minor: str | None, full: str) -> None:
    floor = FACTS.driver_floor(cuda, os)
    assert floor is not None
    assert (floor.minor_compatible, floor.full) == (minor, full)


def test_a_patch_number_takes_its_line() -> None:
    assert FACTS.driver_floor("12.5.1", "linux") == FACTS.driver_floor("12.5", "linux")
    assert FACTS.driver_floor("99.0", "linux") is None


@pytest.mark.parametrize("os", OSES)
@pytest.mark.parametrize("column", ["minor_compatible", "full"])
def test_a_floor_never_falls_as_cuda_rises(os: Platform, column: str) -> None:
    mine = sorted((f for f in FACTS.driver_floors() if f.os == os), key=lambda f: Version(f.cuda))
    values = [Version(v) for f in mine if (v := getattr(f, column))]
    assert values == sorted(values)
    assert len(values) > 5


def test_machine_code_never_asks_for_more_than_ptx() -> None:
    both = [(f.minor_compatible, f.full) for f in FACTS.driver_floors() if f.minor_compatible and f.full]
    assert both
    assert [pair for pair in both if Version(pair[0]) > Version(pair[1])] == []


@pytest.mark.parametrize(
    ("driver", "branch", "cuda"),
    [
        ("536.67", 535, "12.2"),
        ("456.71", 455, "11.1"),
        ("474.30", 470, "11.4"),
        ("581.29", 580, "13.0"),
        ("470.256.02", 470, "11.4"),
        ("566.36", 565, "12.7"),
        ("999.99", 620, "13.5"),
        ("617.14", 615, "13.4"),
        ("512.15", 510, "11.6"),
        ("571.96", 570, "12.8"),
    ],
)
def test_what_a_driver_knows(driver: str, branch: int, cuda: str) -> None:
    assert (FACTS.driver_branch(driver), FACTS.cuda_of_driver(driver, "windows")) == (branch, cuda)


def test_a_driver_that_is_no_number_is_unknown() -> None:
    assert FACTS.driver_branch("none") is None
    assert FACTS.cuda_of_driver("none", "linux") is None


def test_a_toolkits_own_driver_knows_that_toolkit() -> None:
    """The floors and the branches are two tables; they must tell one story."""
    wrong = []
    for floor in FACTS.driver_floors():
        shown = FACTS.cuda_of_driver(floor.full, floor.os) if floor.full else None
        if shown and Version(shown) < Version(floor.cuda):
            wrong.append((floor.cuda, floor.os, floor.full, shown))
    assert wrong == []


def test_branches_cover_numbers_in_order() -> None:
    from trueup.facts.store import table

    rows = table("drivers")["branches"]["rows"]
    assert all(low[1] < high[0] for low, high in itertools.pairwise(rows))
    assert [r[2] for r in rows] == sorted((r[2] for r in rows), key=Version)


def test_capabilities_have_a_life_that_begins_before_it_ends() -> None:
    for kind in FACTS.capabilities():
        if kind.first_cuda and kind.last_cuda:
            assert Version(kind.first_cuda) <= Version(kind.last_cuda), kind
        if kind.first_driver_branch and kind.last_driver_branch:
            assert kind.first_driver_branch <= kind.last_driver_branch, kind


@pytest.mark.parametrize(
    ("capability", "first", "last"),
    [
        ("12.0", 570, None),
        ("8.6", 455, None),
        ("6.1", 367, 580),
        ("3.5", 304, 470),
        ("7.0", 384, 580),
        ("7.5", 410, None),
    ],
)
def test_driver_branches_of_an_architecture(capability: str, first: int, last: int | None) -> None:
    kind = FACTS.capability(capability)
    assert kind is not None
    assert (kind.first_driver_branch, kind.last_driver_branch) == (first, last)


def test_the_driver_that_first_shows_a_cards_first_cuda_drives_the_card() -> None:
    """A card cannot be older than the CUDA that first targets it, nor its driver newer than that CUDA's."""
    late = []
    for kind in FACTS.capabilities():
        floor = FACTS.driver_floor(kind.first_cuda, "linux") if kind.first_cuda else None
        shown = FACTS.driver_branch(floor.full) if floor and floor.full else None
        if shown and kind.first_driver_branch and kind.first_driver_branch > shown:
            late.append((kind.capability, kind.first_driver_branch, shown))
    assert late == []


@pytest.mark.parametrize(
    ("cudnn", "cuda", "least"),
    [
        ("8.9.5.29", "11.8", "5.0"),
        ("8.1", "11.2", "3.5"),
        ("9.10.2.21", "12.8", "5.0"),
        ("9.11.0", "12.8", "7.5"),
        ("9.26.0.51", "13.2", "7.5"),
    ],
)
def test_cudnn_for_a_cuda(cudnn: str, cuda: str, least: str) -> None:
    row = FACTS.cudnn(cudnn, cuda)
    assert row is not None
    assert row.least_capability == least


def test_cudnn_that_was_not_built_for_a_cuda_is_none() -> None:
    assert FACTS.cudnn("8.6", "12.5") is None
    assert FACTS.cudnn("9.28.0", "11.8") is None


def test_requirements_are_known_by_name() -> None:
    value, source = FACTS.requirement("wsl2.windows-build")
    assert value == "19044"
    assert source.date
    with pytest.raises(KeyError):
        FACTS.requirement("no.such")
