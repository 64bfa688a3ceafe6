"""Choosing, explaining and giving way, on hand-made facts."""

from __future__ import annotations

from typing import Any

import pytest
from fit_world import LINUX, READY, WINDOWS, WORLD, World, build, cpu, machine

from trueup.fit.fleet import solve_fleet
from trueup.fit.model import Solution, Wish
from trueup.fit.solve import solve
from trueup.machine.describe import parse
from trueup.report.say import say


def answer(described: dict[str, Any], *want: str, world: World = WORLD, **wish: Any) -> Solution:
    return solve(Wish(want or ("tensorflow",), **wish), parse(described), world)


def best(solution: Solution) -> tuple[str, str, str]:
    assert solution.best is not None
    return solution.status, solution.best.route, solution.best.builds[0].version


NEW_CARD = machine(WINDOWS, "RTX 3060", driver="536.67", wsl=READY)


def test_native_windows_comes_before_wsl_that_is_ready() -> None:
    solution = answer(NEW_CARD)
    assert best(solution) == ("gpu", "windows-native", "2.10.1")
    assert [a.route for a in solution.alternatives] == ["wsl2", "directml", "cpu"]


def test_the_one_reason_and_the_way_to_more() -> None:
    solution = answer(machine(WINDOWS, "RTX 3060", driver="536.67"))
    assert solution.best is not None
    assert solution.best.binding.code == "fit.tf-windows-gpu-ended"
    said = [say(note, "en") for note in solution.notes]
    assert "for tensorflow 2.20.0: enable WSL2 with `wsl --install -d Ubuntu`" in said


@pytest.mark.parametrize(
    ("prefer", "expected"),
    [
        ("stable", ("windows-native", "2.10.1")),
        ("newest", ("wsl2", "2.20.0")),
        ("smallest", ("windows-native", "2.10.1")),
    ],
)
def test_preferences(prefer: Any, expected: tuple[str, str]) -> None:
    assert best(answer(NEW_CARD, prefer=prefer))[1:] == expected


def test_installed_python_may_decide_the_release() -> None:
    world = World(
        {"tensorflow": (build("tensorflow", "2.10.1"), build("tensorflow", "2.9.0", pythons=("3.7",)))}
    )
    described = machine(WINDOWS, "RTX 3060", driver="536.67", pythons=["3.7.9"])
    assert best(answer(described, world=world))[2] == "2.10.1"
    assert best(answer(described, world=world, prefer="installed"))[2] == "2.9.0"


def test_routes_may_be_forbidden() -> None:
    only = answer(NEW_CARD, routes=("cpu",))
    assert best(only) == ("cpu-only", "cpu", "2.20.0")
    assert only.best is not None
    assert only.best.binding.code == "fit.binding-others-left-out"
    forbidden = {r.route for r in only.rejected if r.reasons[0].rule == "route-not-asked"}
    assert forbidden == {"windows-native", "wsl2", "directml"}


def test_a_required_gpu_is_not_replaced_by_the_cpu() -> None:
    solution = answer(machine(LINUX), gpu_required=True)
    assert (solution.status, solution.best) == ("impossible", None)
    assert [a.route for a in solution.alternatives] == ["cpu"], "the nearest is still shown"


def test_a_release_that_is_not_there() -> None:
    solution = answer(NEW_CARD, "tensorflow==2.99")
    assert (solution.status, solution.best) == ("impossible", None)
    assert [note.code for note in solution.notes] == ["fit.nearest-version"]
    assert solution.alternatives[0].builds[0].version == "2.10.1"


def test_musl_shows_the_nearest_and_what_bars_it() -> None:
    solution = answer(machine(LINUX, "RTX 3060", driver="550.1", libc="musl"))
    assert solution.status == "impossible"
    assert [note.code for note in solution.notes] == ["fit.nearest-barred", "fit.libc-musl"]
    assert len(solution.alternatives) == 1


def test_a_flavour_that_is_not_there_gives_way() -> None:
    solution = answer(machine(LINUX, "RTX 3060", driver="550.1"), "tensorflow-directml-plugin")
    assert solution.status == "impossible"
    assert [note.code for note in solution.notes] == ["fit.nearest-version"]
    assert [a.route for a in solution.alternatives] == ["linux", "cpu"]


def test_the_nearest_is_looked_for_beyond_the_routes_that_were_asked() -> None:
    solution = answer({**machine(LINUX, "Radeon RX 6800"), "arch": "x86_64"}, "torch", routes=("linux",))
    assert solution.status == "impossible"
    world = World({"cupy": (build("cupy", "14.0", platform="linux", cuda="12.5"),)})
    barred = answer(machine(LINUX, "Radeon RX 6800"), "cupy", world=world, routes=("cpu",))
    assert [note.code for note in barred.notes] == [
        "fit.note-rocm",
        "fit.nearest-barred",
        "fit.card-not-nvidia",
    ]
    assert [a.route for a in barred.alternatives] == ["linux"]


