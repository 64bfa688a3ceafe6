"""One card's part of the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from trueup.report.say import say
from trueup.report.watch_glyphs import cut, padded
from trueup.report.watch_parts import HIGH, Graph, Line, Piece, Row, block, flow, rule
from trueup.report.watch_words import (
    figure,
    gibibytes,
    known,
    labels,
    link,
    missing,
    of_most,
    rate,
    reason,
    words,
)
from trueup.values import Unknown
from trueup.watch.reasons import HARMLESS
from trueup.watch.sampler import share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.report.watch_glyphs import Glyphs
    from trueup.watch.model import Gpu, Process, Slice

PID, SIZE, SHARE = 8, 11, 7
NEAR = 5  # degrees below the limit at which the driver slows the card


@dataclass(frozen=True, slots=True)
class Card:
    gpu: Gpu
    sm: Sequence[float | None]
    memory: Sequence[float | None]


def card_lines(card: Card, lang: str, width: int, look: Glyphs, plan: tuple[int, int]) -> list[Line]:
    """Return the whole card; `plan` is (rows of its graph, processes that are listed)."""
    gpu = card.gpu
    lines = [_title(gpu, width, look)]
    if gpu.trouble is not None:
        return [*lines, *flow([(say(gpu.trouble, lang), "bold yellow")], width, 1)]
    lines += _rows(card, lang, width, look, plan[0])
    lines += [_slice(one, lang, width, look) for one in gpu.slices]
    lines += _processes(gpu, lang, width, look, plan[1])
    for names, why in missing(gpu, lang):
        text = words(lang, "not-told", names=names, why=why)
        lines += flow([(text, "dim")], width, 1)
    return lines


def _title(gpu: Gpu, width: int, look: Glyphs) -> Line:
    number = f"GPU {gpu.index}"
    return rule(number if gpu.name == number else f"{number}  {gpu.name}", width, look, gpu.model or "")


def short_card(card: Card, lang: str, width: int, look: Glyphs) -> list[Line]:
    """Return the card in two lines, where many must share a screen."""
    gpu = card.gpu
    head = _title(gpu, width, look)
    if gpu.trouble is not None:
        return [head, *flow([(say(gpu.trouble, lang), "bold yellow")], width, 1)[:1]]
    note = f"{figure(gpu.temperature, ' °C')}  {figure(gpu.power, ' W')}"
    row = Row("SM", known(gpu.sm), f"{gibibytes(gpu.memory_used, gpu.memory_total)}  {note}")
    return [head, *block([row], [Graph("SM", card.sm)], width, look, (2, 1))]


def _rows(card: Card, lang: str, width: int, look: Glyphs, tall: int) -> list[Line]:
    gpu = card.gpu
    full = share(gpu.memory_used, gpu.memory_total)
    rows = [
        Row("SM", known(gpu.sm)),
        Row(words(lang, "access"), known(gpu.memory_busy)),
        Row(
            words(lang, "vram"),
            full,
            gibibytes(gpu.memory_used, gpu.memory_total),
            "magenta",
            warn=(full or 0) > HIGH,
        ),
    ]
    graphs = [Graph("SM", card.sm), Graph(words(lang, "vram-short"), card.memory, "magenta")]
    return block(
        rows, graphs, width, look, (labels(lang), tall), under=[*_state(gpu, lang), *_held(gpu, lang)]
    )


def _state(gpu: Gpu, lang: str) -> list[Piece]:
    slows, heat = known(gpu.temperature_slows), known(gpu.temperature)
    hot = slows is not None and heat is not None and heat >= slows - NEAR
    pieces = [
        (figure(gpu.temperature, " °C"), "bold red" if hot else ""),
        (words(lang, "fan", percent=figure(gpu.fan, " %")), ""),
        (of_most(gpu.power, gpu.power_limit, "W"), ""),
        (words(lang, "clock-sm", clock=of_most(gpu.clock_sm, gpu.clock_sm_max, "MHz")), ""),
        (words(lang, "clock-memory", clock=of_most(gpu.clock_memory, gpu.clock_memory_max, "MHz")), ""),
        (figure(gpu.pstate) if isinstance(gpu.pstate, Unknown) else f"P{gpu.pstate:.0f}", ""),
        (_link(gpu, lang), ""),
        (words(lang, "received", rate=rate(gpu.pcie_received)), ""),
        (words(lang, "sent", rate=rate(gpu.pcie_sent)), ""),
    ]
    return [(text, style) for text, style in pieces if text != "N/A"]


def _link(gpu: Gpu, lang: str) -> str:
    now = link(gpu.pcie_gen, gpu.pcie_width)
    if isinstance(gpu.pcie_gen_max, Unknown) or isinstance(gpu.pcie_width_max, Unknown):
        return words(lang, "link", link=now)
    return words(lang, "link-of", link=now, most=link(gpu.pcie_gen_max, gpu.pcie_width_max))


def _held(gpu: Gpu, lang: str) -> list[Piece]:
    """Say why the clocks are low; reasons that hold nothing back are told apart."""
    if isinstance(gpu.reasons, Unknown):
        return []
    bad = [reason(name, lang) for name in gpu.reasons if name not in HARMLESS]
    calm = [reason(name, lang) for name in gpu.reasons if name in HARMLESS]
    comma = words(lang, "comma")
    pieces: list[Piece] = []
    if bad:
        pieces.append((words(lang, "held-back", reasons=comma.join(bad)), "bold yellow"))
    if calm:
        pieces.append((words(lang, "clocks", reasons=comma.join(calm)), "dim"))
    return pieces or [(words(lang, "clocks-free"), "dim")]


def _slice(one: Slice, lang: str, width: int, look: Glyphs) -> Line:
    name = f"{one.index}" if isinstance(one.name, Unknown) else f"{one.index}  {one.name}"
    text = words(lang, "slice", name=name, memory=gibibytes(one.memory_used, one.memory_total))
    return [(cut(" " + text, width, look), "")]


def _processes(gpu: Gpu, lang: str, width: int, look: Glyphs, most: int) -> list[Line]:
    if isinstance(gpu.processes, Unknown) or most == 0:
        return []
    if not gpu.processes:
        return [[(" " + words(lang, "no-process"), "dim")]]
    size = max(SIZE, cell_len(words(lang, "head-memory")) + 1)
    head = f"{'PID':>{PID}}{_right(words(lang, 'head-memory'), size)}{'SM':>{SHARE}}  {words(lang, 'head-program')}"
    lines: list[Line] = [[(cut(head, width, look), "dim")]]
    lines += [[(_process(one, lang, size, width, look), "")] for one in gpu.processes[:most]]
    if len(gpu.processes) > most:
        left = words(lang, "more-processes", count=len(gpu.processes) - most)
        lines.append([(cut(" " * PID + "  " + left, width, look), "dim")])
    if any(_hidden(one) for one in gpu.processes):
        lines += flow([(words(lang, "wddm-hides"), "dim")], width, 1)
    return lines


def _process(one: Process, lang: str, size: int, width: int, look: Glyphs) -> str:
    name = say(one.name.why, lang) if isinstance(one.name, Unknown) else one.name
    figures = f"{one.pid:>{PID}}{figure(one.memory, ' MiB'):>{size}}{figure(one.sm, ' %'):>{SHARE}}  "
    return figures + padded(name, width - len(figures), look).rstrip()


def _hidden(one: Process) -> bool:
    return isinstance(one.memory, Unknown) and one.memory.why.code == "watch.hidden-by-wddm"


def _right(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text
