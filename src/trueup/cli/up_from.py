"""`trueup up --from`: the same walk with a bundle in place of the network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from trueup import facts, setup
from trueup.cli.places import changes_store, own_facts
from trueup.cli.up_walk import Walk
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.machine.host import this_host
from trueup.machine.read import read_machine
from trueup.plan.steps import steps
from trueup.report.bundle import Fetching
from trueup.report.progress import progress
from trueup.report.solution import as_data, do
from trueup.setup.bundle.errors import BundleError
from trueup.setup.bundle.use import open_bundle
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from trueup.cli.session import Session
    from trueup.fit.model import Alignment, Solution
    from trueup.machine.model import Machine
    from trueup.plan.request import LockRequest
    from trueup.plan.steps import Step
    from trueup.setup.bundle.manifest import Target
    from trueup.setup.bundle.use import Bundle
    from trueup.setup.events import OnEvent
    from trueup.setup.model import Environment


@dataclass(frozen=True)
class Offline:
    """A bundle and the one of its targets that this machine is."""

    bundle: Bundle
    target: Target


@dataclass
class FromBundle(Walk):
    """The walk, with question, lock and files from a bundle."""

    offline: Offline | None = None

    @property
    def _given(self) -> Offline:
        if self.offline is None:
            raise RuntimeError("made without a bundle")
        return self.offline

    def _question(self, chosen: Alignment) -> LockRequest:  # noqa: ARG002  # the bundle's is the one that was locked
        return self._given.target.question

    def _steps(self, chosen: Alignment) -> tuple[Step, ...]:
        python = setup.find_python(self.machine, chosen.python)
        planned = steps(chosen, python_path=str(python) if python else None, env=self._env)
        told = Message("bundle.step-python", {"version": chosen.python})
        return tuple(
            replace(step, download_mb=0, text=told if step.id == "python" and python is None else step.text)
            for step in planned
        )

    def _made(self, chosen: Alignment, on_event: OnEvent) -> Environment:
        bundle, target = self._given.bundle, self._given.target
        return setup.build(
            chosen,
            target.question,
            self.env,
            machine=self.machine,
            lock=bundle.lock(target),
            on_event=on_event,
            supply=bundle.supply(target),
            changes=changes_store(),
        )


def opened(session: Session, source: Path, *, quiet: bool) -> AbstractContextManager[Bundle]:
    """Return the checked bundle; checking is shown, for it reads gigabytes."""
    if not quiet:
        session.talk(session.text("bundle.checking", path=str(source)))
    view = progress(session.talk, quiet=True)
    return open_bundle(source, Fetching(view, None).more)


def begin(session: Session, bundle: Bundle, wish: Sequence[str], env: Path, *, as_json: bool) -> FromBundle:
    """Look at the folder and the machine, and find the target that this machine is."""
    state = setup.inspect(env)
    if state.name == "foreign":
        raise setup.SetupError("foreign", path=str(env))
    machine = read_machine(this_host(), env_dir=env.absolute())
    target, solution = choose(session, bundle, wish, machine)
    answer: dict[str, Any] = {
        "schema": "trueup.up/1",
        "env": str(env),
        "solution": as_data(solution, session.lang),
        "bundle": {"path": str(bundle.folder), "sha256": bundle.digest, "target": target.name},
    }
    if not as_json:
        session.talk(session.text("bundle.checked", digest=bundle.digest, name=target.name))
    walk = FromBundle(session, pinned(target), env, machine, solution, state, as_json, answer)
    walk.offline = Offline(bundle, target)
    return walk


def choose(
    session: Session, bundle: Bundle, wish: Sequence[str], machine: Machine
) -> tuple[Target, Solution]:
    """Return the target that holds on this machine, a GPU before none. Raises BundleError with what differs."""
    known = facts.load(bundle.facts or own_facts())
    asked = [target for target in bundle.manifest.targets if _answers(wish, target)]
    if not asked:
        held = sorted({" ".join(pair) for target in bundle.manifest.targets for pair in target.packages})
        raise BundleError("other-wish", wish=" ".join(wish), held=", ".join(held))
    holding, reasons = [], {}
    for target in asked:
        solution, why = _holds(session, bundle, target, machine, lambda wished: solve(wished, machine, known))
        reasons[target.name] = list(why)
        if solution is not None:
            holding.append((target, solution))
    if not holding:
        lines = [f"  {name}: {text}" for name, texts in reasons.items() for text in texts]
        raise BundleError("other-machine", reasons="\n".join(dict.fromkeys(lines)))
    return min(holding, key=_preference)


def _preference(pair: tuple[Target, Solution]) -> tuple[bool, bool]:
    target, solution = pair
    return bool(solution.best and solution.best.changes), target.route == "cpu"


def pinned(target: Target) -> Wish:
    """Return the wish that has only what the bundle holds as its answer."""
    pins = [f"{name}=={version}" for name, version in target.builds]
    return Wish((*target.wish, *pins), python=f"=={target.question.python}.*", routes=(target.route,))


def _holds(
    session: Session, bundle: Bundle, target: Target, machine: Machine, solved: Callable[[Wish], Solution]
) -> tuple[Solution | None, list[str]]:
    differs = bundle.differs(target, machine)
    if differs:
        return None, [session.say(text) for text in differs]
    solution = solved(pinned(target))
    best = solution.best
    if best is not None and best.packages == target.packages and best.route == target.route:
        return solution, []
    return None, list(_rejections(session, target, solution))


def _rejections(session: Session, target: Target, solution: Solution) -> Iterator[str]:
    """Yield why the set of the bundle does not hold here."""
    best = solution.best
    reasons = [
        verdict.text for one in solution.rejected if one.route == target.route for verdict in one.reasons
    ]
    yield from (session.say(text) for text in reasons)
    if best is not None:
        yield from (do(change, session.lang) for change in best.changes)
    if best is not None or not reasons:
        held = " + ".join(" ".join(pair) for pair in target.builds)
        yield session.text("bundle.differs-set", held=held, route=target.route)


def _answers(wish: Sequence[str], target: Target) -> bool:
    """Tell whether a target holds what is asked for; without a wish any does."""
    held = {canonicalize_name(name): version for name, version in (*target.packages, *target.builds)}
    for text in wish:
        try:
            asked = Requirement(text)
        except InvalidRequirement as error:
            raise BundleError("other-wish", wish=text, held=", ".join(sorted(held))) from error
        found = held.get(canonicalize_name(asked.name))
        if asked.url or found is None or not asked.specifier.contains(found, prereleases=True):
            return False
    return True
