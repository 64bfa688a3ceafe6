"""The command line: finds the command's file, runs it, turns errors into words and exit codes."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import click

from trueup import __version__
from trueup.report.say import language, say
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.cli.session import Session

COMMANDS = ("up", "check", "solve", "lock", "verify", "facts", "diagnose")


class Commands(click.Group):
    """Each command is `trueup.cli.NAME` with a click command named `command`; imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"trueup.cli.{cmd_name}").command
        return command


def run(args: Sequence[str]) -> int:
    """Run one command line and return its exit status."""
    from trueup.cli.session import Session

    session = Session(language(_asked_language(args)))
    try:
        result = root(session).main(list(args), prog_name="trueup", standalone_mode=False, obj=session)
    except TrueupError as error:
        session.talk(session.text("cli.error", text=say(error.message, session.lang)))
        if error.hint:
            session.talk("\n" + session.text("cli.hint", text=say(error.hint, session.lang)))
        return 2
    except click.exceptions.Abort:
        return _interrupted(session)
    except KeyboardInterrupt:
        return _interrupted(session)
    except click.ClickException as error:
        error.show(sys.stderr)
        return 2
    return result if isinstance(result, int) else 0


def _interrupted(session: Session) -> int:
    session.talk(session.text("cli.interrupted"))
    return 130


def _asked_language(args: Sequence[str]) -> str | None:
    for index, arg in enumerate(args):
        if arg == "--lang" and index + 1 < len(args):
            return args[index + 1]
        if arg.startswith("--lang="):
            return arg.removeprefix("--lang=")
    return None


def root(session: Session) -> Commands:
    """Return the group with the options that all commands share."""
    option = click.Option(["--lang"], help=session.text("cli.help-lang"), expose_value=False)
    version = click.version_option(__version__, message="trueup %(version)s")
    group = Commands("trueup", help=session.text("cli.help"), params=[option])
    return version(group)
