"""Builds an environment in a process of its own, to be killed by a test: `build_child.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from made import FOO, machine_here, question_of

from trueup import setup
from trueup.setup.sweeping import sweep


def _say(what: object) -> None:
    print(what, flush=True)  # noqa: T201  # the test listens


def main() -> int:
    env_dir = Path(sys.argv[1])
    if setup.inspect(env_dir).name == "complete":
        sweep(env_dir)
        return 0
    try:
        setup.build(FOO, question_of(), env_dir, machine=machine_here(), on_event=_say)
    except setup.SetupError as error:
        _say((error.kind, dict(error.message.params)))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
