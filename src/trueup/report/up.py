"""What `trueup up` says: what is here, what was decided and why, what it costs, what else there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.report import marks
from trueup.report.machine import machine_line
from trueup.report.progress import MEGABYTE, megabytes
from trueup.report.say import say
from trueup.report.solution import do, short
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.fit.model import Alignment, Solution
    from trueup.machine.model import Machine
    from trueup.setup.model import EnvChange

MOST_SHOWN = 12


def plan_text(
    machine: Machine,
    solution: Solution,
    chosen: Alignment,
    cost: tuple[int | None, int | None],
    *,
    env: str,
    lang: str,
) -> str:
    """Return the few lines that are shown before anything is done."""
    download, disk = (("?" if mb is None else megabytes(mb * MEGABYTE)) for mb in cost)
    lines = [
        *_here(machine, lang),
        *(f"  {say(Message('up.assumed', {'text': say(m, lang)}), lang)}" for m in solution.assumptions),
        _head("decided", lang),
        f"  {short(chosen, lang)}",
        f"  {say(Message('up.because', {'text': say(chosen.binding, lang)}), lang)}",
        *(f"  {say(note, lang)}" for note in chosen.notes),
        *(f"  {_head(name, lang)}" for name in _licences(chosen, machine)),
        _head("cost", lang),
        f"  {say(Message('up.cost-line', {'download': download, 'disk': disk, 'env': env}), lang)}",
    ]
    others = [a for a in (solution.best, *solution.alternatives) if a is not None and a is not chosen]
    if others:
        lines += [_head("others", lang), *(line for a in others for line in _other(a, lang))]
    return "\n".join(lines)


def change_first_text(machine: Machine, best: Alignment, now: Sequence[Alignment], lang: str) -> str:
    """Return what the best way needs first, and what works at once."""
    lines = [
        *_here(machine, lang),
        _head("first", lang),
        f"  {short(best, lang)}",
        f"  {say(Message('up.because', {'text': say(best.binding, lang)}), lang)}",
        *(f"  {number}. {do(change, lang)}" for number, change in enumerate(best.changes, 1)),
    ]
    if best.route == "wsl2" and machine.os == "windows":
        lines.append("  " + say(Message("up.inside-wsl"), lang))
    if now:
        lines.append(_head("at-once", lang))
        lines += [
            f"  {say(Message('up.with-route', {'route': a.route, 'what': short(a, lang)}), lang)}"
            for a in now
        ]
    return "\n".join(lines)


def several_text(solution: Solution, lang: str) -> str:
    """Return the environments that a wish needs, with the command for each."""
    lines = [_head("several", lang)]
    for alignment in (solution.best, *solution.beside):
        if alignment is not None:
            wish = " ".join(f'"{b.framework}=={b.version}"' for b in alignment.builds)
            name = "-".join(b.framework for b in alignment.builds)
            lines += [f"  {short(alignment, lang)}", f"    trueup up {wish} --env .venv-{name}"]
    return "\n".join([*lines, *(f"  {say(note, lang)}" for note in solution.notes)])


def impossible_text(solution: Solution, lang: str) -> str:
    """Return why nothing fits, route by route."""
    lines = [_head("impossible", lang)]
    for rejection in solution.rejected:
        route = say(Message(f"fit.route-{rejection.route}"), lang)
        lines.append(f"  {marks.pair(route, rejection.nearest, lang)}")
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


def activate(env: str, *, windows: bool) -> str:
    """Return the line that activates an environment in the usual shell."""
    path = f"{env}\\Scripts\\activate" if windows else f"{env}/bin/activate"
    quoted = f'"{path}"' if any(c in path for c in " ()&'") else path
    return quoted if windows else f"source {quoted}"


def _licences(alignment: Alignment, machine: Machine) -> Iterator[str]:
    """Yield the messages about licences of others that are taken on with the packages."""
    windows = machine.os == "windows" and alignment.route != "wsl2"
    if windows and any(name.startswith("msvc-runtime") for name in alignment.requirements):
        yield "licence-msvc"
    if alignment.cuda:
        yield "licence-nvidia"


def _here(machine: Machine, lang: str) -> tuple[str, str]:
    return _head("here", lang), f"  {machine_line(machine, lang)}"


def _other(alignment: Alignment, lang: str) -> Iterator[str]:
    yield f"  {short(alignment, lang)}"
    yield from (f"    {do(c, lang)}" for c in alignment.changes)


def _head(name: str, lang: str) -> str:
    return say(Message(f"up.{name}"), lang)
