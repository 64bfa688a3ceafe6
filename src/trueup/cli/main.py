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
