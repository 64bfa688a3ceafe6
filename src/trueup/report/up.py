"""What `trueup up` says: what is here, what was decided and why, what it costs, what else there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.report.machine import machine_line
from trueup.report.progress import MEGABYTE, megabytes
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.fit.model import Alignment, Change, Solution
    from trueup.machine.model import Machine
    from trueup.setup.model import EnvChange

MOST_SHOWN = 12


def plan_text(
    machine: Machine, solution: Solution, chosen: Alignment, cost: tuple[int | None, int | None], env: str, lang: str
) -> str:
    """Return the few lines that are shown before anything is done."""

    download, disk = (("?" if mb is None else megabytes(mb * MEGABYTE)) for mb in cost)
    lines = [
        _head("here", lang),
        f"  {machine_line(machine, lang)}",
        *(f"  {say(Message('up.assumed', {'text': say(m, lang)}), lang)}" for m in solution.assumptions),
        _head("decided", lang),
        f"  {alignment_line(chosen, lang)}",
        f"  {say(chosen.binding, lang)}",
        *(f"  {say(note, lang)}" for note in chosen.notes),
        _head("cost", lang),
        f"  {say(Message('up.cost-line', {'download': download, 'disk': disk, 'env': env}), lang)}",
    ]
    others = [a for a in (solution.best, *solution.alternatives) if a is not None and a is not chosen]
    if others:
        lines += [_head("others", lang), *(line for a in others for line in other_lines(a, lang))]
    return "\n".join(lines)


def alignment_line(alignment: Alignment, lang: str) -> str:
    """Return an alignment in one line."""
    packages = ", ".join(f"{b.package} {b.version}" for b in alignment.builds)
    parts = [packages, say(Message(f"up.route-{alignment.route}"), lang), f"Python {alignment.python}"]
    if alignment.cuda:
        parts.append(f"CUDA {alignment.cuda}")
    if alignment.cudnn:
        parts.append(f"cuDNN {alignment.cudnn}")
    if alignment.kernels in ("native", "ptx-jit"):
        parts.append(say(Message(f"up.kernels-{alignment.kernels}"), lang))
    return " · ".join(parts)


def other_lines(alignment: Alignment, lang: str) -> Iterator[str]:
    """Yield another way and what it asks for first."""
    yield f"  {alignment_line(alignment, lang)}"
    yield from (f"    {change_line(c, lang)}" for c in alignment.changes)


def change_line(change: Change, lang: str) -> str:
    """Return a change of the machine with its command and who must do it."""
    marks = [
        *([f"`{change.command}`"] if change.command else []),
        *([say(Message("up.admin"), lang)] if change.admin else []),
        *([say(Message("up.restart"), lang)] if change.restart else []),
    ]
    tail = f" ({', '.join(marks)})" if marks else ""
    return f"{say(change.text, lang)}{tail}"


def activate(env: str, *, windows: bool) -> str:
    """Return the line that activates an environment in the usual shell."""
    quoted = f'"{env}"' if any(c in env for c in " ()&") else env
    if windows:
        return f"{quoted}\\Scripts\\activate" if not quoted.startswith('"') else f'"{env}\\Scripts\\activate"'
    return f"source {quoted}/bin/activate" if not quoted.startswith('"') else f'source "{env}/bin/activate"'


def change_first_text(machine: Machine, best: Alignment, now: Sequence[Alignment], lang: str) -> str:
    """Return what the best way needs first, and what works at once."""
    lines = [
        __head("here", lang),
        f"  {machine_line(machine, lang)}",
        __head("first", lang),
        f"  {alignment_line(best, lang)}",
        f"  {say(best.binding, lang)}",
        *(f"  {number}. {change_line(change, lang)}" for number, change in enumerate(best.changes, 1)),
    ]
    if best.route == "wsl2" and machine.os == "windows":
        lines.append("  " + say(Message("up.inside-wsl"), lang))
    if now:
        lines.append(__head("at-once", lang))
        lines += [
            f"  {say(Message('up.with-route', {'route': a.route, 'what': alignment_line(a, lang)}), lang)}"
            for a in now
        ]
    return "\n".join(lines)


def impossible_text(solution: Solution, lang: str) -> str:
    """Return why nothing fits, route by route."""
    lines = [__head("impossible", lang)]
    for rejection in solution.rejected:
        lines.append(f"  {say(Message(f'up.route-{rejection.route}'), lang)}: {rejection.nearest}")
        lines += [f"    {say(reason.text, lang)}" for reason in rejection.reasons]
    return "\n".join([*lines, *(say(note, lang) for note in solution.notes)])


def changed_text(env: str, changes: Sequence[EnvChange], lang: str) -> str:
    """Return what was changed by hand in an environment, and the ways out."""
    lines = [say(Message("up.changed", {"env": env}), lang)]
    for change in changes[:MOST_SHOWN]:
        params = {"what": change.what, "before": change.before or "", "after": change.after or ""}
        lines.append(f"  {say(Message(f'up.changed-{change.kind}', params), lang)}")
    if len(changes) > MOST_SHOWN:
        lines.append("  " + say(Message("up.changed-more", {"count": len(changes) - MOST_SHOWN}), lang))
    return "\n".join([*lines, "", say(Message("up.changed-hint", {"env": env}), lang)])


def _head(name: str, lang: str) -> str:
    return say(Message(f"up.{name}"), lang)
