"""The live screen: lines of (text, style) for a width and a height, the same on every terminal."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from trueup.report.say import say
from trueup.report.watch_card import Card, card_lines, short_card
from trueup.report.watch_glyphs import BLOCKS, Glyphs, cut
from trueup.report.watch_parts import Graph, Line, Piece, Row, block, flow, rule
from trueup.report.watch_words import NA, figure, gibibytes, known, labels, rate, words
from trueup.values import Unknown
from trueup.watch.sampler import share

if TYPE_CHECKING:
    from trueup.watch.model import HostLoad, Past, Sample

LEAST_WIDTH, LEAST_HEIGHT = 40, 10
SILENT = 3.0  # intervals without an answer before it is said


@dataclass(frozen=True, slots=True)
class Look:
    """How to draw. `silent`: seconds for which the library has not answered, where that is too long."""

    lang: str
    width: int = 80
    height: int = 24
    glyphs: Glyphs = BLOCKS
    keys: bool = False
    silent: float | None = None


def screen(sample: Sample, past: Past, look: Look) -> list[Line]:
    """Return at most `height` lines, none wider than `width`."""
    width, height = max(LEAST_WIDTH, look.width), max(LEAST_HEIGHT, look.height)
    top, bottom = _top(sample, look, width), None
    for tall, processes, short in _plans(height, len(sample.cards.gpus)):
        bottom = _host(sample, past, look, width, min(tall, 4))
        middle = _cards(sample, past, look, width, (tall, processes, short))
        if len(top) + len(middle) + len(bottom) <= height:
            break
    room = height - len(top) - len(bottom or [])
    lines = [*top, *_fitted(middle, room, look, width), *(bottom or [])]
    return [[(look.glyphs.plain(text), style) for text, style in line] for line in lines[:height]]


def _plans(height: int, cards: int) -> list[tuple[int, int, bool]]:
    """Return (rows of a graph, processes a card, cards on two lines each), the richest first."""
    rows = (12, 8) if height >= 30 * cards else (8,)
    rich = [(tall, processes, False) for tall in rows for processes in (8, 4, 2)]
    return [*rich, *((3, processes, False) for processes in (2, 1, 0)), (1, 0, True)]


def _fitted(lines: list[Line], room: int, look: Look, width: int) -> list[Line]:
    if len(lines) <= room:
        return lines
    left = len(lines) - max(0, room - 1)
    return [
        *lines[: max(0, room - 1)],
        [(cut(" " + words(look.lang, "more-lines", count=left), width, look.glyphs), "dim")],
    ]


def _top(sample: Sample, look: Look, width: int) -> list[Line]:
    cards = sample.cards
    pieces = ["trueup watch", time.strftime("%H:%M:%S", time.localtime(sample.time))]
    if not isinstance(cards.driver, Unknown):
        pieces.append(words(look.lang, "driver", version=cards.driver))
    if not isinstance(cards.cuda, Unknown):
        pieces.append(words(look.lang, "cuda", version=cards.cuda))
    left = cut("  ".join(pieces), width, look.glyphs)
    right = words(look.lang, "quit") if look.keys else ""
    gap = width - cell_len(left) - cell_len(right)
    lines: list[Line] = [[(left, "bold"), (" " * gap + right if gap > 0 else "", "dim")]]
    if cards.trouble is not None:
        lines += flow([(say(cards.trouble, look.lang), "bold yellow")], width)
    if look.silent is not None:
        told = words(look.lang, "silent", seconds=f"{look.silent:.0f}")
        lines += flow([(told, "bold red")], width)
    return lines


def _cards(sample: Sample, past: Past, look: Look, width: int, plan: tuple[int, int, bool]) -> list[Line]:
    tall, processes, short = plan
    lines: list[Line] = []
    for gpu in sample.cards.gpus:
        key = gpu.uuid or str(gpu.index)
        card = Card(gpu, past.sm.get(key, ()), past.memory.get(key, ()))
        if short:
            lines += short_card(card, look.lang, width, look.glyphs)
        else:
            lines += card_lines(card, look.lang, width, look.glyphs, (tall, processes))
    return lines


def _host(sample: Sample, past: Past, look: Look, width: int, tall: int) -> list[Line]:
    host, lang = sample.host, look.lang
    rows = [
        Row("CPU", known(host.cpu), words(lang, "cores", cores=host.cores), "green"),
        Row(
            words(lang, "ram"),
            share(host.memory_used, host.memory_total),
            gibibytes(host.memory_used, host.memory_total),
            "magenta",
        ),
        Row(words(lang, "disk"), known(host.disk_busy), host.disk or NA, "blue"),
    ]
    graphs = [Graph("CPU", past.cpu, "green"), Graph(words(lang, "disk"), past.disk, "blue")]
    lines = [rule(words(lang, "this-machine"), width, look.glyphs)]
    lines += block(rows, graphs, width, look.glyphs, (labels(lang), tall), under=_moved(host, lang))
    if host.plugged is False:
        lines += flow([(" " + words(lang, "on-battery"), "yellow")], width)
    return lines


def _moved(host: HostLoad, lang: str) -> list[Piece]:
    told = [words(lang, "busiest-core", percent=figure(host.cpu_top, " %"))]
    if host.disk:
        told.append(words(lang, "disk-read", rate=rate(host.disk_read)))
        told.append(words(lang, "disk-written", rate=rate(host.disk_written)))
    return [(text, "") for text in told]


def as_text(lines: list[Line]) -> str:
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
