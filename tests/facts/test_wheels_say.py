"""What wheels say of themselves, as a harvest of PyPI recorded it, against every build of the facts.

`wheels_say.csv`: package, version, platform, processor, whether it is a CUDA build, CUDA and cuDNN; empty where
the wheel says nothing. Of releases that say "10" for CUDA 10.0 and 10.1 only the major counts.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import Version

from trueup.facts import load

if TYPE_CHECKING:
    from trueup.facts.model import Build

FACTS = load()
with Path(__file__).with_name("wheels_say.csv").open(encoding="utf-8", newline="") as file:
    SAID = list(csv.DictReader(file))


def builds(said: dict[str, str]) -> list[Build]:
    framework = FACTS.framework_of(said["package"])
    place = (said["package"], said["version"], said["platform"], said["arch"])
    found = FACTS.builds(framework) if framework else ()
    return [
        b
        for b in found
        if (b.package, b.version, b.platform, b.arch) == place and not b.index and b.flavour != "directml"
    ]


def alike(ours: str | None, theirs: str) -> bool:
    """Tell whether two versions are one, as far as the shorter says."""
    if not ours:
        return False
    one, other = Version(ours).release, Version(theirs).release
    length = min(len(one), len(other), 2)
    return one[:length] == other[:length]


def test_enough_was_read() -> None:
    assert len(SAID) >= 480
    assert {row["platform"] for row in SAID} == {"windows", "linux"}
    assert sum(row["cuda"] != "" for row in SAID) >= 100
    assert [row for row in SAID if not builds(row)] == []


def test_gpu_builds_are_those_whose_wheels_say_so() -> None:
    told = [row for row in SAID if row["is_cuda"]]
    wrong = [
        row for row in told if any((b.flavour == "cuda") != (row["is_cuda"] == "yes") for b in builds(row))
    ]
    assert wrong == []


def test_cuda_and_cudnn_are_what_the_wheels_say() -> None:
    for part in ("cuda", "cudnn"):
        told = [row for row in SAID if row[part]]
        wrong = [
            (row, getattr(b, part))
            for row in told
            for b in builds(row)
            if not alike(getattr(b, part), row[part])
        ]
        assert wrong == [], part
