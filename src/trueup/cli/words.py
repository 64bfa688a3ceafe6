"""Click in the user's language: help texts are message codes, resolved when they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trueup.values import Message

if TYPE_CHECKING:
    from trueup.cli.session import Session


def said(ctx: click.Context, code: str | None) -> str:
    """Return the words of a help code."""
    if not code:
        return ""
    session: Session = ctx.obj
    return session.say(Message(code))


class SayOption(click.Option):
    """An option whose `help` is a message code."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or self.help is None:
            return record
        text = record[1].replace(self.help, said(ctx, self.help), 1)
        return record[0], text.replace("[required]", f"[{said(ctx, 'cli.required')}]")


class SpokenContext(click.Context):
    """A context whose help is laid out by what the screen shows."""

    def make_formatter(self) -> click.HelpFormatter:
        from trueup.cli.helping import Formatter

        return Formatter()


class Spoken(click.Command):
    """The parts of a help page that click itself words, in the user's language."""

    context_class = SpokenContext

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        names = self.get_help_option_names(ctx)
        return SayOption(
            names,
            is_flag=True,
            is_eager=True,
            expose_value=False,
            help="cli.help-help",
            callback=_show_help,
        )

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        words = {"[OPTIONS]": said(ctx, "cli.usage-options")}
        pieces = (words.get(piece, piece) for piece in self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, " ".join(pieces), prefix=said(ctx, "cli.usage"))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(said(ctx, self.help))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        records = [r for p in options if (r := p.get_help_record(ctx)) is not None]
        if records:
            with formatter.section(said(ctx, "cli.options")):
                formatter.write_dl(records)


class SayCommand(Spoken):
    """A command whose `help` is a message code."""


def _show_help(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001  # click's signature
    if value and not ctx.resilient_parsing:
        session: Session = ctx.obj
        session.out(ctx.get_help())
        ctx.exit()
