"""What is drawn, and where: glyphs, graphs, alignment, the live screen on a terminal."""

from __future__ import annotations

import io
import os
import re
import select
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from lives import CARD
from rich.cells import cell_len
from rich.console import Console
from test_watch_streams import WATCH, environment

from trueup.cli.watch_canvas import Canvas
from trueup.report.say import LANGUAGES
from trueup.report.watch_glyphs import ASCII, BLOCKS, COARSE, bar, cut, glyphs, graph
from trueup.report.watch_parts import flow
from trueup.report.watch_view import Look, as_text, screen
from trueup.values import Message, Unknown
from trueup.watch.model import Cards, Gpu, HostLoad, Past, Sample

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.report.watch_glyphs import Glyphs

HOST = HostLoad(34.0, 98.0, 16, 12_390.0, 32_668.0, 0.0, "nvme0n1", 12.0, 0.3, 7.0, None)


@pytest.mark.parametrize(
    ("encoding", "old", "expected"),
    [
        ("utf-8", False, BLOCKS),
        ("utf-8", True, COARSE),
        ("cp936", True, ASCII),
        ("gbk", False, ASCII),
        ("cp1252", False, ASCII),
        ("ascii", False, ASCII),
        ("no-such-encoding", False, ASCII),
    ],
)
def test_the_richest_letters_that_a_terminal_has(encoding: str, old: bool, expected: Glyphs) -> None:
    assert glyphs(encoding, old_console=old) is expected
    assert glyphs(encoding, old_console=old, forced=True) is ASCII


def test_a_graph_has_the_latest_at_the_right_and_tells_zero_from_unknown() -> None:
    assert graph([100, None, 0, 50], 6, 1, BLOCKS) == ["  █ ▁▄"]
    assert graph([100, 50], 2, 2, BLOCKS) == ["█ ", "██"]
    assert graph(range(200), 3, 1, ASCII) == ["###"]


@pytest.mark.parametrize("look", [BLOCKS, COARSE, ASCII])
def test_a_bar_keeps_its_width(look: Glyphs) -> None:
    for percent in (None, -5.0, 0.0, 0.1, 49.9, 50.0, 99.99, 100.0, 250.0):
        assert len("".join(bar(percent, 14, look))) == 14
    assert bar(100.0, 14, look) == (look.full * 14, "")


def test_cutting_never_splits_a_wide_letter() -> None:
    for width in range(12):
        assert cell_len(cut("显卡 card 显卡", width, BLOCKS)) <= width


def test_text_flows_within_its_width_and_begins_no_line_with_a_comma() -> None:
    text = "各进程显存：Windows（WDDM）不向 NVML 提供。任务管理器可以看到：“详细信息”，列“专用 GPU 内存”"
    for width in range(20, 90):
        lines = ["".join(part for part, _ in line) for line in flow([(text, "")], width)]
        assert all(cell_len(line) <= width for line in lines)
        assert not [line for line in lines if line[0] in "，。：”"]
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def sample(*gpus: Gpu) -> Sample:
    return Sample(1.0, 1_780_000_000.0, Cards(gpus, "580.1", "13.0"), HOST)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_borders_stand_in_one_column(lang: str, width: int) -> None:
    gpu = Gpu(0, "显卡 card", "u", sm=50.0, memory_used=1.0, memory_total=2.0, temperature=60.0)
    past = Past((10.0, 20.0), (1.0,), {"u": (1.0, 2.0)}, {"u": (50.0,)})
    lines = as_text(screen(sample(gpu), past, Look(lang, width, 40))).split("\n")
    columns = {cell_len(line[: line.index("│")]) for line in lines if "│" in line}
    assert len(columns) == (0 if width == 40 else 1)
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("height", [1, 10, 12, 16, 24, 40])
@pytest.mark.parametrize("cards", [0, 1, 2, 8, 16])
def test_any_height_is_kept_and_the_machine_stays_in_sight(height: int, cards: int) -> None:
    gpus = [Gpu(n, f"card {n}", f"u{n}", sm=50.0, memory_used=1.0, memory_total=2.0) for n in range(cards)]
    lines = screen(sample(*gpus), Past((1.0,)), Look("en", 80, height))
    assert len(lines) <= max(10, height)
    assert "RAM" in as_text(lines)


def test_a_battery_is_said() -> None:
    host = HostLoad(
        1.0, 1.0, 4, 1.0, 2.0, 0.0, None, *(Unknown(Message("watch.not-offered")),) * 3, plugged=False
    )
    text = as_text(screen(Sample(0.0, 0.0, Cards(), host), Past(), Look("en")))
    assert "on battery" in text


def canvas(**options: object) -> tuple[io.StringIO, Canvas]:
    file = io.StringIO()
    settings: dict[str, object] = {"force_terminal": True, "color_system": "standard", "width": 80}
    return file, Canvas(Console(file=file, **{**settings, **options}))  # type: ignore[arg-type]


def test_only_changed_lines_are_written() -> None:
    file, drawn = canvas()
    with drawn:
        drawn.draw([[("one", "")], [("two", "red")]], (80, 24))
        file.seek(0)
        file.truncate()
        drawn.draw([[("one", "")], [("three", "red")]], (80, 24))
        assert "one" not in file.getvalue()
        assert "\x1b[31mthree" in file.getvalue()
        drawn.draw([[("one", "")]], (80, 24))
        assert file.getvalue().endswith("\x1b[2;1H\x1b[2K")
    assert file.getvalue().endswith("\x1b[?1049l")


def test_no_colour_where_none_is_wanted() -> None:
    file, drawn = canvas(no_color=True)
    drawn.draw([[("hot", "bold red")]], (80, 24))
    assert "\x1b[1mhot" in file.getvalue()
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", file.getvalue())


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal")
@pytest.mark.parametrize(
    ("settings", "shown"), [({}, "NVIDIA GeForce RTX 3060"), ({"FAKE_NVML_SLEEP": "600"}, "not answered")]
)
def test_the_live_screen_comes_and_goes(
    libraries: Path, tmp_path: Path, settings: dict[str, str], shown: str
) -> None:
    if sys.platform == "win32":
        pytest.skip("no pseudo-terminals")
    import pty

    terminal, end = pty.openpty()
    env = {**environment(libraries, tmp_path, CARD), "TERM": "xterm-256color", **settings}
    command = [*WATCH, "--interval", "0.2"]
    with subprocess.Popen(
        command, env=env, stdin=end, stdout=end, stderr=end, start_new_session=True
    ) as live:
        os.close(end)
        output, limit = "", time.monotonic() + 120
        while shown not in output and time.monotonic() < limit:
            output += heard(terminal)
        assert shown in output
        os.write(terminal, b"q")
        while "\x1b[?1049l" not in output and time.monotonic() < limit:
            output += heard(terminal)
        assert live.wait(60) == (1 if settings else 0)
    os.close(terminal)
    assert "\x1b[?1049h" in output
    assert "\x1b[?1049l" in output
    assert "Traceback" not in output


def heard(terminal: int) -> str:
    ready, _, _ = select.select([terminal], [], [], 0.2)
    try:
        return os.read(terminal, 1 << 16).decode("utf-8", "replace") if ready else ""
    except OSError:  # the other end was closed
        return ""
