"""The command line: finds the command's file, runs it, turns errors into words and exit codes."""

from __future__ import annotations

import gc
import importlib
import sys
from typing import TYPE_CHECKING, Any

import click

from trueup import __version__
from trueup.cli.session import Session
from trueup.cli.words import SayOption, Spoken, said
from trueup.report.say import language
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Facts and catalogs are many small objects that live to the end: looking through them for garbage is lost time.
SELDOM = (100_000, 20, 50)
COMMANDS = (
    "up",
    "bundle",
    "check",
    "solve",
    "lock",
    "mirrors",
    "verify",
    "diagnose",
    "explain",
    "audit",
    "run",
    "trace",
    "facts",
    "watch",
    "bench",
    "fit-batch",
    "report",
    "cuda",
    "env",
    "export",
    "history",
    "diff",
    "clean",
    "path",
    "wsl",
    "connect",
    "doctor",
    "tune",
    "undo",
    "self",
)


class Commands(Spoken, click.Group):
    """Each command is `trueup.cli.NAME` with a click command named `command`; imported when it is asked for.

    The list of commands imports none of them: their one-line helps are the messages `cli.NAME`.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"trueup.cli.{cmd_name.replace('-', '_')}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in COMMANDS or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        import difflib

        near = difflib.get_close_matches(args[0], COMMANDS, n=3)
        raise TrueupError(
            Message("cli.no-such-command", {"name": args[0]}),
            Message("cli.did-you-mean", {"names": ", ".join(near or COMMANDS)}),
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section(said(ctx, "cli.commands")):
            formatter.write_dl([(name, said(ctx, f"cli.{name}")) for name in COMMANDS])


def root() -> Commands:
    """Return the group with the options that all commands share."""
    return Commands(
        "trueup",
        help="cli.help",
        params=[
            SayOption(["--lang"], help="cli.help-lang", expose_value=False, metavar="en|zh"),
            SayOption(
                ["--version"],
                help="cli.help-version",
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_version,
            ),
        ],
    )


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001  # click's signature
    if value:
        session: Session = ctx.obj
        session.out(f"trueup {__version__}")
        ctx.exit()


def run(args: Sequence[str]) -> int:
    """Run one command line and return its exit status."""
    gc.set_threshold(*SELDOM)
    lang, rest = split_language(args)
    session = Session(language(lang))
    if lang is not None and not lang.lower().startswith(("en", "zh")):
        return _refuse(session, rest, Message("cli.bad-lang", {"lang": lang}), Message("cli.bad-lang-hint"))
    try:
        result = _invoke(session, rest)
    except TrueupError as error:
        return _refuse(session, rest, error.message, error.hint)
    except click.UsageError as error:
        from trueup.cli.usage import explain

        return _refuse(session, rest, *explain(error))
    except (click.exceptions.Abort, KeyboardInterrupt):
        session.talk(session.text("cli.interrupted"))
        return 130
    except BrokenPipeError:
        return _closed_pipe()
    except Exception as error:  # noqa: BLE001  # our bug: the one place that catches it, to leave a report
        from trueup.cli.bug import leave_report

        return leave_report(session, error, rest)
    return result if isinstance(result, int) else 0


def _invoke(session: Session, args: Sequence[str]) -> Any:
    if not args:
        args = ["--help"]
    return root().main(list(args), prog_name="trueup", standalone_mode=False, obj=session)


def _refuse(session: Session, args: Sequence[str], message: Message, hint: Message | None) -> int:
    if wants_data(args):
        import contextlib

        from trueup.report.mistake import as_data

        with contextlib.suppress(BrokenPipeError):
            session.out_json(as_data(message, hint, session.lang))
    session.talk(session.text("cli.error", text=session.say(message)))
    if hint:
        session.talk("\n" + session.text("cli.hint", text=session.say(hint)))
    return 2


def wants_data(args: Sequence[str]) -> bool:
    """Tell whether the answer was to be data; what stands after `--` belongs to another program."""
    own = args[: args.index("--")] if "--" in args else args
    return "--json" in own


def _closed_pipe() -> int:
    """Whoever read our output went away: nothing more can be said, not even at exit."""
    import os

    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    return 1


def split_language(args: Sequence[str]) -> tuple[str | None, list[str]]:
    """Take `--lang` from wherever it stands before a `--`: it belongs to every command."""
    lang, rest, words = None, [], iter(args)
    for word in words:
        if word == "--":
            rest += [word, *words]
        elif word == "--lang":
            lang = next(words, "")
        elif word.startswith("--lang="):
            lang = word.removeprefix("--lang=")
        else:
            rest.append(word)
    return lang, rest