def test_one_environment_for_two() -> None:
    solution = answer(NEW_CARD, "tensorflow", "torch")
    assert solution.best is not None
    assert [(b.framework, b.cuda) for b in solution.best.builds] == [
        ("tensorflow", "11.2"),
        ("torch", "11.2"),
    ]
    assert solution.best.python == "3.10"
    assert "fit.note-one-environment" in [note.code for note in solution.best.notes]


def test_two_environments_where_one_will_not_do() -> None:
    solution = answer(NEW_CARD, "tensorflow==2.10.1", "torch==2.0.1", routes=("windows-native",))
    assert solution.best is not None
    assert [a.builds[0].framework for a in (solution.best, *solution.beside)] == ["tensorflow", "torch"]
    codes = [note.code for note in solution.notes]
    assert codes[0] == "fit.note-two-environments"
    assert "fit.joint-cuda-names" in codes


def test_the_driver_settles_the_cuda_of_torch() -> None:
    def cuda(card: str, driver: str | None) -> str | None:
        solution = answer(machine(WINDOWS, card, driver=driver), "torch")
        assert solution.best is not None
        return solution.best.cuda

    assert cuda("RTX 3060", "536.67") == "12.5"
    assert cuda("RTX 3060", "591.44") == "13.0"
    assert cuda("GTX 1080", "581.29") == "12.5", "Pascal is in the CUDA 12 build only"


def test_a_card_outside_the_tables_is_unknown_and_named() -> None:
    solution = answer(machine(WINDOWS, "RTX 9090", driver="620.1"))
    assert solution.status == "gpu-after-change"
    assert solution.best is not None
    assert (solution.best.kernels, [c.id for c in solution.best.changes]) == ("unknown", ["find-out-card"])


def test_nothing_known_promises_nothing() -> None:
    solution = answer({"os": "linux"})
    assert best(solution)[:2] == ("cpu-only", "cpu")
    assert "fit.assume-no-card" in [a.code for a in solution.assumptions]


def test_a_windows_python_is_of_no_use_in_wsl() -> None:
    described = machine(WINDOWS, "RTX 3060", driver="536.67", wsl=READY, pythons=["3.12.1", "3.10.1"])
    solution = answer(described, routes=("wsl2",))
    assert solution.best is not None
    assert solution.best.python == "3.11", "the middle of what has wheels"


def test_one_update_of_the_driver_serves_two_reasons() -> None:
    described = machine(WINDOWS, "RTX 3060", driver="511.79", wsl=READY)
    solution = answer(described, "tensorflow>=2.11", "torch")
    assert solution.best is not None
    assert [change.id for change in solution.best.changes] == ["update-driver"]


def test_arm_windows_goes_through_wsl_for_the_cpu() -> None:
    solution = answer({**machine(WINDOWS), "arch": "arm64"})
    assert best(solution) == ("cpu-only", "cpu", "2.20.0")
    assert solution.best is not None
    assert [change.id for change in solution.best.changes] == ["enable-wsl2"]


def test_macos_knows_the_cpu_only() -> None:
    solution = answer({"os": "macos", "arch": "arm64"})
    assert (solution.status, solution.best) == ("cpu-only", None)
    assert [note.code for note in solution.notes] == ["fit.note-macos"]


def test_a_fleet_shares_an_environment_where_it_can() -> None:
    machines = {
        "a": parse(machine(WINDOWS, "RTX 3060", driver="536.67")),
        "b": parse(machine(WINDOWS, "GTX 1080", driver="512.15")),
        "c": parse(machine(LINUX, "RTX 3060", driver="550.1")),
        "d": parse({**machine(LINUX, "RTX 3060", driver="550.1"), "libc": "musl"}),
    }
    fleet = solve_fleet(Wish(("tensorflow",)), machines, WORLD)
    assert [[member.name for member in group] for group in fleet.groups] == [["a", "b"], ["c"]]
    assert fleet.unserved == ("d",)


def test_a_fleet_takes_the_flavour_that_serves_all() -> None:
    machines = {
        "new": parse(machine(WINDOWS, "RTX 3060", driver="591.44")),
        "old": parse(machine(WINDOWS, "GTX 1080", driver="581.29")),
    }
    fleet = solve_fleet(Wish(("torch",)), machines, WORLD)
    assert [[(m.name, m.alignment.cuda) for m in group] for group in fleet.groups] == [
        [("new", "12.5"), ("old", "12.5")]
    ]


def test_a_fleet_does_not_serve_one_worse_for_the_others() -> None:
    world = World({"tensorflow": (build("tensorflow", "2.10.1"), cpu("tensorflow", "2.20.0", "windows"))})
    machines = {
        "gpu": parse(machine(WINDOWS, "RTX 3060", driver="536.67")),
        "none": parse(machine(WINDOWS)),
    }
    fleet = solve_fleet(Wish(("tensorflow",)), machines, world)
    assert [[member.status for member in group] for group in fleet.groups] == [["gpu"], ["cpu-only"]]
