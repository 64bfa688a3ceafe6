"""Plays lives in the stand-in library and prints the screens as JSON; run with the library's folder searched.

python play.py LIFE...      {life: {step: {lang-width: screen}}}
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lives import LIVES, steps

from trueup.report.say import LANGUAGES
from trueup.report.watch_data import as_data
from trueup.report.watch_glyphs import ASCII, BLOCKS
from trueup.report.watch_view import Look, as_text, screen
from trueup.watch.gateway import Gateway
from trueup.watch.model import Cards, HostLoad, Sample
from trueup.watch.names import Names
from trueup.watch.sampler import History

if TYPE_CHECKING:
    from trueup.values import Unknown

SIZES = ((80, 24), (200, 50))
NOON = 1_780_000_000.0
HOST = HostLoad(34.0, 98.0, 16, 12_390.0, 32_668.0, 0.0, "nvme0n1", 12.04, 0.3, 7.0, None)


class Stub(Names):
    """The processes of a life are not those of this machine."""

    def of(self, pid: int) -> str | Unknown:
        return {1200: "dwm.exe", 3344: "msedge.exe", 5120: "笔记本 服务.exe"}.get(pid, "python.exe")


def look(cards: Cards, step: int) -> Sample:
    return Sample(float(step), NOON + step, cards, HOST)


def play(life: str) -> dict[str, dict[str, object]]:
    with tempfile.NamedTemporaryFile("w", suffix=".life", delete=False) as file:
        file.write(LIVES[life])
    os.environ["FAKE_NVML_LIFE"] = file.name
    gateway, history, kept = Gateway(Stub()), History(), {}
    for step in range(max(steps(life)) + 1):
        os.environ["FAKE_NVML_STEP"] = str(step)
        sample = look(gateway.read(float(step)), step)
        history.add(sample)
        if step in steps(life):
            shown: dict[str, object] = {"data": as_data(sample, "en")}
            for lang in LANGUAGES:
                for width, height in SIZES:
                    view = Look(lang, width, height, BLOCKS, keys=True)
                    shown[f"{lang}-{width}"] = as_text(screen(sample, history.past(), view))
            ascii_view = Look("en", 80, 24, ASCII, keys=True)
            shown["ascii-80"] = as_text(screen(sample, history.past(), ascii_view))
            kept[str(step)] = shown
    gateway.close()
    Path(file.name).unlink()
    return kept


def main() -> None:
    """Each life in a process of its own: the library reads its file once."""
    if sys.platform == "win32":
        raise SystemExit("forks")
    os.environ["TZ"] = "UTC"
    time.tzset()
    for life in sys.argv[1:]:
        child = os.fork()
        if child == 0:
            print(json.dumps({life: play(life)}), flush=True)  # noqa: T201
            return
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
