"""Closure proofs over small made binaries that have the names of the real ones."""

from __future__ import annotations

import json
import zipfile
from importlib import resources
from typing import TYPE_CHECKING

import jsonschema
import pytest
from made_sets import LINUX, LOADS, PARTS, WINDOWS, file, pe, windows_set
from make_elf import ElfMaker
from make_pe import PeMaker
from packaging.specifiers import SpecifierSet

from trueup.facts.store import table
from trueup.proof import closure
from trueup.proof.closure import File, GpuLibrary, Reach, Target
from trueup.report.closure import as_data, as_text
from trueup.report.say import LANGUAGES, say
from trueup.values import Message

if TYPE_CHECKING:
    from pathlib import Path


def elf(name: str, **made: tuple[str, ...] | dict[str, tuple[str, ...]]) -> File:
    return file(name, ElfMaker(soname=name.rpartition("/")[2], **made).content())  # type: ignore[arg-type]


def test_a_whole_set_is_closed() -> None:
    report = closure.prove(windows_set(), WINDOWS)
    assert report.complete
    assert (report.read, report.files) == (len(LOADS) + len(PARTS) + 1,) * 2
    assert dict(report.resolved) == {
        "set": len(LOADS) + len(PARTS), "python": 1, "system": 1, "driver": 1,
    }  # fmt: skip
    assert [(m.name, m.feature) for m in report.missing] == [
        ("cupti64_112.dll", "profiler"),
        ("nvrtc64_112_0.dll", "fused-epilogues"),
        ("nvrtc64_112_0.dll", "runtime-fusion"),
    ]


@pytest.mark.parametrize("name", [*LOADS, *PARTS])
def test_each_library_that_is_left_out_is_named(name: str) -> None:
    report = closure.prove(windows_set(name), WINDOWS)
    by = "cudnn64_8.dll" if name in PARTS else "tensorflow"
    assert [(m.name, m.wanted_by, m.how) for m in report.needed] == [(name, by, "load")]
    assert not report.complete
    for lang in ("en", "zh_CN"):
        assert f"`{name}`" in as_text(report, lang)


def test_names_are_compared_as_the_system_does() -> None:
    upper = [File(f.name.upper(), f.size, f.open) for f in windows_set()]
    assert closure.prove(upper, WINDOWS).complete
    libraries = [elf(n) for n in table("loads")["frameworks"][4]["loads"]]
    assert not closure.prove(libraries, LINUX).needed or "libcudnn" in str(
        closure.prove(libraries, LINUX).needed
    )
    upper = [File(f.name.upper(), f.size, f.open) for f in libraries]
    assert not closure.prove(upper, LINUX).closed


def test_an_import_that_resolves_nowhere_is_named_with_its_importer() -> None:
    report = closure.prove([*windows_set(), pe("h5py/_errors.pyd", hdf5=["H5open"])], WINDOWS)
    assert [(m.name, m.wanted_by, m.how) for m in report.needed] == [("hdf5.dll", "_errors.pyd", "import")]


def test_a_symbol_that_its_library_does_not_offer_is_named() -> None:
    files = [*windows_set(), pe("a.pyd", cudart64_110=["alpha", "gamma", 5, 7])]
    report = closure.prove(files, WINDOWS)
    assert report.symbols == 4
    assert [(s.symbol, s.library, s.wanted_by) for s in report.missing_symbols] == [
        ("gamma", "cudart64_110.dll", "a.pyd"),
        ("#7", "cudart64_110.dll", "a.pyd"),
    ]
    assert not report.closed


def test_a_library_for_another_machine_does_not_count() -> None:
    files = [*windows_set("cudart64_110.dll"), pe("x/cudart64_110.dll", machine=0x14C)]
    report = closure.prove(files, WINDOWS)
    assert report.wrong_machine == (("x/cudart64_110.dll", "x86"),)
    assert [m.name for m in report.needed] == ["cudart64_110.dll"]
    assert closure.prove(
        [*windows_set(), files[-1]], WINDOWS
    ).complete  # beside the right one it does no harm


@pytest.mark.parametrize("content", [b"", b"MZ", b"<html>moved</html>"])
def test_a_broken_file_is_named(content: bytes) -> None:
    report = closure.prove([*windows_set("cudnn64_8.dll"), file("nvidia/cudnn64_8.dll", content)], WINDOWS)
    assert not report.complete
    assert "cudnn64_8.dll" in as_text(report, "en")


