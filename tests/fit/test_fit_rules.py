"""The rules of systems, Pythons and packages, each alone, on hand-made facts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fit_world import HOLDS, LINUX, READY, WINDOWS, build, candidate, case, cpu, said

from trueup.facts.model import CudaFrom
from trueup.fit.model import Outcome
from trueup.fit.rules import packages, system, wsl

NATIVE = build("tensorflow", "2.10.1")
WSL = build("tensorflow", "2.20.0", platform="linux", cuda="12.5", cudnn="9.3", glibc="2.31")
OLD_WINDOWS = {**WINDOWS, "os_build": "10.0.17763"}


def test_an_unknown_processor_is_an_assumption() -> None:
    assert said(system.architecture(case({"os": "windows"}), candidate("cpu", NATIVE))) == (
        "unknown",
        "arch",
        None,
    )
    assert said(system.architecture(case(WINDOWS), candidate("cpu", NATIVE))) == HOLDS


@pytest.mark.parametrize(
    ("os_build", "route", "expected"),
    [
        ("10.0.22631", "windows-native", HOLDS),
        ("22631", "windows-native", HOLDS),
        ("6.1.7601", "windows-native", ("change", "os-build-too-old", "update-windows")),
        ("10.0.15063", "directml", ("change", "os-build-too-old", "update-windows")),
        ("10.0.16299", "directml", HOLDS),
        (None, "windows-native", HOLDS),
        (None, "directml", ("unknown", "os-build-too-old", None)),
    ],
)
def test_the_build_of_windows(os_build: str | None, route: Any, expected: Any) -> None:
    assert (
        said(system.windows_build(case({**WINDOWS, "os_build": os_build}), candidate(route, NATIVE)))
        == expected
    )


@pytest.mark.parametrize(
    ("wsl_key", "expected"),
    [
        (READY, HOLDS),
        (None, ("change", "wsl-not-ready", "enable-wsl2")),
        ({"version": 1, "distros": ["Ubuntu"]}, ("change", "wsl-not-ready", "enable-wsl2")),
        ({"version": 1, "distros": []}, ("change", "wsl-not-ready", "enable-wsl2")),
        ({"version": 2, "distros": ["docker-desktop"]}, ("change", "wsl-not-ready", "enable-wsl2")),
        ({"distros": ["Ubuntu"]}, ("unknown", "wsl-not-ready", None)),
    ],
)
def test_wsl_is_ready_or_what_would_make_it_so(wsl_key: Any, expected: Any) -> None:
    assert said(wsl.ready(case({**WINDOWS, "wsl": wsl_key}), candidate("wsl2", WSL))) == expected


def test_wsl_that_was_not_described_is_taken_for_absent() -> None:
    assert said(wsl.ready(case(WINDOWS), candidate("wsl2", WSL))) == (
        "change",
        "wsl-not-ready",
        "enable-wsl2",
    )
    assert said(wsl.ready(case(WINDOWS), candidate("windows-native", NATIVE))) == HOLDS


def test_a_wsl1_distribution_is_turned_by_its_name() -> None:
    verdict = wsl.ready(
        case({**WINDOWS, "wsl": {"version": 1, "distros": ["Debian"]}}), candidate("wsl2", WSL)
    )
    assert verdict.change is not None
    assert verdict.change.command == "wsl --set-version Debian 2"


def test_windows_before_19044_has_no_gpu_in_wsl() -> None:
    old = said(wsl.windows_for_wsl(case(OLD_WINDOWS), candidate("wsl2", WSL)))
    assert old == ("change", "os-build-too-old", "update-windows")
    assert said(wsl.windows_for_wsl(case(WINDOWS), candidate("wsl2", WSL))) == HOLDS
    unknown = case({**WINDOWS, "os_build": None})
    assert said(wsl.windows_for_wsl(unknown, candidate("wsl2", WSL)))[0] == "unknown"


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("5.15.133.1-microsoft-standard-WSL2", HOLDS),
        ("5.4.72-microsoft-standard-WSL2", ("change", "wsl-not-ready", "update-wsl")),
        ("4.4.0-19041-Microsoft", ("change", "wsl-not-ready", "enable-wsl2")),
        (None, HOLDS),
    ],
)
def test_the_kernel_inside_wsl(kernel: str | None, expected: Any) -> None:
    inside = {"os": "wsl2", "kernel": kernel}
    assert said(wsl.kernel(case(inside), candidate("wsl2", WSL))) == expected


@pytest.mark.parametrize(
    ("wsl_key", "expected"),
    [
        ({"version": 1}, ("change", "wsl-not-ready", "enable-wsl2")),
        ({"version": 2, "kernel": "4.19.104"}, ("change", "wsl-not-ready", "update-wsl")),
        ({"version": 2, "kernel": "5.15.133.1"}, HOLDS),
        ({"version": 2}, HOLDS),
    ],
)
def test_what_is_said_of_wsl_counts_inside_it_too(wsl_key: dict[str, Any], expected: Any) -> None:
    inside = {"os": "wsl2", "wsl": wsl_key}
    assert said(wsl.kernel(case(inside), candidate("wsl2", WSL))) == expected


def test_the_kernel_seen_from_windows() -> None:
    old = {**WINDOWS, "wsl": {**READY, "kernel": "4.19.128"}}
    assert said(wsl.kernel(case(old), candidate("wsl2", WSL))) == ("change", "wsl-not-ready", "update-wsl")


def test_musl_and_old_glibc() -> None:
    linux = candidate("linux", WSL)
    assert said(system.libc(case({**LINUX, "libc": "musl"}), linux)) == ("no", "libc", None)
    assert said(system.libc(case(LINUX), linux)) == HOLDS
    assert said(system.glibc(case({**LINUX, "glibc": "2.17"}), linux)) == ("no", "libc-glibc-too-old", None)
    assert said(system.glibc(case({"os": "linux"}), linux)) == ("unknown", "libc", None)
    assert said(system.glibc(case(LINUX), linux)) == HOLDS
    assert said(system.glibc(case(WINDOWS), candidate("wsl2", WSL))) == HOLDS, (
        "Windows has no glibc of its own"
    )


def test_a_cpu_without_avx() -> None:
    needs = candidate("cpu", cpu("tensorflow", "2.20.0", "linux", cpu_features=("avx",)))
    assert said(system.cpu_features(case({**LINUX, "cpu_flags": ["sse4_2"]}), needs)) == (
        "no",
        "cpu-features",
        None,
    )
    assert said(system.cpu_features(case({**LINUX, "cpu_flags": ["AVX"]}), needs)) == HOLDS
    assert said(system.cpu_features(case({"os": "linux"}), needs)) == ("unknown", "cpu-features", None)
    assert said(system.cpu_features(case({**LINUX, "arch": "aarch64", "cpu_flags": []}), needs)) == HOLDS


def test_disk() -> None:
    need = candidate("windows-native", NATIVE)
    assert said(system.disk(case({**WINDOWS, "disk_free_gb": 4.39}), need)) == ("change", "disk", "free-disk")
    assert said(system.disk(case({**WINDOWS, "disk_free_gb": 4.4}), need)) == HOLDS
    assert said(system.disk(case(WINDOWS), need)) == HOLDS


def test_python_wheels() -> None:
    native = candidate("windows-native", NATIVE)
    assert said(packages.python(case(WINDOWS), native)) == HOLDS
    assert said(packages.python(case(WINDOWS, python="3.11"), native)) == ("no", "python-no-wheel", None)


def test_a_python_that_nobody_brings_must_be_there() -> None:
    old = candidate("windows-native", build("tensorflow", "1.15.8", pythons=("3.6", "3.7")))
    missing = said(packages.python_at_hand(case(WINDOWS), old))
    assert missing == ("change", "python-not-brought", "install-python")
    there = case({**WINDOWS, "pythons": ["3.7.9"]})
    assert said(packages.python_at_hand(there, old)) == HOLDS
    bits32 = case({**WINDOWS, "pythons": ["3.7.9-32"]})
    assert said(packages.python_at_hand(bits32, old)) == missing


def test_caps_against_what_else_was_asked() -> None:
    capped = candidate("windows-native", replace(NATIVE, caps=("numpy<2", "protobuf<3.21", "keras<3")))
    assert said(packages.others(case(WINDOWS, "tensorflow", "numpy>=2"), capped)) == ("no", "numpy-abi", None)
    assert said(packages.others(case(WINDOWS, "tensorflow", "protobuf>=4"), capped)) == (
        "no",
        "protobuf-line",
        None,
    )
    assert said(packages.others(case(WINDOWS, "tensorflow", "keras>=3"), capped)) == (
        "no",
        "package-conflict",
        None,
    )
    assert said(packages.others(case(WINDOWS, "tensorflow", "numpy>=1.22"), capped)) == HOLDS
    assert said(packages.others(case(WINDOWS, "tensorflow", "pandas"), capped)) == HOLDS


def test_the_vc_runtime_comes_with_the_build_or_with_windows() -> None:
    torch, ours = (
        build("torch", "2.14.0"),
        build("tensorflow", "2.10.1", requirements=("tensorflow==2.10.1", "msvc-runtime==14.42")),
    )
    bare = replace(case(WINDOWS), machine=replace(case(WINDOWS).machine, vc_runtime=None))
    assert said(system.vc_runtime(bare, candidate("windows-native", torch))) == (
        "change",
        "vc-runtime",
        "install-vc-runtime",
    )
    assert said(system.vc_runtime(bare, candidate("windows-native", ours))) == HOLDS
    assert said(system.vc_runtime(case(WINDOWS), candidate("windows-native", torch))) == HOLDS
    assert said(system.vc_runtime(bare, candidate("wsl2", WSL))) == HOLDS


def test_cuda_that_is_on_no_index() -> None:
    old = replace(NATIVE, cuda="10.1", cudnn="7.6", cuda_from=CudaFrom.SYSTEM)
    assert said(packages.cuda_source(case(WINDOWS), candidate("windows-native", old))) == (
        "change",
        "cuda-no-wheel",
        "install-cuda",
    )
    assert said(packages.cuda_source(case(WINDOWS), candidate("windows-native", NATIVE))) == HOLDS


def test_every_no_has_a_text_of_its_own() -> None:
    verdict = system.libc(case({**LINUX, "libc": "musl"}), candidate("linux", WSL))
    assert verdict.outcome is Outcome.NO
    assert verdict.text.params["version"] == "2.20.0"
    assert verdict.source is not None
