"""What was typed wrong, in the user's language, with the way out."""

from __future__ import annotations

import difflib
import re

import click

from trueup.values import Message

# click has no class for any of these.
_EXTRA = re.compile(r"Got unexpected extra arguments? \((.+)\)", re.DOTALL)
_NO_VALUE = re.compile(r"Option '(.+)' requires (?:an argument|\d+ arguments)\.")
_NO_COMMAND = re.compile(r"No such command '(.+)'\.", re.DOTALL)


def explain(error: click.UsageError) -> tuple[Message, Message]:
    """Return what is wrong and what to type."""
    path = error.ctx.command_path if error.ctx else "trueup"
    hint = Message("cli.see-help", {"command": f"{path} --help"})
    if isinstance(error, click.NoSuchOption):
        near = ", ".join(_near(error))
        close = Message("cli.did-you-mean", {"names": near}) if near else hint
        return Message("cli.no-such-option", {"name": error.option_name}), close
    if isinstance(error, click.MissingParameter):
        return Message("cli.missing-parameter", {"name": _name(error.param)}), hint
    if isinstance(error, click.BadParameter):
        return _wrong_value(error), hint
    if extra := _EXTRA.fullmatch(error.message):
        return Message("cli.extra-argument", {"name": extra[1]}), hint
    if lonely := _NO_VALUE.fullmatch(error.message):
        return Message("cli.needs-value", {"name": lonely[1]}), hint
    if unknown := _NO_COMMAND.fullmatch(error.message):
        return Message("cli.no-such-command", {"name": unknown[1]}), hint
    return Message("cli.usage-error", {"text": error.message}), hint


def _near(error: click.NoSuchOption) -> list[str]:
    """Return options spelled nearly so; click compares the dashes too, and would offer `--yes` for `--env`."""
    known = {one.lstrip("-"): one for one in error.possibilities or ()}
    return [known[one] for one in difflib.get_close_matches(error.option_name.lstrip("-"), known)]


def _name(param: click.Parameter | None) -> str:
    """Return what is to be typed: an option with its dashes, an argument by its name."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return param.human_readable_name if param else ""


def _wrong_value(error: click.BadParameter) -> Message:
    """Return what an option takes; click's own words, which are English, only where its kind does not tell."""
    name = error.param.opts[0] if error.param and error.param.opts else ""
    kind = error.param.type if error.param else None
    if isinstance(kind, click.Choice):
        return Message("cli.takes-one-of", {"name": name, "names": ", ".join(map(str, kind.choices))})
    if isinstance(kind, (click.IntRange, click.FloatRange)) and kind.min is not None:
        if kind.max is None:
            return Message("cli.takes-at-least", {"name": name, "least": kind.min})
        return Message("cli.takes-between", {"name": name, "least": kind.min, "most": kind.max})
    return Message("cli.bad-parameter", {"name": name, "text": error.message})
