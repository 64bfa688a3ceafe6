"""What must hold for every machine and every wish, and agreement with trying everything."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from fit_world import CARDS, FLOORS, WORLD, World, build, cpu
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from trueup.facts import load
from trueup.facts.model import CudaFrom, GpuCode
from trueup.fit.case import FLAVOUR, Candidate, Case, read_case
from trueup.fit.choice import Choice, choose, clash
from trueup.fit.field import survey
from trueup.fit.model import Solution, Wish
from trueup.fit.offer import platforms_of, routes_of
from trueup.fit.option import weigh
from trueup.fit.rank import measure
from trueup.fit.reach import reach
from trueup.fit.solve import solve
from trueup.fit.versions import accepts
from trueup.fit.wish import understand
from trueup.machine.describe import describe, parse

if TYPE_CHECKING:
    from trueup.facts.model import Build, Platform
    from trueup.fit.knowledge import Knowledge
    from trueup.fit.model import Route

DRIVERS = ["391.35", "426.00", "451.67", "452.39", "474.30", "497.09", "511.79", "528.33", "536.67", "560.94", "572.83", "581.29", "591.44"]  # fmt: skip
REAL_CARDS = ["GTX 760", "GTX 980", "GTX 1080 Ti", "RTX 2060", "RTX 3060", "RTX 4090", "RTX 5090", "Tesla V100",
              "Tesla K80", "NVIDIA H100 PCIe", "AMD Radeon RX 6800", "Intel(R) Arc(TM) A770 Graphics"]  # fmt: skip
WISHES = [("tensorflow",), ("tensorflow==2.15.*",), ("tensorflow==2.10.*",), ("torch",), ("torch==2.5.*",), ("jax",),
          ("tensorflow", "torch"), ("tensorflow", "numpy>=2"), ("tensorflow", "python==3.11.*")]  # fmt: skip
WSLS = [
    None,
    {"version": 1, "distros": ["Ubuntu"]},
    {"version": 2, "distros": ["Ubuntu"], "kernel": "5.15.1"},
]


def machines(cards: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    wsl = st.sampled_from(WSLS)
    shared = {
        "gpus": st.lists(st.sampled_from(cards), max_size=2).map(lambda names: [{"name": n} for n in names]),
        "driver": st.sampled_from([None, *DRIVERS]),
    }
    optional = {"arch": st.just("x86_64"), "disk_free_gb": st.sampled_from([2.0, 5.0, 200.0])}
    windows = st.fixed_dictionaries(
        {"os": st.just("windows"), **shared},
        optional={
            **optional,
            "os_build": st.sampled_from(["10.0.17763", "10.0.19045", "10.0.22631"]),
            "wsl": wsl,
        },
    )
    linux = st.fixed_dictionaries(
        {"os": st.sampled_from(["linux", "wsl2"]), **shared},
        optional={**optional, "glibc": st.sampled_from(["2.17", "2.31", "2.39"])},
    )
    return st.one_of(windows, linux)


ALONE = [want for want in WISHES if want != ("tensorflow", "torch")]


@given(
    machines(REAL_CARDS), st.sampled_from(ALONE), st.lists(st.sampled_from(DRIVERS), min_size=2, max_size=4)
)
@settings(max_examples=25, deadline=None)
def test_a_newer_driver_never_makes_an_alignment_impossible(
    described: dict[str, Any], want: tuple[str, ...], drivers: list[str]
) -> None:
    fitting: set[tuple[Route, int]] = set()
    for driver in sorted(drivers, key=float):
        case = asked({**described, "driver": driver}, want, load())
        now = {(c.route, id(c.builds[0])) for route in routes_of(case) for c in survey(case, route).choices}
        assert fitting <= now, driver
        fitting = now


@given(
    st.lists(st.sampled_from(["5.0", "6.0", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "12.0"]), max_size=5),
    st.lists(st.sampled_from(["5.0", "7.0", "8.0", "9.0"]), max_size=2),
    st.tuples(st.integers(3, 13), st.integers(0, 9), st.integers(0, 9)),
)
def test_a_higher_minor_never_loses_machine_code(
    sass: list[str], ptx: list[str], card: tuple[int, int, int]
) -> None:
    code, (major, one, other) = GpuCode(tuple(sass), tuple(ptx)), card
    tegra = {(3, 2), (5, 3), (6, 2), (7, 2), (8, 7)}
    assume((major, max(one, other)) not in tegra)
    lower, higher = reach(code, f"{major}.{min(one, other)}"), reach(code, f"{major}.{max(one, other)}")
    assert lower != "native" or higher == "native"
    assert lower == "none" or higher != "none"


@given(
    machines(REAL_CARDS),
    st.sampled_from(WISHES[:6]),
    st.sampled_from(["torch", "tensorflow", "jax", "numpy<2", "python==3.10.*"]),
)
@settings(max_examples=25, deadline=None)
def test_adding_a_wish_never_adds_options(
    described: dict[str, Any], want: tuple[str, ...], more: str
) -> None:
    facts = load()
    alone, together = asked(described, want, facts), asked(described, (*want, more), facts)
    for route in routes_of(alone):
        few = {id(c.builds[0]) for c in survey(replace(alone, every=True), route).choices}
        assert {id(c.builds[0]) for c in survey(together, route).choices} <= few


@given(machines(REAL_CARDS), st.sampled_from(WISHES))
@settings(max_examples=30, deadline=None)
def test_an_answer_is_whole(described: dict[str, Any], want: tuple[str, ...]) -> None:
    solution = solve(Wish(want), parse(described), load())
    assert (solution.best is None) == (solution.status == "impossible")
    if solution.best:
        assert solution.best.python
        assert solution.status == status(solution)
        assert solution.status != "gpu" or all(c.id in BY_HAND for c in solution.best.changes)
        assert all(c.admin in (True, False) and c.text.code for c in solution.best.changes)
    if solution.status != "gpu":
        assert solution.rejected, "what stands in the way is said"


BY_HAND = ("install-cuda", "install-python")  # packages, not the machine


def status(solution: Solution) -> str:
    envs = [a for a in (solution.best, *solution.beside) if a]
    if any(a.route == "cpu" for a in envs):
        return "cpu-only"
    of_machine = [change for a in envs for change in a.changes if change.id not in BY_HAND]
    return "gpu-after-change" if of_machine else "gpu"


@given(machines(REAL_CARDS))
def test_a_description_survives_a_round(described: dict[str, Any]) -> None:
    assert parse(describe(parse(described))) == parse(described)


PLATFORMS: list[Platform] = ["windows", "linux"]
PYTHONS = [("3.8",), ("3.9", "3.10"), ("3.10", "3.11", "3.12")]
CODES = [GpuCode(("6.0", "7.0", "8.0")), GpuCode(("7.5",), ("8.0",)), GpuCode(known=False)]
LINES = [("11.2", "8.1"), ("12.5", "9.3"), ("12.5", "9.10.2.21"), ("13.0", "9.20.0.48")]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    shelves = {}
    for framework in ("tensorflow", "torch"):
        found: list[Build] = []
        for number in range(draw(st.integers(1, 6))):
            platform, version = draw(st.sampled_from(PLATFORMS)), f"2.{9 - number}.0"
            pythons = draw(st.sampled_from(PYTHONS))
            if draw(st.integers(0, 4)) == 0:
                found.append(cpu(framework, version, platform, pythons=pythons))
                continue
            cuda, cudnn = draw(st.sampled_from(LINES))
            made_from = draw(st.sampled_from([CudaFrom.DEPENDENCY, CudaFrom.BUNDLED, CudaFrom.SYSTEM]))
            caps = draw(st.sampled_from([(), ("numpy<2",), ("numpy>=2",)]))
            code = draw(st.sampled_from(CODES))
            found.append(build(framework, version, platform=platform, pythons=pythons, cuda=cuda, cudnn=cudnn,
                               cuda_from=made_from, caps=caps, code=code))  # fmt: skip
        shelves[framework] = tuple(found)
    return World(shelves)


@given(
    worlds(),
    machines(list(CARDS)),
    st.sampled_from([("tensorflow",), ("tensorflow", "torch"), ("torch<2.8",)]),
)
@settings(max_examples=60, deadline=None)
def test_the_solver_agrees_with_trying_everything(
    world: World, described: dict[str, Any], want: tuple[str, ...]
) -> None:
    case = asked(described, want, world)
    every = everything(case)
    fields = [survey(case, route) for route in routes_of(case)]
    found = [choice for field in fields for choice in field.choices]
    assert bool(found) == bool(every)
    if not every:
        return
    tried = min(every, key=lambda choice: measure(case, choice))
    solution = solve(Wish(want), parse(described), world)
    if solution.beside:
        assert tried.route == "cpu", "two environments only where one has no GPU for both"
        return
    assert solution.best is not None
    assert [b.version for b in solution.best.builds] == [b.version for b in tried.builds]
    assert solution.best.route == tried.route


def everything(case: Case) -> list[Choice]:
    """Return all sets of builds on all routes that no rule forbids, without any of the solver's short cuts."""
    found = []
    for route in routes_of(case):
        columns = []
        for ask in case.asked.asks:
            places = platforms_of(case, route)
            builds = [
                b
                for b in case.facts.builds(ask.framework)
                if b.flavour == FLAVOUR[route] and b.arch == case.arch
            ]
            first = next((p for p in places if any(b.platform == p for b in builds)), None)
            here = [b for b in builds if b.platform == first and accepts(ask.specifier, b.version)]
            weighed = [weigh(case, Candidate(route, b, ask)) for b in here]
            columns.append([option for option in weighed if not option.faulty])
        for options in product(*columns):
            pairs = [(a, b) for i, a in enumerate(options) for b in options[i + 1 :]]
            if not any(clash(case, a, b) for a, b in pairs) and choose(case, options).pythons:
                found.append(choose(case, options))
    return found


def asked(described: dict[str, Any], want: tuple[str, ...], facts: Knowledge) -> Case:
    return read_case(parse(described), understand(Wish(want), facts), facts)


def test_the_world_answers_as_the_facts_do() -> None:
    real = load()
    for name in ("wsl2.windows-build", "wsl2.driver", "wsl2.capability", "directml.windows-build"):
        assert WORLD.requirement(name)[0] == real.requirement(name)[0]
    for (cuda, platform), (least, _) in FLOORS.items():
        floor = real.driver_floor(cuda, platform)
        assert floor is not None
        assert floor.minor_compatible is None or floor.minor_compatible.startswith(least[:3])