def test_the_runtime_counts_where_the_machine_has_it() -> None:
    files = windows_set("msvcp140.dll", "msvcp140_1.dll")
    assert [m.name for m in closure.prove(files, WINDOWS).needed] == ["msvcp140.dll", "msvcp140_1.dll"]
    ready = Target("windows", "tensorflow", "2.10.1", system_runtime=True)
    assert closure.prove(files, ready).complete


def test_an_old_python_brings_less() -> None:
    files = [*windows_set(), pe("a.pyd", vcruntime140_1=["x"])]
    assert closure.prove(files, WINDOWS).complete
    old = Target("windows", "tensorflow", "2.10.1", python="3.8")
    assert [m.name for m in closure.prove(files, old).needed] == ["vcruntime140_1.dll"]


def test_names_alone_prove_what_names_can() -> None:
    members = [f"x.data/purelib/{f.name}" for f in windows_set()]
    report = closure.prove(closure.names([*members, "x/readme.txt"]), WINDOWS)
    assert report.closed
    assert not report.complete
    assert report.read == 0
    assert "not all read" in as_text(report, "en")
    lacking = closure.prove(closure.names(m for m in members if "curand" not in m), WINDOWS)
    assert [m.name for m in lacking.needed] == ["curand64_10.dll"]


def test_a_release_that_nobody_looked_at_is_not_called_complete() -> None:
    report = closure.prove(windows_set(), Target("windows", "tensorflow", "1.4"))
    assert not report.loads_known
    assert not report.complete
    assert "not known here" in as_text(report, "en")


def test_an_empty_set_proves_nothing() -> None:
    assert not closure.prove([], Target("windows", "tensorflow", "2.10.1", system_runtime=True)).complete


def test_what_serves_one_feature_only_is_no_fault() -> None:
    name = "onnxruntime/capi/onnxruntime_providers_tensorrt.dll"
    report = closure.prove([*windows_set(), pe(name, nvinfer_10=["x"])], WINDOWS)
    assert report.complete
    assert ("nvinfer_10.dll", "tensorrt") in [(m.name, m.feature) for m in report.missing]


def test_linux_sonames_and_symbol_versions() -> None:
    row = next(r for r in table("loads")["frameworks"] if r["os"] == "linux" and ">=2.15" in r["versions"])
    parts = next(r["loads"] for r in table("loads")["files"] if r["file"] == "libcudnn.so.8")
    libraries = [elf(f"nvidia/{n}", defines=(f"{n.upper()}_1",)) for n in (*row["loads"], *parts)]
    fine = elf(
        "tensorflow/a.so",
        needed=("libcublas.so.12", "libc.so.6", "libcuda.so.1"),
        wants={"libcublas.so.12": ("LIBCUBLAS.SO.12_1",), "libc.so.6": ("GLIBC_2.17",)},
    )
    assert closure.prove([*libraries, fine], LINUX).complete
    newer = elf("b.so", needed=("libcublas.so.12",), wants={"libcublas.so.12": ("LIBCUBLAS.SO.12_9",)})
    report = closure.prove([*libraries, newer], LINUX)
    assert [s.symbol for s in report.missing_symbols] == ["LIBCUBLAS.SO.12_9"]


def test_wheels_and_environments_are_collected(tmp_path: Path) -> None:
    wheel = tmp_path / "lib-1.0-py3-none-win_amd64.whl"
    with zipfile.ZipFile(wheel, "w") as out:
        out.writestr("lib-1.0.dist-info/METADATA", "Name: lib\n")
        out.writestr("lib-1.0.dist-info/RECORD", "")
        out.writestr("lib-1.0.data/purelib/lib/a.pyd", PeMaker(imports={"b.dll": ["x"]}).content())
    files = closure.wheels([wheel])
    assert [f.name for f in files] == ["lib/a.pyd"]
    assert [m.name for m in closure.prove(files, WINDOWS).needed if m.how == "import"] == ["b.dll"]
    site = tmp_path / "env" / "Lib" / "site-packages"
    for path in (
        site / "p" / "a.pyd",
        site / "p" / "include" / "b.dll",
        site.parents[1] / "Scripts" / "c.dll",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PeMaker().content())
    assert {f.base for f in closure.environment(site)} == {"a.pyd", "c.dll"}


