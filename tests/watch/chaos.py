"""Reads a card whose every answer is drawn by chance, then one that is well again; prints what was seen."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from pathlib import Path

from lives import CARD
from play import Stub, look

from trueup.report.say import LANGUAGES
from trueup.report.watch_data import as_data, as_rows
from trueup.report.watch_metrics import as_metrics
from trueup.report.watch_view import Look, as_text, screen
from trueup.watch.gateway import Gateway
from trueup.watch.sampler import History

STEPS, QUIET = 150, 40
ERRORS = (1, 2, 3, 4, 6, 9, 10, 13, 15, 16, 17, 18, 21, 28, 999, 12345)
NUMBERS = ("0", "1", "50", "101", "-1", "4294967295", "0x7fffffff")
KEYS = (
    "sm", "access", "used", "total", "temperature", "fan", "power", "limit", "clock-sm", "gen", "width",
    "sent", "received", "pstate", "reasons", "handle", "model", "slices", "slice-used", "compute",
    "graphics", "busy", "name", "uuid",
)  # fmt: skip
LISTS = {"compute", "graphics", "busy"}


def life(seed: int) -> str:
    draw = random.Random(seed)  # noqa: S311  # a test's choice
    lines = [CARD]
    for step in range(1, STEPS):
        for _ in range(draw.randint(0, 6)):
            name = draw.choice(KEYS)
            value = draw.choice(("", "7:5 8:-", "1+60:3")) if name in LISTS else draw.choice(NUMBERS)
            if name == "handle" or draw.random() < 0.4:
                value = f"!{draw.choice(ERRORS)}" if draw.random() < 0.7 or name == "handle" else "0"
            lines.append(f"{step} {draw.choice('01*')}.{name} {value or '0'}\n")
        if draw.random() < 0.1:
            lines.append(f"{step} count {draw.choice(('0', '1', '2', '3', '!999', '!1'))}\n")
        if draw.random() < 0.1:
            lines.append(f"{step} init {draw.choice((0, 0, 9, 18, 999))}\n")
    rest = {"handle": "0", "total": "12288", "model": "!3", "slices": "0", "name": "card", "uuid": "GPU-1"}
    well = {**{line.split()[1][2:]: line.split(" ", 2)[2] for line in CARD.splitlines()}, **rest}
    again = [f"{STEPS} {card}.{name} {value}\n" for card in "0*" for name, value in well.items()]
    return "".join([*lines, *again, f"{STEPS} init 0\n", f"{STEPS} count 1\n"])


def main() -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".life", delete=False) as file:
        file.write(life(int(sys.argv[1])))
    os.environ["FAKE_NVML_LIFE"] = file.name
    gateway, history, troubles = Gateway(Stub()), History(), set()
    for step in range(STEPS + QUIET):
        os.environ["FAKE_NVML_STEP"] = str(step)
        sample = look(gateway.read(float(step)), step)
        history.add(sample)
        troubles |= {gpu.trouble.code for gpu in sample.cards.gpus if gpu.trouble}
        data = as_data(sample, "en")
        for lang in LANGUAGES:
            as_text(screen(sample, history.past(), Look(lang)))
        json.dumps(data, allow_nan=False)
        list(as_rows(sample))
        as_metrics(sample)
    Path(file.name).unlink()
    print(json.dumps({"troubles": sorted(troubles), "last": data}))  # noqa: T201


if __name__ == "__main__":
    main()
