"""A line that breaks again and again, and runs that are ended in the middle: what came is not fetched twice."""

from __future__ import annotations

import hashlib
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from fake_index import WHEELS, wheel
from made import FOO, machine_here, question_of

from trueup import setup
from trueup.setup import resuming
from trueup.setup.events import Event, Note
from trueup.setup.fetching import Fetcher, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHILD = Path(__file__).with_name("build_child.py")
NOISE = random.Random(1).randbytes(2_000_000).hex()  # noqa: S311  # what does not shrink in the ZIP
FILES = {**WHEELS, "foo-1.0-py3-none-any.whl": wheel("foo", "1.0", {"foo/noise.py": f'x = "{NOISE}"\n'})}
BIG = "foo-1.0-py3-none-any.whl"
ALL = len(FILES[BIG])


class Line(ThreadingHTTPServer):
    """An index behind a line that lets `most` bytes through a connection; `sent` counts bytes by file."""

    daemon_threads = True

    def __init__(self, most: int, *, ranges: bool = True, pause: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.most, self.ranges, self.pause = most, ranges, pause
        self.sent: Counter[str] = Counter()


class Handler(BaseHTTPRequestHandler):
    server: Line

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""

    def do_HEAD(self) -> None:  # http.server's name
        self._file(body=False)

    def do_GET(self) -> None:
        *_, name = self.path.strip("/").split("/")
        if "/simple/" in self.path:
            found = [file for file in FILES if file.startswith(f"{name}-")]
            links = (
                f'<a href="/files/{n}#sha256={hashlib.sha256(FILES[n]).hexdigest()}">{n}</a>' for n in found
            )
            self._send(200, f"<html><body>{''.join(links)}</body></html>".encode(), "text/html")
        else:
            self._file(body=True)

    def _file(self, *, body: bool) -> None:
        name = self.path.rpartition("/")[2]
        data = FILES.get(name)
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if data is None:
            self._send(404, b"", "text/plain")
        elif asked and self.server.ranges:
            start, end = int(asked[1]), min(int(asked[2] or ALL), len(data) - 1)
            extra = {"Content-Range": f"bytes {start}-{end}/{len(data)}"}
            self._send(206, data[start : end + 1], "application/zip", name if body else None, extra)
        else:
            self._send(200, data, "application/zip", name if body else None)

    def _send(  # an answer's parts
        self, status: int, data: bytes, kind: str, name: str | None = "", extra: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        told = {
            "Content-Type": kind,
            "Content-Length": str(len(data)),
            "Accept-Ranges": "bytes",
            **(extra or {}),
        }
        for key, value in told.items():
            self.send_header(key, value)
        self.end_headers()
        if name is None:
            return
        most = self.server.most if name == BIG else len(data)
        with suppress(OSError):
            for start in range(0, min(most, len(data)), 65536):
                piece = data[start : min(start + 65536, most)]
                self.wfile.write(piece)
                self.server.sent[name] += len(piece)
                time.sleep(self.server.pause)
        self.close_connection = True


@contextmanager
def line(most: int = ALL, *, ranges: bool = True, pause: float = 0.0) -> Iterator[tuple[Line, str]]:
    server = Line(most, ranges=ranges, pause=pause)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def wanted(address: str, sha256: str | None = None) -> Wanted:
    known = sha256 or hashlib.sha256(FILES[BIG]).hexdigest()
    return Wanted(BIG, f"{address}/files/{BIG}", known, ALL)


def test_broken_download_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with line(ALL // 5) as (server, address):
        path = Fetcher(tmp_path, {}, pause_s=0.0).one(wanted(address))
    assert path.read_bytes() == FILES[BIG]
    assert server.sent[BIG] == ALL
    assert [file.name for file in tmp_path.iterdir()] == [BIG]


def test_server_without_ranges_is_asked_anew_and_never_believed(tmp_path: Path) -> None:
    (tmp_path / f"{BIG}.part").write_bytes(FILES[BIG][:1000])
    with line(ranges=False) as (server, address):
        path = Fetcher(tmp_path, {}, pause_s=0.0).one(wanted(address))
    assert path.read_bytes() == FILES[BIG]
    assert server.sent[BIG] == ALL


def test_half_of_another_file_does_not_pass(tmp_path: Path) -> None:
    (tmp_path / f"{BIG}.part").write_bytes(b"x" * 1000)
    with line() as (_, address):
        with pytest.raises(setup.SetupError) as caught:
            Fetcher(tmp_path, {}, pause_s=0.0).one(wanted(address))
        assert caught.value.kind == "download-hash"
        assert list(tmp_path.iterdir()) == []
        assert Fetcher(tmp_path, {}, pause_s=0.0).one(wanted(address)).read_bytes() == FILES[BIG]


def test_line_that_gives_nothing_is_given_up(tmp_path: Path) -> None:
    with line(0) as (_, address), pytest.raises(setup.SetupError) as caught:
        Fetcher(tmp_path, {}, pause_s=0.0).one(wanted(address))
    assert caught.value.kind == "download"
    assert BIG in str(caught.value.message.params["what"])


def test_bytes_are_counted_once(tmp_path: Path) -> None:
    heard: list[int] = []
    (tmp_path / f"{BIG}.part").write_bytes(FILES[BIG][:70000])
    with line(ALL // 3) as (_, address):
        Fetcher(tmp_path, {}, heard.append, pause_s=0.0).one(wanted(address))
    assert sum(heard) == ALL


def test_build_goes_on_over_a_line_that_breaks(
    mood: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("good")
    seen: list[Event] = []
    with line() as (server, address):
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"{address}/simple")
        lock = setup.lock(question_of())
        server.most = ALL // 3
        server.sent.clear()
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "fresh cache"))
        here, question, env = machine_here(), question_of(), tmp_path / ".venv"
        setup.build(FOO, question, env, machine=here, lock=lock, on_event=seen.append)
    notes = [event.text.code for event in seen if isinstance(event, Note)]
    assert notes == ["setup.note-resuming"]
    assert server.sent[BIG] <= ALL + 2 * (ALL // 3)  # uv's own attempts, then all of it once
    assert setup.inspect(tmp_path / ".venv").name == "complete"
    assert [path.name for path in tmp_path.iterdir() if "trueup" in path.name] == []


def test_killed_build_keeps_what_came(
    mood: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first run is killed while uv downloads, a second while trueup does; the third needs the rest only."""
    mood("good")
    monkeypatch.setenv("UV_HTTP_TIMEOUT", "30")
    monkeypatch.setattr(resuming, "LARGE", 1_000_000)
    env_dir = tmp_path / ".venv"
    part = tmp_path / ".venv.trueup-building" / "wheels" / f"{BIG}.part"
    with line(pause=0.1) as (server, address):
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"{address}/simple")
        kill_when(env_dir, lambda: at_work(env_dir) and server.sent[BIG] > ALL // 4)
        assert not part.exists()
        kill_when(env_dir, lambda: part.exists() and part.stat().st_size > ALL // 2)
        kept = part.stat().st_size
        server.pause = 0.0
        server.sent.clear()
        setup.build(FOO, question_of(), env_dir, machine=machine_here())
    assert kept > ALL // 2
    assert server.sent[BIG] <= ALL - kept + 4 * 65536  # what the killed connection was still given
    assert setup.inspect(env_dir).name == "complete"


def at_work(env_dir: Path) -> bool:
    """Tell whether uv installs; then its download is what is killed."""
    journal = env_dir.with_name(env_dir.name + ".trueup-building") / "journal.jsonl"
    return journal.is_file() and '"event": "uv"' in journal.read_text("utf-8")


def kill_when(env_dir: Path, reached: Callable[[], bool]) -> None:
    code = f"import build_child; from trueup.setup import resuming; resuming.LARGE = {resuming.LARGE}; build_child.main()"
    child = subprocess.Popen(
        [sys.executable, "-c", code, env_dir],
        cwd=CHILD.parent,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(CHILD.parent)},
    )
    deadline = time.monotonic() + 240
    while not reached():
        assert child.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    for process in psutil.Process(child.pid).children(recursive=True):
        process.kill()  # uv would finish its download alone
    child.kill()
    child.wait()
