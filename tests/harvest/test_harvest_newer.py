from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest
from packaging.utils import parse_wheel_filename
from packaging.version import Version

from trueup.facts import load
from trueup.facts.harvest.age import Age, ages
from trueup.facts.harvest.index import IndexFile
from trueup.facts.harvest.newer import Known, additions, pythons, unknown
from trueup.facts.harvest.overlay import merged, own, shipped, write
from trueup.facts.harvest.readers.tags import target
from trueup.facts.harvest.run import Offer
from trueup.facts.own import read

if TYPE_CHECKING:
    from pathlib import Path

LINUX = "manylinux_2_27_x86_64"
KNOWN = Known(
    rows=(
        {"package": "tensorflow", "version": "2.21.0", "platform": "linux", "arch": "x86_64", "stack": "gpu", "pythons": ["3.13"]},
        {"package": "tensorflow", "version": "2.21.0", "platform": "windows", "arch": "x86_64", "stack": "cpu", "pythons": ["3.13"]},
        {"package": "tensorflow", "version": "2.10.1", "platform": "windows", "arch": "x86_64", "stack": "old", "pythons": ["3.10"]},
    ),
    stacks={
        "gpu": {
            "flavour": "cuda", "cuda": "12.5", "cudnn": "9.3", "cuda_from": "dependency", "extra": "and-cuda",
            "sass": ["8.0"], "ptx": ["9.0"], "library_sass": ["9.0"], "library_ptx": ["9.0"], "cpu_features": ["avx"],
            "requirements": ["nvidia-cudnn-cu12<9.11"], "notes": ["facts.note-blackwell-ptx"], "extra_download_mb": 100,
            "extra_disk_mb": 200, "source": "s",
        },
        "cpu": {"flavour": "cpu", "cuda": None, "cudnn": None, "cuda_from": "none", "cpu_features": ["avx"], "source": "s"},
        "old": {"flavour": "cuda", "cuda": "11.2", "cudnn": "8.1", "cuda_from": "added", "source": "s"},
    },
)  # fmt: skip
TODAY = "2026-12-01"


def offer(name: str) -> Offer:
    _, version, _, tags = parse_wheel_filename(name)
    return Offer(IndexFile(name, f"http://h/{name}", "0" * 64, 1, yanked=False), version, target(tags))


def row(version: str = "2.22.0", platform: str = "linux", **build: Any) -> dict[str, Any]:
    needs = [f"nvidia-cudnn-cu12>={build.pop('needs', '9.8.0.87')}; extra == 'and-cuda'", "numpy>=1.26"]
    said = {
        "member": "b.py",
        "is_cuda": True,
        "cuda": "12.9",
        "cudnn": "9",
        "sass": ["8.0", "12.0"],
        "ptx": ["12.0"],
    }
    return {
        "package": "tensorflow", "version": version, "platform": platform, "arch": "x86_64", "glibc": "2.27",
        "file": f"tensorflow-{version}-cp313-cp313-{platform}.whl", "sha256": "ab" * 32, "size": 5_000_000,
        "unpacked": 20_000_000, "pythons": ["3.13"], "metadata": {"member": "M", "requires": needs, "extras": []},
        "build": said | build,
    }  # fmt: skip


def stack(harvested: dict[str, Any]) -> dict[str, Any]:
    made = additions([harvested], (), KNOWN, TODAY)
    found: dict[str, Any] = made["stacks"][made["rows"][0]["stack"]]
    return found


