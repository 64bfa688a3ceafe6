"""`trueup watch -- PROGRAM` and `--pid`: streams, status and verdict."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from importlib import resources
from typing import TYPE_CHECKING

import jsonschema
import pytest
from lives import CARD
from test_watch_streams import WATCH, environment, watch

from trueup.watch.model import Cards, HostLoad, Sample
from trueup.watch.recorder import Recorder

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = json.loads(
    resources.files("trueup.report").joinpath("schemas", "watch-verdict-1.json").read_text("utf-8")
)
PROGRAM = "import sys; print(sys.stdin.read().upper()); print('talk', file=sys.stderr); sys.exit(7)"


def test_streams_and_status_are_the_programs_own(libraries: Path, tmp_path: Path) -> None:
    command = [*WATCH, "--interval", "0.1", "--", sys.executable, "-c", PROGRAM]
    env = environment(libraries, tmp_path)
    done = subprocess.run(command, env=env, input="data", capture_output=True, text=True, check=False)
    assert done.returncode == 7
    assert done.stdout == "DATA\n"
    assert "talk" in done.stderr
    assert "Too little training was seen" in done.stderr
    assert "trueup run" in done.stderr


def test_the_verdict_is_the_last_line_as_json(libraries: Path, tmp_path: Path) -> None:
    args = ("--json", "--interval", "0.1", "--lang", "zh", "--", sys.executable, "-c", "print('own')")
    done = watch(environment(libraries, tmp_path), *args)
    own, verdict = done.stdout.splitlines()
    assert own == "own"
    jsonschema.validate(json.loads(verdict), SCHEMA)
    assert json.loads(verdict)["outcome"] == "not-enough"


def test_options_after_the_program_are_its_own(libraries: Path, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import sys; print(sys.argv[1:])")
    done = watch(environment(libraries, tmp_path), sys.executable, str(script), "--json", "--epochs", "3")
    assert done.stdout.strip() == "['--json', '--epochs', '3']"


def test_a_training_on_an_idle_card_is_a_fallback() -> None:
    """The clock of the samples is the only one that runs: 40 s are not waited for."""
    from trueup.watch.classify import classify, trace_of
    from trueup.watch.model import Gpu, Tree

    gpu = Gpu(0, "card", "GPU-1", sm=1.0, processes=())
    host = HostLoad(60.0, 99.0, 8, 4000.0, 32000.0, 0.0, "disk", 1.0, 0.0, 3.0, None)
    tree = Tree(frozenset({7}), 480.0, 480.0, 900.0, 0.0, 40.0)
    samples = [Sample(float(at), float(at), Cards((gpu,)), host, tree) for at in range(40)]
    verdict = classify(trace_of(samples))
    assert verdict.cause == "cpu-fallback"


def test_interrupting_waits_for_the_programs_own_end(libraries: Path, tmp_path: Path) -> None:
    program = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(5))\n"
        "print('ready', flush=True)\ntime.sleep(300)\n"
    )
    if sys.platform == "win32":
        pytest.skip("no groups of processes")
    command = [*WATCH, "--", sys.executable, "-c", program]
    env = environment(libraries, tmp_path)
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        os.killpg(running.pid, signal.SIGINT)
        assert running.wait(60) == 5
        assert running.stderr is not None
        assert "trueup watch:" in running.stderr.read()


def test_a_scheduler_that_ends_us_ends_the_program(libraries: Path, tmp_path: Path) -> None:
    program = "import time\nprint('ready', flush=True)\ntime.sleep(300)\n"
    command = [*WATCH, "--", sys.executable, "-c", program]
    env = environment(libraries, tmp_path)
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        time.sleep(0.2)
        running.terminate()
        assert running.wait(60) == 128 + signal.SIGTERM


def test_a_running_program_is_watched_by_its_number(libraries: Path, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"]) as running:
        try:
            args = ("--pid", str(running.pid), "--count", "3", "--interval", "0.1", "--json")
            done = watch(environment(libraries, tmp_path, CARD), *args)
        finally:
            running.kill()
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    jsonschema.validate(answer, SCHEMA)
    assert answer["status"] is None
    assert answer["samples"] >= 3


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (("--pid", "4194304"), "no process"),
        (("--", "no-such-program"), "cannot be started"),
        (("--serve", "9400", "--", "python"), "--log"),
        (("--pid", "1", "--", "python"), "exclude each other"),
        (("--pid", "x"), "hint"),
    ],
)
def test_mistakes(args: tuple[str, ...], word: str) -> None:
    done = watch({**os.environ, "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}, *args)
    assert done.returncode == 2
    assert word in done.stderr


def test_a_long_run_is_thinned_evenly() -> None:
    host = HostLoad(1.0, 1.0, 1, 1.0, 1.0, 0.0, None, 0.0, 0.0, 0.0, None)
    recorder = Recorder(most=64)
    for at in range(10_000):
        recorder.add(Sample(float(at), float(at), Cards(), host))
    times = [one.at for one in recorder.samples]
    assert recorder.taken == 10_000
    assert 32 <= len(times) <= 64
    assert len({after - before for before, after in itertools.pairwise(times)}) == 1
    assert times[0] == 0
