"""Packages beside a framework: what a build asks of them, what they ask of it, on which Pythons."""

from __future__ import annotations

from fit_world import HOLDS, WINDOWS, WORLD, build, candidate, case, machine, said

from trueup.fit.beside import serving
from trueup.fit.model import Wish
from trueup.fit.rules import packages
from trueup.fit.solve import solve
from trueup.machine.describe import parse

NATIVE = build("tensorflow", "2.10.1")
WSL = build("tensorflow", "2.20.0", platform="linux", cuda="12.5", cudnn="9.3", pythons=("3.10", "3.11"))


def test_what_the_metadata_asks_counts_beside_the_caps() -> None:
    here = candidate("windows-native", NATIVE)
    asks = {"keras>=3": "package-conflict", "protobuf>=4": "protobuf-line", "numpy==1.26.4": None}
    for text, rule in asks.items():
        wanted = HOLDS if rule is None else ("no", rule, None)
        assert said(packages.others(case(WINDOWS, "tensorflow", text), here)) == wanted, text


def test_a_package_beside_must_have_a_release_for_the_build() -> None:
    here, there = candidate("windows-native", NATIVE), candidate("wsl2", WSL)
    text = case(WINDOWS, "tensorflow", "tftext==2.20.*")
    assert said(packages.others(case(WINDOWS, "tensorflow", "tftext"), here)) == HOLDS
    assert said(packages.others(text, here)) == ("no", "package-conflict", None)
    assert packages.others(text, here).text.params["needs"] == "tensorflow<2.21,>=2.20"
    assert said(packages.others(case(WINDOWS, "tensorflow", "addons==0.23"), there))[0] == "no"
    unknown = case(WINDOWS, "tensorflow", "tftext==2.99", "left-pad")
    assert said(packages.others(unknown, here)) == HOLDS, "what was not read rules nothing out"


def test_a_package_beside_narrows_the_pythons() -> None:
    here = case(WINDOWS, "tensorflow", "addons")
    assert serving(here, NATIVE, ("3.8", "3.9", "3.10")) == ("3.9", "3.10")
    none = case(WINDOWS, "tensorflow", "addons", "python==3.8.*")
    refused = packages.others(none, candidate("windows-native", NATIVE))
    assert refused.text.code == "fit.package-no-wheel"


def test_what_a_package_was_made_for_becomes_a_cap() -> None:
    described = machine(WINDOWS, "RTX 3060", driver="536.67")
    best = solve(Wish(("tensorflow", "addons")), parse(described), WORLD).best
    assert best is not None
    assert "addons<=0.20.0" in best.caps
    assert best.python in ("3.9", "3.10")