def test_a_release_of_tomorrow() -> None:
    offers = tuple(
        offer(f"tensorflow-2.22.0-{p}-{p}-{LINUX}.whl") for p in ("cp313", "cp314", "cp314t", "cp312")
    )
    made = additions([row()], offers, KNOWN, TODAY)
    (new,) = made["rows"]
    assert (new["pythons"], new["glibc"]) == (["3.12", "3.13", "3.14"], "2.27")
    assert (new["download_mb"], new["disk_mb"]) == (105, 220)
    built = made["stacks"][new["stack"]]
    assert (built["cuda"], built["cudnn"], built["cuda_from"], built["extra"]) == (
        "12.9",
        "9.8",
        "dependency",
        "and-cuda",
    )
    assert (built["sass"], built["ptx"]) == (["8.0", "12.0"], ["12.0"])
    assert built["requirements"] == ["nvidia-cudnn-cu12<9.11"]  # of the same CUDA line: still holds
    assert built["library_sass"] == ["9.0"]
    assert "harvest.note" in built["notes"]
    source = made["sources"][built["source"]]
    assert (source["date"], source["confidence"], source["address"]) == (
        TODAY,
        "medium",
        "sha256:" + "ab" * 32,
    )


def test_a_cap_that_the_new_release_contradicts_is_dropped() -> None:
    assert stack(row(needs="9.12.0.46"))["requirements"] == []


def test_a_build_that_names_no_cudnn_keeps_the_line_of_its_elder() -> None:
    silent = row(cudnn=None)
    silent["metadata"] = silent["metadata"] | {"requires": ["nvidia-cublas-cu12; extra == 'cuda'"]}
    built = stack(silent)
    assert (built["cudnn"], built["extra"], built["library_sass"]) == ("9.3", "cuda", ["9.0"])


def test_a_new_cuda_line_takes_nothing_over_but_the_processor() -> None:
    built = stack(row(cuda="13.0"))
    assert (built["cuda"], built["cpu_features"]) == ("13.0", ["avx"])
    assert "requirements" not in built
    assert "library_sass" not in built  # unknown, which is not none
    assert built["notes"] == ["harvest.note"]


def test_a_build_without_cuda_where_one_was_known() -> None:
    built = stack(row(is_cuda=False, cuda=None, cudnn=None, sass=None, ptx=None))
    assert (built["flavour"], built["cuda"], built["cuda_from"], built["sass"]) == ("cpu", None, "none", [])


def test_a_gpu_build_where_only_the_cpu_was_known_is_compared_with_the_last_gpu_build() -> None:
    built = stack(row(platform="windows", cuda="11.2", needs="8.1.0"))
    assert (built["flavour"], built["cuda_from"]) == ("cuda", "dependency")
    assert KNOWN.before(row(platform="windows"))["version"] == "2.10.1"  # type: ignore[index]


def test_a_wheel_that_says_nothing_of_its_build_is_taken_for_its_elder() -> None:
    harvested = row(platform="windows") | {"build": None}
    assert stack(harvested)["flavour"] in {"cpu", "cuda"}
    assert stack(harvested)["source"].endswith("windows.whl")


def test_a_wheel_for_all_systems_stands_for_what_its_elder_stood_for() -> None:
    harvested = row() | {"platform": None, "arch": None, "glibc": None, "pythons": [], "build": None}
    harvested["metadata"] = harvested["metadata"] | {"requires_python": ">=3.13"}
    made = additions([harvested], (offer("tensorflow-2.22.0-py3-none-any.whl"),), KNOWN, TODAY)
    assert [(r["platform"], r["version"], r["pythons"]) for r in made["rows"]] == [
        ("linux", "2.22.0", ["3.13"]),
        ("windows", "2.22.0", ["3.13"]),
    ]
    assert {made["stacks"][r["stack"]]["flavour"] for r in made["rows"]} == {"cuda", "cpu"}
    assert len(made["sources"]) == 1


def test_builds_of_other_indexes_are_no_elders() -> None:
    other = Known(tuple({**r, "index": "https://i/cu126"} for r in KNOWN.rows), KNOWN.stacks)
    assert other.before(row()) is None
    assert other.packages() == ()


def test_a_package_without_elders() -> None:
    built = stack(row() | {"package": "tensorflow-new"})
    assert (built["flavour"], built["cuda_from"], built["cpu_features"]) == ("cuda", "dependency", [])


