"""`trueup wsl`: WSL2 from Windows and from inside; the one next step, and trueup inside by `wsl.exe`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.keep.wsl.model import Needs, Stage
    from trueup.machine.host import Host


@click.command("wsl", cls=SayCommand, help="wsl.help", context_settings={"ignore_unknown_options": True})
@click.option("--next", "go_on", cls=SayOption, is_flag=True, help="wsl.help-next")
@click.option("--distro", cls=SayOption, metavar="NAME", help="wsl.help-distro")
@click.option("--as-root", "root", cls=SayOption, is_flag=True, help="wsl.help-as-root")
@click.option("--machine", cls=SayOption, metavar="FILE", help="check.help-machine")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="wsl.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="wsl.help-json")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@click.pass_obj
def command(
    session: Session,
    *,
    go_on: bool,
    distro: str | None,
    root: bool,
    machine: str | None,
    yes: bool,
    as_json: bool,
    words: tuple[str, ...],
) -> int:
    from trueup.keep.wsl.model import Wish

    host = _host(machine)
    if host.platform != "windows":
        return _inside(session, host, as_json=as_json)
    from trueup.keep.wsl.read import chosen, read
    from trueup.keep.wsl.stages import next_of, stages
    from trueup.report.wsl import as_data, as_text, conclusion

    found = read(host, distro)
    wish = Wish(distro, root, _source())
    all_stages = stages(found, _needs(), wish)
    meant = chosen(found, distro)
    if words:
        return _pass_on(session, host, all_stages, meant.name if meant else None, words)
    current = next_of(all_stages)
    if as_json:
        session.out_json(as_data(found, all_stages, meant, session.lang))
    elif go_on:
        session.out("\n".join(conclusion(all_stages, meant, session.lang)))
    else:
        session.out(as_text(found, all_stages, meant, session.lang))
    if go_on and current is not None and machine is None and not as_json:
        return _do(session, host, current, yes=yes)
    return 0 if all_stages[-1].state == "done" and current is None else 1


def _host(machine: str | None) -> Host:
    if machine is None:
        from trueup.machine.host import this_host

        return this_host()
    from trueup.cli.machine_file import read_recording

    return read_recording(machine)


def _needs() -> Needs:
    from trueup.cli.places import load
    from trueup.keep.wsl.model import Needs

    facts = load()
    build, kernel, driver = (
        facts.requirement(f"wsl2.{name}")[0] for name in ("windows-build", "kernel-recommended", "driver")
    )
    return Needs(int(build), kernel, driver)


def _source() -> str | None:
    """Return where a distro sees the clone or bundle that this trueup runs from; None where it runs from neither."""
    from trueup.keep.wsl.wslexe import inside

    root = Path(__file__).resolve().parents[3]
    return inside(str(root)) if (root / "install.sh").is_file() else None


def _inside(session: Session, host: Host, *, as_json: bool) -> int:
    from trueup.keep.wsl.inside import read_inside
    from trueup.report.wsl import inside_data, inside_problems, inside_text

    found = read_inside(host, str(Path.cwd()))
    if found is None:
        raise TrueupError(Message("wsl.not-here"), Message("wsl.not-here-hint"))
    if as_json:
        session.out_json(inside_data(found, session.lang))
    else:
        session.out(inside_text(found, session.lang))
    return 1 if inside_problems(found) else 0


def _do(session: Session, host: Host, stage: Stage, *, yes: bool) -> int:
    """Start the next step, where trueup can: not what needs an administrator, who types it."""
    from trueup.keep.wsl.wslexe import program

    if stage.step is None or stage.step.argv is None:
        return 1
    if not yes and not _agreed(session):
        session.out(session.text("wsl.declined"))
        return 1
    status = subprocess.call([program(host), *stage.step.argv[1:]])
    session.out(session.text("wsl.step-done" if status == 0 else "wsl.step-failed", status=status))
    return 0 if status == 0 else 1


def _agreed(session: Session) -> bool:
    from trueup.cli.asking import agreed

    nobody = TrueupError(Message("wsl.needs-yes"), Message("wsl.needs-yes-hint"))
    return agreed(session, "wsl.ask", nobody)


def _pass_on(
    session: Session, host: Host, stages: tuple[Stage, ...], distro: str | None, words: tuple[str, ...]
) -> int:
    """Run a command of the trueup inside. Refuse where it is not there yet."""
    from trueup.keep.wsl.wslexe import RUN, program

    if stages[-1].state != "done" or distro is None:
        raise TrueupError(Message("wsl.not-ready"), Message("wsl.not-ready-hint"))
    lang = ["--lang", "zh"] if session.lang == "zh_CN" else ["--lang", "en"]
    return subprocess.call([program(host), "-d", distro, "-e", "sh", "-c", RUN, "trueup", *lang, *words])
