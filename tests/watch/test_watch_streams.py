"""The streams, from the command line to the stand-in library."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from importlib import resources
from typing import TYPE_CHECKING

import jsonschema
import pytest
from lives import CARD

from trueup.values import TrueupError
from trueup.watch.logfile import KEPT, LogFile
from trueup.watch.serve import address, serve

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "watch-1.json").read_text("utf-8"))
WATCH = [sys.executable, "-m", "trueup", "watch"]


def environment(libraries: Path, folder: Path, life: str = CARD) -> dict[str, str]:
    (folder / "life").write_text(life)
    return {
        **os.environ,
        "LD_LIBRARY_PATH": str(libraries / "new"),
        "FAKE_NVML_LIFE": str(folder / "life"),
        "PYTHONIOENCODING": "utf-8",
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "80",
    }


def watch(env: dict[str, str] | None, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WATCH, *args], env=env, capture_output=True, text=True, check=False, encoding="utf-8", timeout=120
    )


def test_json_lines(libraries: Path, tmp_path: Path) -> None:
    done = watch(environment(libraries, tmp_path), "--json", "--count", "3", "--interval", "0.1")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 3
    for line in lines:
        jsonschema.validate(line, SCHEMA)
    assert lines[0]["gpus"][0]["sm_percent"] == 92
    assert isinstance(lines[0]["host"]["cpu_percent"], float)
    assert lines[0]["elapsed_s"] < lines[1]["elapsed_s"] < lines[2]["elapsed_s"]


def test_csv_has_a_row_a_card(libraries: Path, tmp_path: Path) -> None:
    env = environment(libraries, tmp_path, CARD + "0 count 2\n0 1.sm !3\n")
    done = watch(env, "--csv", "--count", "1")
    first, second = csv.DictReader(io.StringIO(done.stdout))
    assert (first["gpu"], first["sm_percent"]) == ("0", "92")
    assert (second["gpu"], second["sm_percent"]) == ("1", "")
    assert first["host_cores"] == str(os.cpu_count())


def test_once_without_a_card_shows_the_machine_and_says_why(tmp_path: Path) -> None:
    env = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "FAKE_NVML_LIFE": "", "PYTHONIOENCODING": "utf-8"}
    for args, words in (
        ((), "CPU, memory and disk are watched"),
        (("--lang", "zh"), "仅监视 CPU、内存和磁盘"),
    ):
        done = watch({**env, "COLUMNS": "200"}, "--once", *args)
        assert done.returncode == 1
        assert words in done.stdout
        assert re.search(r"CPU +\d+ %", done.stdout)


def test_a_code_page_without_blocks_gets_ascii(libraries: Path, tmp_path: Path) -> None:
    env = {**environment(libraries, tmp_path), "PYTHONIOENCODING": "cp1252"}
    done = watch(env, "--once")
    assert done.stdout.isascii()
    assert "92 % ####" in done.stdout


def test_no_colour_where_no_terminal_is(libraries: Path, tmp_path: Path) -> None:
    assert "\x1b" not in watch(environment(libraries, tmp_path), "--once").stdout


def test_log_holds_the_same_lines(libraries: Path, tmp_path: Path) -> None:
    log = tmp_path / "watch.jsonl"
    done = watch(
        environment(libraries, tmp_path), "--json", "--count", "2", "--interval", "0.1", "--log", str(log)
    )
    assert log.read_text("utf-8") == done.stdout


def test_a_log_is_rotated_and_bounded(tmp_path: Path) -> None:
    log = LogFile(str(tmp_path / "log"), largest=100)
    for number in range(40):
        assert log.write(f"{number:030}") is None
    log.close()
    files = sorted(tmp_path.iterdir())
    assert [one.name for one in files] == ["log", *(f"log.{number}" for number in range(1, KEPT + 1))]
    assert all(one.stat().st_size <= 100 for one in files)
    assert files[0].read_text().splitlines()[-1] == f"{39:030}"


def test_a_log_that_fails_later_is_said_once(tmp_path: Path) -> None:
    log = LogFile(str(tmp_path / "log"), largest=10)
    log.write("x" * 9)
    for number in range(1, KEPT + 1):
        (tmp_path / f"log.{number}").mkdir()
        (tmp_path / f"log.{number}" / "kept").touch()
    told = log.write("y" * 9)
    assert told is not None
    assert told.code == "watch.log-stopped"
    assert log.write("z") is None


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (("--interval", "0"), "0.1 to 3600"),
        (("--interval", "nan"), "0.1 to 3600"),
        (("--json", "--csv"), "exclude each other"),
        (("--serve", "0.0.0.0:9400"), "--public"),
        (("--serve", "example.org:9400"), "--public"),
        (("--serve", "ninety"), "no address"),
        (("--serve", "99999"), "no address"),
        (("--once", "--count", "2"), "exclude each other"),
        (("--log", "no/such/folder/log", "--json"), "cannot be written"),
    ],
)
def test_a_mistake_is_refused_with_a_way_out(args: tuple[str, ...], word: str) -> None:
    done = watch({**os.environ, "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}, *args)
    assert done.returncode == 2
    assert word in done.stderr
    assert "hint" in done.stderr
    assert not done.stdout or "--json" in args


def test_addresses() -> None:
    assert address("9400", public=False) == ("127.0.0.1", 9400)
    assert address("[::1]:9400", public=False) == ("::1", 9400)
    assert address("localhost:9400", public=False) == ("localhost", 9400)
    assert address("0.0.0.0:9400", public=True) == ("0.0.0.0", 9400)  # noqa: S104
    with pytest.raises(TrueupError) as refused:
        address("192.168.1.7:9400", public=False)
    assert refused.value.hint is not None


def test_metrics_are_served_and_nothing_else(libraries: Path, tmp_path: Path) -> None:
    env = environment(libraries, tmp_path, CARD + '0 *.name A "B" \\ C\n')
    command = [*WATCH, "--serve", "0", "--interval", "0.2"]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            place = re.search(r"http://\S+", server.stderr.readline())
            assert place is not None
            text = ""
            while "trueup_gpu_up" not in text:
                with urllib.request.urlopen(place[0], timeout=60) as answer:  # noqa: S310  # our own server
                    text = answer.read().decode()
                    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            labels = r'{gpu="0",uuid="GPU-0001",name="A \"B\" \\ C"}'
            assert f"trueup_gpu_sm_ratio{labels} 0.92" in text
            assert f"trueup_gpu_memory_used_bytes{labels} {8192 << 20}" in text
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(place[0].replace("metrics", "etc/passwd"), timeout=60)  # noqa: S310
        finally:
            # Whoever started the tests in the background had Ctrl-C ignored, here and in what is started.
            ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            server.send_signal(signal.SIGTERM if ignored else signal.SIGINT)
        assert server.wait(60) == (-signal.SIGTERM if ignored else 130)


def test_a_port_that_is_taken_is_refused_with_another() -> None:
    first = serve("0", lambda: "", public=False)
    try:
        with pytest.raises(TrueupError) as refused:
            serve(str(first.server_address[1]), lambda: "", public=False)
        assert refused.value.message.code == "watch.port-taken"
    finally:
        first.shutdown()
        first.server_close()
