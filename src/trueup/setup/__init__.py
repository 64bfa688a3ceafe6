"""Builds environments with uv, so that whatever happens in between nothing half-built looks whole.

The walk of a caller::

    question = plan.request.request(alignment, machine)
    state = setup.inspect(env_dir)             # < 0.5 s; state.name, state.changes
    setup.answers(state, alignment, question)  # what is there is what would be built now
    steps = plan.steps.steps(alignment, python_path=setup.find_python(machine, "3.10"), env=str(env_dir))
    env = setup.build(alignment, question, env_dir, machine=machine, lock=None, on_event=show)
    ...prove env.python...
    setup.mark_proven(env_dir, {"device": "gpu", ...})

`setup.lock(question, uv=None) -> Lock` resolves for the target, also from elsewhere.
`setup.read_lock(text, question) -> Lock` checks a pylock.toml that is there already.

`build` locks by itself where `lock` is None; an interrupted build of the same question goes on with the
lock and the downloads it had. It tells the events of `setup.events`: Started(step), Finished(step, seconds,
reused), Progress(step, done, total) in bytes, Note(text). It raises `SetupError` (a TrueupError with
`kind` and `quote`) and lets KeyboardInterrupt through, after the child is ended and the exclusive lock is
given back.

On disk, for `--env .venv`:

    .venv/trueup.json            the record; written last: an environment without it is not ours
    .venv/pylock.toml            the lock it was built from
    .venv.trueup-building/       journal.jsonl, pylock.toml and the environment until it is whole
    .venv.trueup-lock            who is at work; held by the operating system, so a dead run holds nothing
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from trueup.setup.errors import SetupError
from trueup.setup.inspection import answers, inspect
from trueup.setup.record import mark_proven

if TYPE_CHECKING:
    from trueup.setup.building import build
    from trueup.setup.lockfile import read_lock
    from trueup.setup.locking import lock
    from trueup.setup.pythons import find_python

__all__ = ["SetupError", "answers", "build", "find_python", "inspect", "lock", "mark_proven", "read_lock"]

# A second run on a finished environment only looks: it must not wait for what builds.
_LATER: Final = {"build": "building", "find_python": "pythons", "lock": "locking", "read_lock": "lockfile"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(name)
    return getattr(importlib.import_module(f"trueup.setup.{_LATER[name]}"), name)
