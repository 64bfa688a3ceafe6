"""`trueup env check ENV` and `trueup env repair ENV`: what is wrong in an environment, what would mend it, done on wish."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.diagnose.mend.inside import Looked
    from trueup.keep.envs.mending import Plan, Target
    from trueup.setup.conda import Program
    from trueup.setup.uv import Uv


NAMED: Final = "trueup.env"


def _name(ctx: click.Context, param: click.Parameter, value: str | None) -> None:  # noqa: ARG001
    """Keep what `--env` says: the other commands name an environment so."""
    ctx.meta[NAMED] = value


def _or_named(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    found = value or ctx.meta.get(NAMED)
    if not found:
        raise click.MissingParameter(ctx=ctx, param=param)
    return str(found)


@click.command("check", cls=SayCommand, help="repair.help-check")
@click.argument("env", metavar="ENV", required=False, callback=_or_named)
@click.option("--env", "named", callback=_name, expose_value=False, is_eager=True, hidden=True)
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="repair.help-json")
@click.pass_obj
def check(session: Session, *, env: str, as_json: bool) -> int:
    from trueup.cli.env_look import look
    from trueup.report.env_repair import as_data, look_text

    looked = look(env)
    if as_json:
        session.out_json(as_data("check", looked, session.lang))
    else:
        session.out(look_text(looked, session.lang))
        if not (looked.sound or looked.half):
            session.out("\n" + session.text("repair.see-plan", path=_quoted(env)))
    return 0 if looked.sound else 1


@click.command("repair", cls=SayCommand, help="repair.help-repair")
@click.argument("env", metavar="ENV", required=False, callback=_or_named)
@click.option("--env", "named", callback=_name, expose_value=False, is_eager=True, hidden=True)
@click.option("--apply", "wanted", cls=SayOption, is_flag=True, help="repair.help-apply")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="repair.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="repair.help-json")
@click.pass_obj
def repair(session: Session, *, env: str, wanted: bool, yes: bool, as_json: bool) -> int:
    from trueup.cli.env_look import look, planned

    looked = look(env)
    made, target = planned(session, looked)
    task = Task(session, env, looked, made, target, as_json=as_json)
    task.show()
    if not made.steps or made.hindered:
        return task.end("nothing" if looked.sound else "hindered", 0 if looked.sound else 1)
    if not wanted:
        return task.end("planned", 1)
    if not yes and not _agreed(session, as_json=as_json):
        return task.end("declined", 1)
    return task.do()


def _agreed(session: Session, *, as_json: bool) -> bool:
    from trueup.cli.asking import agreed

    nobody = TrueupError(Message("repair.needs-yes"), Message("repair.needs-yes-hint"))
    return agreed(session, "repair.ask", nobody, as_json=as_json)


class Task:
    """One repair: shown, refused or done, and looked at again."""

    def __init__(
        self, session: Session, env: str, looked: Looked, made: Plan, target: Target | None, *, as_json: bool
    ) -> None:
        self.session, self.env, self.looked, self.made, self.target = session, env, looked, made, target
        self.as_json = as_json
        self.path = Path(looked.environment.path)
        self.program = self._program()

    def _program(self) -> Program | None:
        from trueup.cli.env_look import needs_conda, program_for

        return program_for(self.looked) if needs_conda(self.made) and not self.made.hindered else None

    def show(self) -> None:
        """Check that it can be done, and show exactly what would be: packages, commands, where the old folder goes."""
        from trueup.keep.envs.copying import obstacles, size
        from trueup.keep.envs.mending import download
        from trueup.report.env_repair import look_text, plan_text

        doable = bool(self.made.steps) and not self.made.hindered
        strange = obstacles(self.path) if doable else ()
        if strange:
            raise TrueupError(
                Message("repair.not-copied", {"path": str(self.path), "names": ", ".join(strange[:5])}),
                Message("repair.not-copied-hint"),
            )
        self.size = size(self.path) if doable else None
        if not self.as_json:
            self.session.out(look_text(self.looked, self.session.lang))
            costs = (self.size, download(self.made, self.target))
            self.session.out(plan_text(self.looked, self.made, self.program, costs, self.session.lang))

    def end(self, mode: str, status: int) -> int:
        from trueup.report.env_repair import as_data

        if self.as_json:
            data = as_data(mode, self.looked, self.session.lang, (self.made, self.program))
            self.session.out_json(data)
        elif mode in ("planned", "declined"):
            self.session.out("\n" + self.session.text(f"repair.{mode}", path=_quoted(self.env)))
        return status

    def do(self) -> int:
        from trueup.cli.env_look import look
        from trueup.cli.mirroring import with_sources
        from trueup.cli.places import changes_store
        from trueup.keep.envs import repairing
        from trueup.report.env_repair import as_data, end_text

        self._check_room()
        python = Path(self.looked.environment.python.path or "")

        def act(uv: Uv) -> Path:
            tools = repairing.Tools(uv, python, self.program, self.target)
            return repairing.repair(changes_store(), self.path, self.made.steps, tools, self._tell)

        kept = with_sources(self.session, (), act)
        after = look(str(self.path))
        if self.as_json:
            data = as_data("repaired", after, self.session.lang, (self.made, self.program), kept)
            self.session.out_json(data)
        else:
            self.session.out(end_text(after, kept, self.session.lang))
        return 0 if after.sound else 1

    def _tell(self, act: str) -> None:
        self.session.talk(self.session.text(f"repair.doing-{act}"))

    def _check_room(self) -> None:
        import shutil

        from trueup.keep.envs.mending import download

        comes = download(self.made, self.target) or 0
        needed = (self.size or 0) + 3 * comes  # a wheel unpacks to about twice its size, beside itself
        free = shutil.disk_usage(self.path.parent).free
        if free < needed:
            gb = {"needed": f"{needed / 1e9:.1f}", "free": f"{free / 1e9:.1f}"}
            raise TrueupError(Message("repair.no-room", gb), Message("repair.no-room-hint"))


def _quoted(path: str) -> str:
    return f'"{path}"' if any(c in path for c in " &()") else path
