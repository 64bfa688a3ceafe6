"""Each rule alone, on hand-made facts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from fit_world import BUILDS, LINUX, READY, WINDOWS, WORLD, build, candidate, case, cpu, machine

from trueup.facts.model import CudaFrom, GpuCode
from trueup.fit.case import Card, read_case
from trueup.fit.model import Outcome
from trueup.fit.rules import driver, joint, packages, system, wsl
from trueup.fit.rules.cards import code, directx12, judge, vendor, wsl_card
from trueup.machine.model import Gpu
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.fit.model import Verdict

NATIVE = build("tensorflow", "2.10.1")
WSL = build("tensorflow", "2.20.0", platform="linux", cuda="12.5", cudnn="9.3", glibc="2.31")
OLD_WINDOWS = {**WINDOWS, "os_build": "10.0.17763"}


def said(verdict: Verdict) -> tuple[str, str, str | None]:
    return verdict.outcome.value, verdict.rule, verdict.change.id if verdict.change else None


HOLDS = ("ok", "holds", None)


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


def test_numpy_2_needs_a_python_that_it_is_made_for() -> None:
    old = candidate("windows-native", build("tensorflow", "1.15.8", pythons=("3.6", "3.7")))
    assert said(packages.others(case(WINDOWS, "tensorflow", "numpy>=2"), old)) == ("no", "numpy-abi", None)
    assert said(packages.others(case(WINDOWS, "tensorflow", "numpy"), old)) == HOLDS


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


def joined(one: Any, other: Any, rule: Any) -> tuple[str, str, str | None]:
    return said(rule(case(LINUX), candidate("linux", one), candidate("linux", other)))


def test_two_cudnn_of_one_name() -> None:
    ours = replace(NATIVE, cudnn="8.9.5.29")
    theirs = build("torch", "2.0.1", cudnn="8.7.0.84", cuda_from=CudaFrom.BUNDLED)
    assert joined(ours, theirs, joint.cuda) == ("no", "joint-cuda", None)
    newer = replace(theirs, cudnn="9.1.0.70")
    assert joined(ours, newer, joint.cuda) == HOLDS, "cudnn64_8.dll and cudnn64_9.dll have different names"
    assert joined(ours, replace(theirs, cudnn=None), joint.cuda) == ("no", "joint-cuda", None)


@pytest.mark.parametrize("made_from", [CudaFrom.DEPENDENCY, CudaFrom.BUNDLED])
def test_two_cuda_lines_share_names(made_from: CudaFrom) -> None:
    twelve = build("tensorflow", "2.20.0", cuda="12.5", cudnn="9.3", cuda_from=CudaFrom.DEPENDENCY)
    thirteen = build("torch", "2.14.0", cuda="13.0", cudnn="9.20.0.48", cuda_from=made_from)
    assert joined(twelve, thirteen, joint.cuda) == ("no", "joint-cuda", None)
    assert joined(NATIVE, twelve, joint.cuda) == ("no", "joint-cuda", None), (
        "curand64_10.dll is in both lines"
    )


def test_pins_and_ranges_of_cuda_wheels() -> None:
    pinned = build("tensorflow", "2.18.0", cuda="12.5", cudnn="9.3", cuda_from=CudaFrom.DEPENDENCY)
    torch = build("torch", "2.8.0", cuda="12.6", cudnn="9.10.2.21", cuda_from=CudaFrom.DEPENDENCY)
    assert joined(pinned, torch, joint.cuda) == ("no", "joint-cuda", None)
    ranged = replace(pinned, requirements=("tensorflow==2.20.0", "nvidia-cudnn-cu12>=9.1,<9.11"))
    assert joined(ranged, torch, joint.cuda) == HOLDS
    older = replace(torch, cuda="12.4", cudnn="9.1.0.70")
    assert joined(older, ranged, joint.cuda) == ("no", "joint-cuda", None), "its range begins at 12.5"
    jax = build("jax", "0.7.1", cuda="12.8", cudnn="9.8", cuda_from=CudaFrom.DEPENDENCY)
    assert joined(jax, torch, joint.cuda) == HOLDS, "JAX names a least cuDNN only"
    assert joined(jax, ranged, joint.cuda) == HOLDS


def test_equal_pins_may_share() -> None:
    old = build("tensorflow", "2.14.0", cuda="11.8", cudnn="8.7", cuda_from=CudaFrom.DEPENDENCY)
    torch = build("torch", "2.0.1", cuda="11.8", cudnn="8.7.0.84", cuda_from=CudaFrom.DEPENDENCY)
    assert joined(old, torch, joint.cuda) == HOLDS
    assert joined(old, replace(torch, cuda="11.7"), joint.cuda) == ("no", "joint-cuda", None)
    added = replace(
        old,
        requirements=("tensorflow==2.13", "nvidia-cuda-runtime-cu11==11.8.89", "nvidia-cudnn-cu11==8.7.0.84"),
        cuda="11.2",
    )
    assert joined(added, torch, joint.cuda) == HOLDS, "what the wheels are counts, not what it was built with"


def test_packages_and_pythons_of_two() -> None:
    one = replace(NATIVE, caps=("numpy<2",))
    other = build("torch", "2.14.0", caps=("numpy>=2",), pythons=("3.11",))
    assert joined(one, other, joint.limits) == ("no", "numpy-abi", None)
    assert joined(one, other, joint.one_python) == ("no", "python-no-wheel-joint", None)
    assert joined(one, replace(other, caps=(), pythons=("3.10",)), joint.one_python) == HOLDS


def test_every_no_has_a_text_of_its_own() -> None:
    verdict = system.libc(case({**LINUX, "libc": "musl"}), candidate("linux", WSL))
    assert verdict.outcome is Outcome.NO
    assert verdict.text.params["version"] == "2.20.0"
    assert verdict.source is not None
