"""`trueup run -- PROGRAM…`: runs it, shows what it prints, diagnoses when it fails or falls back to the CPU."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import TYPE_CHECKING, BinaryIO

import click

from trueup.cli.session import silence, unwritable
from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.cli.session import Session
    from trueup.diagnose.signals import Scan

PIECE = 1 << 16


@click.command("run", cls=SayCommand, help="run.help", context_settings={"ignore_unknown_options": True})
@click.option("--given", cls=SayOption, metavar="FILE", help="run.help-given")
@click.argument(
    "program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- PROGRAM [ARGUMENT]..."
)
@click.pass_obj
def command(session: Session, given: str | None, program: tuple[str, ...]) -> int:
    from trueup.cli.diagnose import here, read_given
    from trueup.diagnose import conclude
    from trueup.diagnose.case import system_of
    from trueup.diagnose.signals import Scan
    from trueup.report.diagnosis import lines, wrong

    stated = read_given(given)
    named = system_of(str(stated.get("os", "")))
    os = named if named != "unknown" else here()
    scan = Scan()
    status = _run(program, scan)
    answer = conclude(scan, stated, os)
    if wrong(answer) and (status != 0 or fell_back(scan)):
        session.talk("\n" + session.text("run.diagnosis", status=status))
        session.talk("\n".join(lines(answer, session.lang, os)))
    elif status != 0:
        session.talk("\n" + session.text("run.no-diagnosis", status=status))
    return status if status >= 0 else 128 - status


FALLBACKS = frozenset(
    {
        "tf-dlopen-skip",
        "jax-cpu",
        "jax-cuda-enabled-missing",
        "ort-provider-unavailable",
        "ort-provider-failed",
        "cuinit-failed",
        "cuinit-no-device",
        "cuinit-unknown",
        "could-not-find-cuda-drivers",
        "gpu-list-empty",
        "cuda-available-false",
        "ignoring-gpu",
        "driver-old",
    }
)


def fell_back(scan: Scan) -> bool:
    """Tell whether the program went on without the GPU."""
    return any(one.signal in FALLBACKS for one in scan.found)


def _run(program: Sequence[str], scan: Scan) -> int:
    try:
        child = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise TrueupError(
            Message("run.cannot-start", {"program": program[0], "why": why}), Message("run.cannot-start-hint")
        ) from error
    if child.stdout is None or child.stderr is None:
        raise RuntimeError("pipes were asked for")
    lock = threading.Lock()
    pairs = ((child.stdout, sys.stdout.buffer), (child.stderr, sys.stderr.buffer))
    failed: list[OSError] = []
    threads = [
        threading.Thread(target=_pump, args=(source, sink, scan, lock, failed)) for source, sink in pairs
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    status = child.wait()
    if failed:
        silence(sys.stdout)
        raise unwritable(failed[0]) from failed[0]
    return status


def _pump(source: BinaryIO, sink: BinaryIO, scan: Scan, lock: threading.Lock, failed: list[OSError]) -> None:
    """Pass on what the program prints as it comes; whole lines go to the scan.

    Where it cannot be passed on, reading goes on: a program whose pipe is full would stand still.
    """
    rest = b""
    while piece := source.read1(PIECE):  # type: ignore[attr-defined]
        try:
            if not failed:
                sink.write(piece)
                sink.flush()
        except OSError as error:
            failed.append(error)
        *whole, rest = (rest + piece).split(b"\n")
        if whole:
            with lock:
                scan.block(whole)
    if rest:
        with lock:
            scan.block([rest])
