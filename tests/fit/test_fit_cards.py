"""The rules of cards and drivers, each alone, on hand-made facts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fit_world import BUILDS, HOLDS, LINUX, WINDOWS, WORLD, build, candidate, case, machine, said

from trueup.facts.model import GpuCode
from trueup.fit.case import Card, read_case
from trueup.fit.rules import driver
from trueup.fit.rules.cards import code, directx12, judge, vendor, wsl_card
from trueup.machine.model import Gpu
from trueup.values import Unknown

NATIVE = build("tensorflow", "2.10.1")
WSL = build("tensorflow", "2.20.0", platform="linux", cuda="12.5", cudnn="9.3", glibc="2.31")


def card_of(name: str, vendor_name: Any, *kinds: str, tcc: bool = False) -> Card:
    rows = tuple(row for kind in kinds if (row := WORLD.capability(kind)))
    return Card(name, vendor_name, kinds, rows, tcc)


def test_the_bus_names_the_vendor_of_a_card_that_the_tables_do_not_know() -> None:
    described = case(machine(WINDOWS, "Radeon Mystery", "Nameless"))
    assert not isinstance(described.cards, Unknown)
    assert [card.vendor for card in described.cards] == ["amd", "unknown"]
    read = replace(described.machine, gpus=(Gpu("Nameless", vendor="intel"), Gpu("Nameless", "8.6")))
    cards = read_case(read, described.asked, WORLD).cards
    assert not isinstance(cards, Unknown)
    assert [(card.vendor, card.kinds) for card in cards] == [("intel", ()), ("nvidia", ("8.6",))]


def test_vendors() -> None:
    native = candidate("windows-native", NATIVE)
    radeon, strange = card_of("Radeon", "amd"), card_of("X", "unknown")
    assert said(vendor(case(WINDOWS), native, radeon, None)) == ("no", "card-not-nvidia", None)
    assert said(vendor(case(WINDOWS), native, strange, None)) == ("change", "card-unknown", "find-out-card")
    assert said(vendor(case({**WINDOWS, "driver": "536.67"}), native, strange, None)) == HOLDS


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("3.0", ("no", "arch-no-code", None)),
        ("6.1", HOLDS),
        ("8.6", HOLDS),
        ("9.0", HOLDS),
        ("12.0", ("no", "arch-no-code-libraries", None)),
    ],
)
def test_code_for_a_card(kind: str, expected: Any) -> None:
    assert (
        said(code(case(WINDOWS), candidate("windows-native", NATIVE), card_of("c", "nvidia", kind), kind))
        == expected
    )


def test_code_that_nobody_read() -> None:
    unread = replace(NATIVE, code=GpuCode(known=False), library_code=GpuCode(known=False))
    hopper = card_of("H100", "nvidia", "9.0")
    assert said(code(case(WINDOWS), candidate("linux", unread), hopper, "9.0")) == (
        "no",
        "arch-no-code-libraries",
        None,
    )
    turing = card_of("RTX 2060", "nvidia", "7.5")
    assert said(code(case(WINDOWS), candidate("linux", unread), turing, "7.5")) == (
        "unknown",
        "arch-no-code",
        None,
    )


@pytest.mark.parametrize(
    ("driver_text", "cuda", "kind", "route", "expected"),
    [
        ("452.39", "11.2", "7.5", "windows-native", HOLDS),
        ("452.38", "11.2", "7.5", "windows-native", ("change", "driver-floor", "update-driver")),
        (None, "11.2", "7.5", "windows-native", ("change", "driver-missing", "install-driver")),
        ("536.67", "12.5", "8.6", "wsl2", HOLDS),
        ("511.79", "12.5", "8.6", "wsl2", ("change", "driver-floor", "update-driver")),
        ("472.12", "11.2", "6.1", "wsl2", ("change", "driver-floor", "update-driver")),
        ("426.00", "11.2", "8.6", "windows-native", ("change", "driver-floor-card", "update-driver")),
        ("474.30", "12.5", "3.0", "windows-native", ("no", "driver-floor", None)),
        ("474.30", "11.2", "3.0", "windows-native", HOLDS),
        ("591.44", "12.5", "6.1", "windows-native", ("change", "driver-too-new", "change-driver")),
        ("581.29", "12.5", "6.1", "windows-native", HOLDS),
        ("581.29", "13.0", "8.6", "windows-native", HOLDS),
        ("579.99", "13.0", "8.6", "windows-native", ("change", "driver-floor", "update-driver")),
    ],
)
def test_drivers(driver_text: str | None, cuda: str, kind: str, route: Any, expected: Any) -> None:
    used = candidate(route, replace(NATIVE, cuda=cuda))
    now = case({**WINDOWS, "driver": driver_text})
    assert said(driver.carries(now, used, card_of("c", "nvidia", kind), kind)) == expected


def test_ptx_needs_the_driver_of_its_toolkit() -> None:
    jit = candidate("linux", replace(WSL, code=GpuCode((), ("8.0",)), library_code=GpuCode(("8.0",))))
    card = card_of("c", "nvidia", "8.6")
    minor, full = case({**LINUX, "driver": "535.54.03"}), case({**LINUX, "driver": "555.42.02"})
    assert said(driver.carries(minor, jit, card, "8.6")) == ("change", "driver-floor", "update-driver")
    assert said(driver.carries(full, jit, card, "8.6")) == HOLDS


def test_a_driver_that_was_not_read_is_an_assumption() -> None:
    card = card_of("c", "nvidia", "7.5")
    assert (
        said(driver.carries(case(WINDOWS), candidate("windows-native", NATIVE), card, "7.5"))[0] == "unknown"
    )


def test_directx12() -> None:
    plugin = candidate("directml", BUILDS["tensorflow"][-1])
    here = case(WINDOWS)
    assert said(directx12(here, plugin, card_of("Arc", "intel"), None)) == HOLDS
    assert said(directx12(here, plugin, card_of("Basic", "other"), None)) == ("no", "card-no-directx12", None)
    assert said(directx12(here, plugin, card_of("GTX 760", "nvidia", "3.0"), "3.0"))[0] == "unknown"
    assert said(directx12(here, plugin, card_of("8800", "nvidia", "1.0"), "1.0"))[0] == "no"
    tcc = card_of("RTX", "nvidia", "8.6", tcc=True)
    assert said(directx12(here, plugin, tcc, "8.6")) == ("change", "card-tcc", "leave-tcc")
    assert said(wsl_card(here, candidate("wsl2", WSL), tcc, "8.6")) == (
        "change",
        "wsl-not-ready",
        "leave-tcc",
    )


def test_directml_needs_a_driver_as_well() -> None:
    plugin, card = candidate("directml", BUILDS["tensorflow"][-1]), card_of("RTX 5090", "nvidia", "12.0")
    none, old = case({**WINDOWS, "driver": None}), case({**WINDOWS, "driver": "560.94"})
    assert said(driver.directml_driver(none, plugin, card, "12.0")) == (
        "change",
        "driver-missing",
        "install-driver",
    )
    assert said(driver.directml_driver(old, plugin, card, "12.0")) == (
        "change",
        "driver-floor-card",
        "update-driver",
    )
    assert said(driver.directml_driver(old, plugin, card_of("Arc", "intel"), None))[0] == "unknown"


def test_maxwell_in_wsl_is_no_promise() -> None:
    verdict = wsl_card(case(WINDOWS), candidate("wsl2", WSL), card_of("GTX 980", "nvidia", "5.2"), "5.2")
    assert said(verdict) == ("unknown", "wsl-card", None)


def test_of_several_cards_the_served_ones_count() -> None:
    both = case(machine(LINUX, "GTX 760", "RTX 3060", driver="535.54.03"))
    judged = judge(both, candidate("linux", WSL))
    assert [card.name for card in judged.served] == ["RTX 3060"]
    assert [j.card.name for j in judged.not_served] == ["GTX 760"]
    assert judged.verdicts == ()
    assert judged.kernels == "native"


def test_a_name_with_two_chips_is_no_promise() -> None:
    judged = judge(case(machine(LINUX, "GT 7x0", driver="535.54.03")), candidate("linux", WSL))
    assert [said(v) for v in judged.verdicts] == [("change", "card-ambiguous", "find-out-card")]


def test_no_cards_and_unknown_cards_differ() -> None:
    none = judge(case(machine(LINUX)), candidate("linux", WSL))
    assert [said(v) for v in none.verdicts] == [("no", "card-none", None)]
    unread = judge(case(LINUX), candidate("linux", WSL))
    assert [said(v) for v in unread.verdicts] == [("change", "card-unknown", "find-out-card")]
