"""What `trueup watch` costs, against nvitop, on the stand-in library of the tests (Linux, gcc).

    python bench/watch.py [--seconds 60] [--cards 1]

Both show their live screen at 1 Hz on a pseudo-terminal; CPU seconds are those of the process itself, from
/proc, after the start. Beside that: CPU seconds of one sample as text (`--once`), start included. The limit:
one per cent of a core.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tests" / "machine" / "fake_nvml.c"
LIMIT = 0.01
START = 5.0  # seconds left to the start: imports are paid once
TICKS = os.sysconf("SC_CLK_TCK")


def prepare(folder: Path, cards: int) -> dict[str, str]:
    sys.path.insert(0, str(ROOT / "tests" / "watch"))
    from lives import CARD, STEADY  # noqa: PLC0415

    library = folder / "libnvidia-ml.so.1"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE)], check=True)
    (folder / "life").write_text(
        f"{CARD}{STEADY}0 count {cards}\n0 *.graphics !3\n0 *.compute {os.getpid()}:8000\n"
    )
    return {
        **os.environ,
        "LD_LIBRARY_PATH": str(folder),
        "FAKE_NVML_LIFE": str(folder / "life"),
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
    }


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def live(command: list[str], env: dict[str, str], seconds: float) -> float:
    """Return the share of one core while the screen is shown."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    child = subprocess.Popen(command, env=env, stdin=end, stdout=end, stderr=end, start_new_session=True)
    os.close(end)
    threading.Thread(target=drain, args=(terminal,), daemon=True).start()
    time.sleep(START)
    before, begin = cpu_seconds(child.pid), time.monotonic()
    time.sleep(seconds)
    share = (cpu_seconds(child.pid) - before) / (time.monotonic() - begin)
    child.send_signal(signal.SIGINT)
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    return share


def drain(terminal: int) -> None:
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:  # the other end is closed
        return


def once(command: list[str], env: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def nvitop(folder: Path) -> list[str]:
    subprocess.run(
        [sys.executable, "-m", "uv", "venv", "-q", "--python", sys.executable, str(folder)], check=True
    )
    python = str(folder / "bin" / "python")
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "install", "-q", "--python", python, "nvitop"], check=True
    )
    return [str(folder / "bin" / "nvitop")]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--cards", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        env = prepare(Path(scratch), options.cards)
        ours = [sys.executable, "-m", "trueup", "watch"]
        theirs = nvitop(Path(scratch, "nvitop"))
        rows = {
            "live at 1 Hz, % of one core": (
                100 * live(ours, env, options.seconds),
                100 * live([*theirs, "--monitor", "full", "--interval", "1"], env, options.seconds),
            ),
            "`--once`, CPU seconds": (once([*ours, "--once"], env), once([*theirs, "--once"], env)),
        }
    print("| | trueup | nvitop | ratio |\n| --- | --: | --: | --: |")
    for name, (mine, other) in rows.items():
        print(f"| {name} | {mine:.2f} | {other:.2f} | {mine / other:.2f} |")
    return int(rows["live at 1 Hz, % of one core"][0] > 100 * LIMIT)


if __name__ == "__main__":
    sys.exit(main())
