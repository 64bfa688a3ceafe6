"""The walk of `trueup up`: read, decide, show, build, prove. Each ending returns the exit status."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from trueup import setup
from trueup.cli import remember
from trueup.cli.mirroring import with_sources
from trueup.cli.places import changes_store, load
from trueup.cli.proving import close, prove
from trueup.fit.solve import solve
from trueup.machine.host import this_host
from trueup.machine.read import read_machine
from trueup.plan.request import request
from trueup.plan.steps import Step, cost, steps
from trueup.report import up as words
from trueup.report.building import Building
from trueup.report.progress import progress
from trueup.report.solution import as_data, short
from trueup.setup.exclusive import check_free
from trueup.setup.places import Places
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.cli.session import Session
    from trueup.fit.model import Alignment, Route, Solution, Wish
    from trueup.machine.model import Machine
    from trueup.plan.request import LockRequest
    from trueup.setup.events import OnEvent
    from trueup.setup.model import Device, Environment, State
    from trueup.setup.uv import Uv

# The routes that a trueup running on each system can build by itself.
BUILDS_HERE: dict[str, tuple[Route, ...]] = {
    "windows": ("windows-native", "directml", "cpu"),
    "wsl2": ("wsl2", "cpu"),
    "linux": ("linux", "cpu"),
    "macos": ("cpu",),
}


def device_of(route: Route) -> Device:
    """Return the device that a route announces."""
    return "cpu" if route == "cpu" else "directml" if route == "directml" else "gpu"


@dataclass
class Walk:
    """What was found and decided. `answer` grows into the `trueup.up/1` document."""

    session: Session
    wish: Wish
    env: Path
    machine: Machine
    solution: Solution
    state: State
    as_json: bool
    answer: dict[str, Any] = field(default_factory=dict)
    mirrors: tuple[str, ...] = ()

    @classmethod
    def begin(cls, session: Session, wish: Wish, env: Path, *, as_json: bool, half: bool = False) -> Walk:
        """Look at the folder and the machine, and decide. A folder that is not ours ends here.

        `half`: it is what a killed build of ours by another installer left.
        """
        state = setup.inspect(env)
        if state.name == "foreign" and not half:
            raise setup.SetupError("foreign", path=str(env))
        machine = read_machine(this_host(), env_dir=env.absolute())
        solution = solve(wish, machine, load())
        answer = {"schema": "trueup.up/1", "env": str(env), "solution": as_data(solution, session.lang)}
        return cls(session, wish, env, machine, solution, state, as_json, answer)

    def chosen(self) -> Alignment | None:
        """Return the best alignment, where it can be built from here and the machine needs no change."""
        best = self.solution.best
        if best is None or best.changes or self.solution.beside:
            return None
        return best if best.route in BUILDS_HERE[self.machine.os] else None

    # -- nothing is changed

    def first_change(self) -> int:
        """Say what the best way needs of the machine first, and what works at once."""
        best, lang = self.solution.best, self.session.lang
        if self.solution.beside:
            return self.end("several", words.several_text(self.solution, lang), 1)
        if best is None:
            return self.end("impossible", words.impossible_text(self.solution, lang), 1)
        here = BUILDS_HERE[self.machine.os]
        now = [a for a in self.solution.alternatives if not a.changes and a.route in here]
        return self.end("change-first", words.change_first_text(self.machine, best, now, lang), 1)

    def finished(self, *, prove: bool | None) -> int:
        """Look at an environment that is there already, and never touch it.

        `prove`: again (True), not now (False), where no proof has passed (None).
        """
        text, lang = self.session.text, self.session.lang
        if self.state.name == "changed":
            return self.end("changed", words.changed_text(self._env, self.state.changes, lang), 1)
        environment, chosen = self.state.environment, self.chosen()
        if environment is None or chosen is None or not (self._is(chosen) or self._still_fits(chosen)):
            raise TrueupError(
                Message("up.other-wish", {"env": self._env}),
                Message("up.other-wish-hint", {"env": self._env}),
            )
        if environment.record.proof is None and prove is False:
            return self.unproven()
        if environment.record.proof is None or prove:
            return self.prove(environment.python, environment.record.device)
        when = str(environment.record.proof.get("date", "?"))[:10]
        self.answer["proof"] = dict(environment.record.proof)
        lines = [text("up.already", env=self._env, date=when)]
        if not self._is(chosen):
            lines.append(text("up.newer", what=short(chosen, lang)))
        return self.end("already", "\n".join([*lines, self._next()]), 0)

    def _is(self, alignment: Alignment) -> bool:
        return setup.answers(self.state, alignment, self._question(alignment))

    def _still_fits(self, chosen: Alignment) -> bool:
        """Tell whether the environment answers the wish, though newer facts would choose something newer."""
        record = self.state.environment.record if self.state.environment else None
        if record is None or record.alignment.get("route") != chosen.route:
            return False
        pins = [f"{build['framework']}=={build['version']}" for build in record.alignment["builds"]]
        wish = replace(
            self.wish,
            requirements=(*self.wish.requirements, *pins),
            python=f"=={record.python}.*",
            routes=(chosen.route,),
        )
        pinned = solve(wish, self.machine, load()).best
        return pinned is not None and not pinned.changes and self._is(pinned)

    def check_free(self) -> None:
        """Raise where another run is at work on the environment: nothing is asked that could not be done."""
        places = Places(self.env.absolute())
        check_free(places.lock_file, places.env)

    def show(self, chosen: Alignment) -> None:
        """Show what is here, what was decided and why, what it costs and what else there is."""
        if not self.as_json:
            self.session.out(
                words.plan_text(
                    self.machine,
                    self.solution,
                    chosen,
                    cost(self._steps(chosen)),
                    env=self._env,
                    lang=self.session.lang,
                )
            )
            if self.state.name == "building":
                self.session.talk(self.session.text("up.goes-on"))

    def planned(self) -> int:
        return self.end("planned", self.session.text("bundle.dry-run"), 0)

    def declined(self) -> int:
        return self.end("declined", self.session.text("up.declined"), 1)

    # -- something is made

    def build(self, chosen: Alignment) -> Path:
        """Build the environment and return its interpreter."""
        view = progress(self.session.talk, quiet=self.as_json)
        try:
            environment = self._made(chosen, Building(view, self._steps(chosen), self.session.lang).show)
        finally:
            view.close()
        self.answer["built"] = {"python": str(environment.python)}
        remember.built(self.session, self.env)
        self._close()
        return environment.python

    def _close(self) -> None:
        """Say whether every library and symbol is there: a training that fails afterwards is read with it."""
        closed = close(self.session, self.env, self.machine)
        if closed:
            self.answer["closure"] = closed.data
            if not self.as_json:
                self.session.out(closed.text)

    def _made(self, chosen: Alignment, on_event: OnEvent) -> Environment:
        def made(uv: Uv) -> Environment:
            return setup.build(
                chosen,
                self._question(chosen),
                self.env,
                machine=self.machine,
                on_event=on_event,
                uv=uv,
                changes=changes_store(),
            )

        return with_sources(self.session, self.mirrors, made)

    def prove(self, python: Path, device: Device) -> int:
        """Train in the environment; only a passed proof is kept and ends with 0."""
        proof = prove(self.session, python, device, quiet=self.as_json)
        self.answer["proof"] = proof.data
        if proof.status == 0:
            setup.mark_proven(self.env, proof.data)
            return self.end("proven", proof.text + "\n" + self._next(), 0)
        return self.end("not-proven", proof.text, proof.status)

    def unproven(self) -> int:
        return self.end("unproven", self.session.text("up.unproven", env=self._env), 1)

    # -- small things

    @property
    def _env(self) -> str:
        return str(self.env)

    def _question(self, chosen: Alignment) -> LockRequest:
        return request(chosen, self.machine)

    def _steps(self, chosen: Alignment) -> tuple[Step, ...]:
        python = setup.find_python(self.machine, chosen.python)
        return steps(chosen, python_path=str(python) if python else None, env=self._env)

    def _next(self) -> str:
        command = words.activate(self._env, windows=self.machine.os == "windows")
        self.answer["next"] = command
        return self.session.text("up.next", command=command)

    def end(self, status: str, text: str, code: int) -> int:
        self.answer["status"] = status
        if self.as_json:
            self.session.out_json(self.answer)
        else:
            self.session.out(text)
        return code
