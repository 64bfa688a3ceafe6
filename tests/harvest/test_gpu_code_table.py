"""What the wheels say, against what the tables say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from packaging.version import Version

from trueup.facts import load
from trueup.facts.store import table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.facts.model import Build

TABLE = table("gpu_code")
FACTS = load()


def builds(wheel: dict[str, Any]) -> list[Build]:
    """Return what the facts hold of a wheel, from the user's own index."""
    framework = FACTS.framework_of(wheel["package"])
    keys = ("package", "version", "platform", "arch")
    found = FACTS.builds(framework) if framework else ()
    return [b for b in found if b.index is None and all(getattr(b, key) == wheel[key] for key in keys)]


PAIRS = [(wheel, build) for wheel in TABLE["wheels"] for build in builds(wheel)]
READ = [(w, b) for w, b in PAIRS if b.flavour != "directml"]  # a CPU wheel that another wheel gives a GPU


def serves(code: Iterable[str], card: str) -> bool:
    wanted = Version(card)
    return any(Version(c).major == wanted.major and Version(c) <= wanted for c in code)


def name(value: Any) -> str:
    return value["source"].split("-cp")[0] if isinstance(value, dict) else str(value.flavour)


def test_enough_wheels_were_read() -> None:
    assert len(READ) >= 20
    assert {"windows", "linux"} <= {w["platform"] for w, _ in READ}


@pytest.mark.parametrize(("wheel", "build"), READ, ids=name)
def test_a_build_is_what_its_wheel_says(wheel: dict[str, Any], build: Build) -> None:
    if wheel["is_cuda"] is not None:
        assert (build.flavour == "cuda") == wheel["is_cuda"]
    if wheel["cuda"] and build.cuda:
        assert Version(build.cuda).release[:2] == Version(wheel["cuda"]).release[:2]
    if wheel["cudnn"] and build.cudnn:
        assert Version(build.cudnn).major == Version(wheel["cudnn"]).major


CODE = [(w, b) for w, b in READ if w["sass"] and b.flavour == "cuda" and b.code.known]


@pytest.mark.parametrize(("wheel", "build"), CODE, ids=name)
def test_gpu_code_is_what_its_wheel_holds(wheel: dict[str, Any], build: Build) -> None:
    cards = TABLE["capabilities"]
    assert [c for c in cards if serves(build.code.sass, c)] == [c for c in cards if serves(wheel["sass"], c)]
    assert max(build.code.ptx, key=Version, default=None) == max(wheel["ptx"], key=Version, default=None)


def test_each_module_is_counted_once() -> None:
    cards = TABLE["capabilities"]
    for library, size, modules, source, counts in TABLE["rows"]:
        assert size > 0
        assert source in TABLE["sources"]
        assert len(counts) == len(cards)
        assert {sum(row) for row in counts} == {modules}, library


def test_code_lies_within_what_its_cuda_could_make() -> None:
    known = {c.capability: c for c in FACTS.capabilities()}
    for wheel in TABLE["wheels"]:
        for capability in wheel["sass"] if wheel["cuda"] else ():
            first, last = known[capability].first_cuda, known[capability].last_cuda
            assert first is None or Version(first) <= Version(wheel["cuda"]), (wheel["source"], capability)
            assert last is None or Version(wheel["cuda"]) <= Version(last), (wheel["source"], capability)


def pinned(build: Build) -> list[dict[str, Any]]:
    """Return the wheels read of the cuBLAS and cuDNN that a build is pinned to."""
    pins = (r.partition(";")[0].strip().split("==") for r in build.requirements if "==" in r)
    wanted = {(p[0], p[1]) for p in pins if p[0].startswith(("nvidia-cublas", "nvidia-cudnn"))}
    return [
        w
        for w in TABLE["wheels"]
        if (w["package"], w["version"]) in wanted and w["platform"] == build.platform
    ]


LIBRARIES = [
    (build, read)
    for build in FACTS.builds("tensorflow")
    if build.flavour == "cuda" and build.library_code.known and (read := pinned(build))
]


def test_library_code_is_promised_only_where_the_wheels_hold_it() -> None:
    assert len(LIBRARIES) >= 10
    for build, read in LIBRARIES:
        for wheel in read:
            lacking = [c for c in build.library_code.sass if not serves(wheel["sass"], c)]
            assert lacking == [], (build.version, wheel["source"])
            assert not build.library_code.ptx or wheel["ptx"], (build.version, wheel["source"])
