"""`trueup up --installer conda|pixi`: the same decision and proof, built by the conda of the machine."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, Final

from trueup import setup
from trueup.cli.mirroring import with_sources
from trueup.cli.places import changes_store
from trueup.machine.host import this_host
from trueup.machine.pythons.common import conda_prefixes
from trueup.plan.request import request
from trueup.plan.steps import needs_hook
from trueup.plan.writers import conda_cuda
from trueup.plan.writers.order import WORDS, Order
from trueup.setup import conda, exclusive, hook
from trueup.setup.changes.made import made_change
from trueup.setup.changes.model import InSteps
from trueup.setup.changes.whole import announced
from trueup.setup.places import Places
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.cli.up_walk import Walk
    from trueup.fit.model import Alignment
    from trueup.setup.changes import Record
    from trueup.setup.conda import Installer, Program


COMMAND: Final = "trueup up"
NOT_IN_NAMES: Final = frozenset(" :#")  # conda refuses an environment with these in its name


def begin(walk: Walk, installer: Installer) -> Program:
    """Find the program before anything is asked or downloaded; an environment that is there is never touched."""
    program = conda.find(installer, conda_prefixes(this_host()))
    if program.kind in ("conda", "mamba") and set(walk.env.name) & NOT_IN_NAMES:
        raise TrueupError(Message("env.bad-name", {"name": walk.env.name}), Message("env.bad-name-hint"))
    if os.path.lexists(walk.env) and half(walk.env) is None:
        raise conda.exists(walk.env)
    return program


def half(env: Path) -> Record | None:
    """Return the transaction of a build of ours that was killed and left this folder half-built."""
    store, path = changes_store(), str(env.absolute())
    if not os.path.lexists(env):
        return None
    for record in store.records():
        for change in record.changes:
            if change.kind == "made" and change.target["path"] == path:
                kind = store.kinds["made"]
                if isinstance(kind, InSteps) and kind.between(change, kind.read(change.target)):
                    return record
    return None


def drop_half(walk: Walk) -> None:
    """Take away what a killed build left: the program's own cache has what it had downloaded."""
    left = half(walk.env)
    if left is not None:
        walk.session.talk(walk.session.text("env.drops-half", path=str(walk.env)))
        changes_store().undo(left)
    if os.path.lexists(walk.env):
        raise conda.exists(walk.env)


def build(walk: Walk, chosen: Alignment, program: Program) -> Path:
    """Lock, write conda's file, let the program build from it, and return the interpreter.

    The intent is in the journal first; what fails is taken back at once.
    """
    drop_half(walk)
    text = written(walk, chosen, program)
    walk.session.talk(walk.session.text("env.builds", name=program.kind, path=program.path))
    making = conda.Making(program, walk.env.absolute(), secrets.token_hex(4))
    places = Places(making.env_dir)
    places.env.parent.mkdir(parents=True, exist_ok=True)
    change = made_change(making.env_dir, making.token)
    with (
        exclusive.exclusive(places.lock_file, places.env),
        announced(changes_store(), COMMAND, change),
    ):
        prefix = making.create(text)
        if conda_cuda.specs(chosen) or needs_hook(chosen):
            conda.find_by_hook(prefix)
        making.finish()
    python = conda.python_of(prefix)
    walk.answer["built"] = {"python": str(python)}
    return python


def written(walk: Walk, chosen: Alignment, program: Program) -> str:
    question = request(chosen, walk.machine)
    made = with_sources(walk.session, walk.mirrors, lambda uv: setup.lock(question, uv=uv))
    words = {name: walk.session.text(f"plan.{name}", python=question.python) for name in WORDS}
    order = Order(chosen, question, made, hook.files() if needs_hook(chosen) else {}, words)
    if program.kind == "pixi":
        return conda_cuda.workspace(order)
    return conda_cuda.environment(order, alone=not conda.overrides(program))


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