@pytest.mark.parametrize(
    ("version", "new"),
    [
        ("2.22.0", True),
        ("2.21.1", True),
        ("2.10.2", True),
        ("2.21.0", False),
        ("2.22.0rc1", False),
        ("1.15.5", False),
    ],
)
def test_what_counts_as_new(version: str, new: bool) -> None:
    wheel = offer(f"tensorflow-{version}-cp310-cp310-win_amd64.whl")
    assert bool(list(unknown([wheel], KNOWN.releases("tensorflow")))) is new


def test_wheels_for_other_systems_are_not_new() -> None:
    wheel = offer("tensorflow-2.22.0-cp310-cp310-macosx_11_0_arm64.whl")
    assert list(unknown([wheel], KNOWN.releases("tensorflow"))) == []


def test_a_stable_abi_counts_for_each_later_python() -> None:
    like = row() | {"version": "2.22.0"}
    assert pythons([offer(f"tensorflow-2.22.0-cp311-abi3-{LINUX}.whl")], like, "3.13") == [
        "3.11",
        "3.12",
        "3.13",
    ]


def test_the_solver_sees_the_users_own_facts(tmp_path: Path) -> None:
    known = shipped("tensorflow")
    newest = max(known.releases("tensorflow"))
    version = f"{newest.major}.{newest.minor + 1}.0"
    harvested = row(version=version, sass=["9.0"], ptx=["9.0"])
    made = additions([harvested], (offer(f"tensorflow-{version}-cp313-cp313-{LINUX}.whl"),), known, TODAY)
    write(tmp_path, "tensorflow", merged(read(tmp_path, "tensorflow"), made, known))
    build = load(tmp_path).builds("tensorflow")[0]
    assert (build.version, build.platform, build.cuda, build.code.sass) == (
        version,
        "linux",
        "12.9",
        ("9.0",),
    )
    assert build.source.date == TODAY
    assert Version(version) in own(tmp_path, "tensorflow").releases("tensorflow")
    assert (
        list(
            unknown(
                [offer(f"tensorflow-{version}-cp313-cp313-{LINUX}.whl")],
                own(tmp_path, "tensorflow").releases("tensorflow"),
            )
        )
        == []
    )


def test_additions_replace_their_elders_and_give_way_to_shipped_rows(tmp_path: Path) -> None:
    first = additions([row(), row(version="2.23.0")], (), KNOWN, "2026-12-01")
    second = additions([row(cuda="13.0")], (), KNOWN, "2026-12-02")
    both = merged(merged(read(tmp_path, "x"), first, KNOWN), second, KNOWN)
    assert sorted(r["version"] for r in both["rows"]) == ["2.22.0", "2.23.0"]
    stack_name = next(r["stack"] for r in both["rows"] if r["version"] == "2.22.0")
    assert both["stacks"][stack_name]["cuda"] == "13.0"
    later = Known((*KNOWN.rows, {**KNOWN.rows[0], "version": "2.22.0"}), KNOWN.stacks)
    assert [r["version"] for r in merged(both, {"rows": [], "stacks": {}, "sources": {}}, later)["rows"]] == [
        "2.23.0"
    ]


@pytest.mark.parametrize(
    "content", ["", "[]", '{"schema": "trueup.facts-overlay/1"}', '{"schema": "other", "rows": []}']
)
def test_a_damaged_file_of_additions_counts_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "tensorflow.json").write_text(content)
    assert read(tmp_path, "tensorflow")["rows"] == []
    assert load(tmp_path).builds("tensorflow") == load().builds("tensorflow")


def test_ages_of_the_shipped_tables() -> None:
    found = {age.table: age for age in ages()}
    assert {"stacks", "cards", "drivers"} <= found.keys()
    assert all(dt.date.fromisoformat(a.oldest) <= dt.date.fromisoformat(a.newest) for a in found.values())
    assert Age("x", "2026-11-30", "2026-11-30").days(dt.date(2026, 12, 2)) == 2
