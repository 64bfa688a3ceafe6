"""Constraints: which rows bind a release, and how a row for some Pythons is written."""

from __future__ import annotations

from typing import Any

import pytest
from packaging.requirements import Requirement

from trueup.facts import caps, load


def row(**parts: Any) -> dict[str, Any]:
    return {"package": "tensorflow", "versions": "<2.18", "python": None, "constraint": "numpy<2", **parts}


@pytest.mark.parametrize(
    ("package", "version", "expected"),
    [
        ("tensorflow", "2.10.1", ("numpy<2",)),
        ("tensorflow-gpu", "2.10.1", ("numpy<2",)),
        ("tensorflow", "2.18.0", ()),
        ("tensorflow-directml", "1.15.5.dev210429", ("numpy<2",)),
    ],
)
def test_a_row_binds_every_distribution_of_its_framework(
    package: str, version: str, expected: tuple[str, ...]
) -> None:
    assert caps.computed("tensorflow", package, version, [row()]) == expected


def test_a_row_for_one_distribution_leaves_its_siblings_alone() -> None:
    rows = [row(package="tensorflow-intel")]
    assert caps.computed("tensorflow", "tensorflow-intel", "2.16.1", rows) == ("numpy<2",)
    assert caps.computed("tensorflow", "tensorflow", "2.16.1", rows) == ()


@pytest.mark.parametrize(
    ("python", "inside", "outside"),
    [
        (">=3.9", "3.9", "3.8"),
        (">=3.8,<3.11", "3.10", "3.11"),
        ("==3.7.*", "3.7", "3.8"),
        ("<3.12", "3.11", "3.12"),
    ],
)
def test_a_row_for_some_pythons_becomes_a_marker(python: str, inside: str, outside: str) -> None:
    (text,) = caps.computed("tensorflow", "tensorflow", "2.10.1", [row(python=python)])
    marker = Requirement(text).marker
    assert marker is not None
    versions = {
        p: marker.evaluate({"python_version": p, "python_full_version": f"{p}.1"}) for p in (inside, outside)
    }
    assert versions == {inside: True, outside: False}


def test_two_rows_with_one_constraint_count_once() -> None:
    assert caps.computed("tensorflow", "tensorflow", "2.10.1", [row(), row()]) == ("numpy<2",)


def test_old_torch_is_held_below_numpy_2() -> None:
    held = {b.version: "numpy<2" in b.caps for b in load().builds("torch")}
    assert held["2.2.2"]
    assert not held["2.8.0"]