@pytest.mark.parametrize(
    ("reach", "level"),
    [
        ({"8.0": Reach(100, 0, 0), "8.6": Reach(10, 0, 90)}, "native"),
        ({"8.6": Reach(258, 1885, 0)}, "mixed"),
        ({"8.0": Reach(100, 0, 0), "8.6": Reach(0, 100, 0)}, "ptx"),
        ({"8.0": Reach(650, 0, 0), "8.6": Reach(0, 172, 592)}, "partial"),
        ({"8.0": Reach(9, 0, 0), "8.6": Reach(0, 0, 9)}, "none"),
        ({"8.0": Reach(9, 0, 0)}, "unknown"),
    ],
)
def test_what_a_card_can_use(reach: dict[str, Reach], level: str) -> None:
    assert GpuLibrary("x", 1, reach).level("8.6") == level


def in_the_set(wheel: str) -> bool:
    """Tell whether a wheel is part of the set of TensorFlow 2.10.1 for Windows."""
    return "win_amd64" in wheel and (
        ("_cu11-" in wheel and "8.9.4" not in wheel) or "tensorflow-2.10.1-" in wheel
    )


def test_shipped_counts_tell_an_rtx_50_the_truth() -> None:
    sizes = {name: size for name, size, _, origin, _ in table("gpu_code")["rows"] if in_the_set(origin)}
    files = [*windows_set(), *(File(n if n.startswith("_") else f"nvidia/{n}", s) for n, s in sizes.items())]
    target = Target("windows", "tensorflow", "2.10.1", capabilities=("8.6", "12.0", "3.5"))
    report = closure.prove(files, target)
    levels = {g.file: [g.level(c) for c in target.capabilities] for g in report.gpu}
    assert levels["cublas64_11.dll"] == ["native", "ptx", "native"]
    assert levels["cudnn_cnn_infer64_8.dll"] == ["native", "partial", "none"]
    assert levels["_pywrap_tensorflow_internal.pyd"] == ["mixed", "ptx", "native"]
    assert "this set cannot serve that card" in as_text(report, "en")


def test_a_build_for_another_python_is_told_as_such() -> None:
    name, size = next(
        (r[0], r[1]) for r in table("gpu_code")["rows"] if r[0].endswith(".pyd") and in_the_set(r[3])
    )
    target = Target("windows", "tensorflow", "2.10.1", capabilities=("8.6",))
    (alike,) = closure.prove([File(name, size + 20_000)], target).gpu
    assert alike.level("8.6") == "mixed"
    assert alike.source is not None
    assert alike.source.conflict
    assert closure.prove([File(name, size * 2)], target).code_unknown == (name,)


def test_code_that_nobody_counted_is_said_or_counted() -> None:
    target = Target("windows", "tensorflow", "2.10.1", capabilities=("8.6",))
    assert "cublas64_11.dll" in closure.prove(windows_set(), target).code_unknown
    counted = closure.prove(windows_set(), target, count_code=True)
    assert counted.code_unknown == ()
    assert counted.gpu == ()  # no fatbin inside


def test_the_data_obeys_the_schema() -> None:
    text = resources.files("trueup.report").joinpath("schemas", "closure-1.json").read_text("utf-8")
    target = Target("windows", "tensorflow", "2.10.1", capabilities=("8.6",))
    files = [*windows_set("curand64_10.dll"), pe("a.pyd", cudart64_110=["no"]), file("b.dll", b"")]
    for lang in ("en", "zh_CN"):
        data = json.loads(json.dumps(as_data(closure.prove(files, target), lang)))
        jsonschema.validate(data, json.loads(text))
        assert data["missing"]


def test_the_table_of_loads_says_one_thing_of_each_release() -> None:
    rows = table("loads")["frameworks"]
    releases = [f"2.{minor}.{patch}" for minor in range(25) for patch in range(3)]
    for framework, system in {(r["framework"], r["os"]) for r in rows}:
        ranges = [
            SpecifierSet(r["versions"]) for r in rows if (r["framework"], r["os"]) == (framework, system)
        ]
        assert all(sum(v in r for r in ranges) <= 1 for v in releases)
    for row in (*rows, *table("loads")["files"]):
        assert row["source"] in table("loads")["sources"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_feature_has_a_name_that_people_know(lang: str) -> None:
    loads = table("loads")
    features = {*loads["only_for"], *(f for row in loads["frameworks"] for f in row["features"])}
    features |= {feature for row in loads["files"] for feature in row.get("features", {})}
    for feature in features:
        assert say(Message(f"closure.lost-{feature}"), lang)
