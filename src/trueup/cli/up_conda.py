"""`trueup up --installer conda|pixi`: the same decision and proof, built by the conda of the machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trueup import setup
from trueup.cli.mirroring import with_sources
from trueup.machine.host import this_host
from trueup.machine.pythons.common import conda_prefixes
from trueup.plan.request import request
from trueup.plan.steps import needs_hook
from trueup.plan.writers import conda_cuda
from trueup.plan.writers.order import WORDS, Order
from trueup.setup import conda, hook
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.cli.up_walk import Walk
    from trueup.fit.model import Alignment
    from trueup.setup.conda import Installer, Program


def begin(walk: Walk, installer: Installer) -> Program:
    """Find the program before anything is asked or downloaded; an environment that is there is never touched."""
    program = conda.find(installer, conda_prefixes(this_host()))
    if os.path.lexists(walk.env):
        raise TrueupError(Message("env.exists", {"path": str(walk.env)}), Message("env.exists-hint"))
    return program


def build(walk: Walk, chosen: Alignment, program: Program) -> Path:
    """Lock, write conda's file, let the program build from it, and return the interpreter."""
    text = written(walk, chosen, program)
    walk.session.talk(walk.session.text("env.builds", name=program.kind, path=program.path))
    prefix = conda.create(program, text, walk.env.absolute())
    if conda_cuda.specs(chosen) or needs_hook(chosen):
        conda.find_by_hook(prefix)
    python = conda.python_of(prefix)
    walk.answer["built"] = {"python": str(python)}
    return python


def written(walk: Walk, chosen: Alignment, program: Program) -> str:
    question = request(chosen, walk.machine)
    made = with_sources(walk.session, walk.mirrors, lambda uv: setup.lock(question, uv=uv))
    words = {name: walk.session.text(f"plan.{name}", python=question.python) for name in WORDS}
    order = Order(chosen, question, made, hook.files() if needs_hook(chosen) else {}, words)
    return conda_cuda.workspace(order) if program.kind == "pixi" else conda_cuda.environment(order)


def prove(walk: Walk, chosen: Alignment, python: Path, *, wanted: bool | None) -> int:
    """Train as after any build; the proof is shown, and kept nowhere: the record of it belongs to uv's builds."""
    from trueup.cli.proving import prove as train
    from trueup.cli.up_walk import device_of

    if wanted is False:
        return walk.unproven()
    proof = train(walk.session, python, device_of(chosen.route), quiet=walk.as_json)
    walk.answer["proof"] = proof.data
    code = proof.status
    return walk.end("proven" if code == 0 else "not-proven", proof.text, code)
