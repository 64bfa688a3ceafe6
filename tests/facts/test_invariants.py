"""What must hold for every row of every table."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename
from packaging.version import Version

from trueup.facts import caps, load
from trueup.facts.model import Build, CudaFrom
from trueup.facts.store import DATA, table
from trueup.report.say import catalog

if TYPE_CHECKING:
    from pathlib import Path

FACTS = load()
BUILDS = tuple(b for framework in FACTS.frameworks() for b in FACTS.builds(framework))
SCHEMAS = {p.stem for p in (DATA / "schema").glob("*.json")}
FILES = sorted(p for p in DATA.rglob("*.json") if p.parent.name != "schema")
STUBS = {"jax"}  # a pure-Python front; its Pythons are those of jaxlib and the plug-ins


def name(build: Build) -> str:
    return f"{build.package}-{build.version}-{build.platform}-{build.arch}-{build.flavour}-{build.cuda}"


@cache
def offered(package: str) -> dict[tuple[str, str, str], set[str]]:
    """Return the Pythons with a wheel, by version, platform and architecture."""
    found: dict[tuple[str, str, str], set[str]] = {}
    for file, _, _ in table(f"wheels/{package}")["files"]:
        _, version, _, tags = parse_wheel_filename(file)
        for tag in tags:
            system = "windows" if tag.platform.startswith("win") else "linux"
            arch = "aarch64" if tag.platform.endswith(("aarch64", "arm64")) else "x86_64"
            python = re.fullmatch(r"cp(\d)(\d+)", tag.interpreter)
            if python and not tag.abi.endswith("t"):
                found.setdefault((str(version), system, arch), set()).add(f"{python[1]}.{python[2]}")
            elif tag.interpreter == "py3":
                found.setdefault((str(version), system, arch), set()).add("any")
    return found


def kind(path: Path) -> str:
    return path.parent.name if path.parent != DATA else path.stem


@pytest.mark.parametrize(
    "path", [p for p in FILES if kind(p) in SCHEMAS], ids=lambda p: str(p.relative_to(DATA))
)
def test_each_file_obeys_its_schema(path: Path) -> None:
    schema = json.loads((DATA / "schema" / f"{kind(path)}.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(path.read_text("utf-8")))


def test_every_schema_has_a_table() -> None:
    assert {kind(p) for p in FILES} >= SCHEMAS
    assert len(SCHEMAS) > 10


def on_pypi(build: Build) -> bool:
    """Tell whether PyPI has a release for a system; an index of its own may have others."""
    return (build.version, build.platform, build.arch) in offered(build.package)


def test_each_claimed_python_has_a_wheel() -> None:
    wrong = []
    for build in BUILDS:
        if build.package in STUBS or (build.index and not on_pypi(build)):
            continue
        found = offered(build.package).get((build.version, build.platform, build.arch), set())
        if not set(build.pythons) <= found:
            wrong.append((name(build), sorted(set(build.pythons) - found)))
    assert wrong == []


def test_no_build_without_python_or_date() -> None:
    assert [
        name(b) for b in BUILDS if not b.pythons or not re.fullmatch(r"\d{4}-\d\d-\d\d", b.source.date)
    ] == []


def sources_in(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        own = [value] if {"name", "date"} <= value.keys() else []
        return own + [s for v in value.values() for s in sources_in(v)]
    if isinstance(value, list):
        return [s for v in value for s in sources_in(v)]
    return []


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(DATA)))
def test_every_source_has_a_date_and_a_resolvable_form(path: Path) -> None:
    found = sources_in(json.loads(path.read_text("utf-8")))
    for source in found:
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", source["date"]), source
        assert source["name"].strip(), source
        assert re.match(r"https://[\w.-]+/|sha256:[0-9a-f]{64}$", source.get("address", "https://none/")), (
            source
        )
        assert source.get("confidence", "high") in ("high", "medium", "low"), source
    assert found or path.stem == "caps_by_release" or path.parent.name == "builds"


def test_cuda_builds_say_who_brings_cuda_and_others_have_none() -> None:
    kinds = {
        name(b): (b.flavour == "cuda", b.cuda is not None, b.cuda_from is not CudaFrom.NONE) for b in BUILDS
    }
    assert {n: k for n, k in kinds.items() if len(set(k)) > 1} == {}
    assert [name(b) for b in BUILDS if b.flavour != "cuda" and b.code.sass] == []


def test_a_releases_cudnn_exists_for_its_cuda() -> None:
    pairs = {(b.cudnn, b.cuda) for b in BUILDS if b.cuda and b.cudnn}
    assert pairs
    assert {pair for pair in pairs if FACTS.cudnn(*pair) is None} == set()


def test_every_cuda_has_a_driver_floor() -> None:
    lacking = {
        (b.cuda, b.platform) for b in BUILDS if b.cuda and FACTS.driver_floor(b.cuda, b.platform) is None
    }
    assert lacking == set()


def test_code_lies_inside_what_its_cuda_can_target() -> None:
    wrong = set()
    for build in BUILDS:
        for text in (*build.code.sass, *build.code.ptx) if build.cuda else ():
            target = FACTS.capability(text)
            assert target is not None, text
            line = Version(str(build.cuda))
            early = target.first_cuda is None or line < Version(target.first_cuda)
            late = target.last_cuda is not None and line > Version(target.last_cuda)
            if early or late:
                wrong.add((build.package, build.cuda, text))
    assert wrong == set()


def test_capabilities_are_listed_in_order() -> None:
    for build in BUILDS:
        for code in (build.code, build.library_code):
            for listed in (code.sass, code.ptx):
                assert list(listed) == sorted(listed, key=Version), name(build)
        assert list(build.pythons) == sorted(build.pythons, key=Version), name(build)


def test_builds_are_newest_first() -> None:
    for framework in FACTS.frameworks():
        versions = [Version(b.version) for b in FACTS.builds(framework)]
        assert versions == sorted(versions, reverse=True), framework


def test_no_build_is_listed_twice() -> None:
    keys = [(b.package, b.version, b.platform, b.arch, b.flavour, b.index, b.requirements) for b in BUILDS]
    assert len(keys) == len(set(keys))


def test_every_pin_is_a_wheel_of_that_system_and_python() -> None:
    """A pinned NVIDIA or Microsoft wheel must exist for the platform and each Python of the build."""
    wrong = set()
    pinned = {
        (t, b.platform, b.arch, p)
        for b in BUILDS
        if not b.index
        for t in b.requirements[1:]
        for p in b.pythons
    }
    for text, platform, arch, python in pinned:
        requirement = Requirement(text)
        here = {"sys_platform": "win32" if platform == "windows" else "linux", "python_version": python}
        pins = [s.version for s in requirement.specifier if s.operator == "=="]
        if not pins or (requirement.marker and not requirement.marker.evaluate(here)):
            continue
        found = offered(requirement.name).get((pins[0], platform, arch), set())
        if not found & {"any", python}:
            wrong.add((text, platform, arch, python))
    assert wrong == set()


def test_requirements_and_caps_are_pep_508() -> None:
    for text in {t for b in BUILDS for t in (*b.requirements, *b.caps)}:
        assert Requirement(text).name


def test_every_note_is_worded_in_both_languages() -> None:
    notes = {n for b in BUILDS for n in b.notes}
    for lang in ("en", "zh_CN"):
        assert {n for n in notes if n.removeprefix("facts.") not in catalog(lang, "facts")} == set()


def test_precomputed_caps_are_what_their_rows_say() -> None:
    rows = caps.rows()
    for build in BUILDS:
        assert build.caps == caps.computed(build.framework, build.package, build.version, rows), name(build)


# Where TensorFlow's own table and the wheels differ; docs/facts.md says why.
TESTED_CONFLICTS = {
    ("2.0.0", "linux", "tensorflow"),  # the wheel holds no CUDA code; tensorflow-gpu does
    ("1.13.0", "windows", "tensorflow-gpu"),  # released as 1.13.1
}


def test_the_official_table_and_the_wheels_agree_or_the_difference_is_listed() -> None:
    cuda = {
        (b.version, b.platform, b.package): (b.cuda, b.cudnn)
        for b in FACTS.builds("tensorflow")
        if b.flavour == "cuda"
    }
    rows = table("tested")["rows"]
    differ = {tuple(row[:3]) for row in rows if cuda.get(tuple(row[:3])) != tuple(row[3:])}
    assert len(rows) > 30
    assert differ == TESTED_CONFLICTS


def test_native_windows_gpu_ends_with_tensorflow_2_10() -> None:
    mine = [b for b in FACTS.builds("tensorflow") if b.platform == "windows" and b.flavour == "cuda"]
    assert max(Version(b.version) for b in mine) == Version("2.10.1")


def test_the_tensorflow_line_that_windows_users_get() -> None:
    build = next(
        b
        for b in FACTS.builds("tensorflow")
        if b.package == "tensorflow" and b.version == "2.10.1" and b.platform == "windows"
    )
    assert build.pythons == ("3.7", "3.8", "3.9", "3.10")
    assert (build.cuda, build.cuda_from) == ("11.2", CudaFrom.ADDED)
    assert "nvidia-cudnn-cu11==8.9.5.29" in build.requirements
    assert (build.code.sass[-1], build.code.ptx, build.library_code.sass[0]) == ("8.0", ("8.0",), "5.0")
    assert "numpy<1.24" in build.caps


def test_pypi_serves_torch_for_windows_without_cuda() -> None:
    assert {b.flavour for b in FACTS.builds("torch") if b.platform == "windows" and b.index is None} == {
        "cpu",
        "directml",
    }


def test_pascal_is_served_by_cuda_12_6_of_torch_only() -> None:
    newest = [
        b
        for b in FACTS.builds("torch")
        if b.platform == "windows" and Version(b.version) >= Version("2.8") and b.cuda
    ]
    assert {b.cuda for b in newest if any(c.startswith("6.") for c in b.code.sass)} == {"12.6"}


def test_jax_has_no_gpu_on_native_windows() -> None:
    assert {b.flavour for b in FACTS.builds("jax") if b.platform == "windows"} == {"cpu"}
