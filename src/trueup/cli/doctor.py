"""`trueup doctor`: the way from what is wrong to what mends it; with `--fix` step by step."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.diagnose.findings import Checkup
    from trueup.diagnose.mend.model import Mend, Walked
    from trueup.machine.host import Host

GOOD = ("aligned", "ready")


@click.command("doctor", cls=SayCommand, help="doctor.help")
@click.argument("framework", required=False)
@click.option("--fix", cls=SayOption, is_flag=True, help="doctor.help-fix")
@click.option("--env", cls=SayOption, metavar="FOLDER", help="check.help-env")
@click.option("--machine", cls=SayOption, metavar="FILE", help="check.help-machine")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="doctor.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="doctor.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    framework: str | None,
    fix: bool,
    env: str | None,
    machine: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    from trueup.diagnose.mend.route import route
    from trueup.report.doctor import as_data, route_text

    _check(fix=fix, machine=machine, yes=yes, as_json=as_json)
    look = Look(framework, env, machine)
    if fix:
        return _fix(session, look, yes=yes)
    checkup = look()
    steps = route(checkup, look.toolkits())
    if as_json:
        session.out_json(as_data(checkup, steps, None, session.lang))
    else:
        session.out(route_text(checkup, steps, session.lang))
        if any(step.argv for step in steps):
            session.out("\n" + session.text("doctor.fix-with"))
    return 0 if checkup.outcome in GOOD else 1


def _check(*, fix: bool, machine: str | None, yes: bool, as_json: bool) -> None:
    if fix and machine is not None:
        raise TrueupError(Message("doctor.fix-of-recording"), Message("doctor.fix-where"))
    if fix and as_json:
        raise TrueupError(Message("doctor.fix-as-data"), Message("doctor.fix-as-data-hint"))
    if fix and not yes and (sys.stdin is None or not sys.stdin.isatty()):
        raise TrueupError(Message("doctor.needs-yes"), Message("doctor.needs-yes-hint"))


class Look:
    """Looks at the machine as it is now. `env` moves on to what a step built."""

    def __init__(self, framework: str | None, env: str | None, machine: str | None) -> None:
        self.framework, self.env, self.machine = framework, env, machine
        self.seen: tuple[Host, Checkup] | None = None

    def __call__(self) -> Checkup:
        from trueup.cli.check import examine, named_by
        from trueup.machine.host import this_host

        if self.machine is not None:
            from trueup.cli.machine_file import read_recording

            recorded = read_recording(self.machine)
            folder = self.env or recorded.folder
            env = self.env or (folder if named_by(recorded) else None)
            return self._keep(
                recorded, examine(recorded, self.framework, env, folder, replayed=True, live=False)
            )
        here, host = str(Path(self.env or ".venv").absolute()), this_host()
        return self._keep(host, examine(host, self.framework, self.env, here, replayed=False, live=False))

    def _keep(self, host: Host, checkup: Checkup) -> Checkup:
        self.seen = (host, checkup)
        return checkup

    def toolkits(self) -> tuple[Mend, ...]:
        """Return what is wrong with global toolkits, of what was looked at last."""
        from trueup.cli.cuda import scene_of
        from trueup.cli.places import load
        from trueup.diagnose.mend.toolkits import toolkit_steps
        from trueup.keep.cuda.examined import examined

        if self.seen is None:
            return ()
        host, checkup = self.seen
        found = examined(scene_of(host, checkup.survey, local=self.machine is None), None)
        return toolkit_steps(host, load(), checkup.survey, found)


def _fix(session: Session, look: Look, *, yes: bool) -> int:
    from trueup.diagnose.mend.walk import walk
    from trueup.report.doctor import end_text

    walked = walk(look, partial(_act, session, look, [], yes=yes), partial(_can, yes=yes))
    session.out("\n" + end_text(walked, session.lang))
    return _status(walked)


def _status(walked: Walked) -> int:
    return 0 if walked.end == "aligned" else 1


def _can(step: Mend, *, yes: bool) -> bool:
    """With `--yes` nobody is asked: by Windows for an administrator, or by us for an environment of the user's own."""
    from trueup.keep.elevate import is_admin

    return not (yes and (step.in_place or (step.admin and not is_admin())))


def _act(session: Session, look: Look, taken: list[Mend], step: Mend, *, yes: bool) -> bool:
    """Run a command of trueup in this process; it shows what it would do and asks, unless `--yes` was given."""
    from trueup.report.doctor import step_text

    taken.append(step)
    session.out("\n" + step_text(len(taken), step, session.lang))
    status = _run(session, [*step.argv, *(["--yes"] if yes else [])])
    if step.argv[0] == "up" and status == 0:
        look.env = _folder(step.argv)
    return status == 0


def _run(session: Session, argv: list[str]) -> int:
    from trueup.cli.main import root

    try:
        status = root().main(argv, prog_name="trueup", standalone_mode=False, obj=session)
    except TrueupError as error:  # told, and the walk goes on: it names what remains
        session.talk(session.text("cli.error", text=session.say(error.message)))
        if error.hint:
            session.talk(session.text("cli.hint", text=session.say(error.hint)))
        return 2
    return status if isinstance(status, int) else 0


def _folder(argv: tuple[str, ...]) -> str:
    return argv[argv.index("--env") + 1] if "--env" in argv else ".venv"
