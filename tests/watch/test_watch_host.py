"""The machine beside its cards, and the program that is watched."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import psutil

from trueup.values import Unknown
from trueup.watch.host import HostReader
from trueup.watch.names import Names
from trueup.watch.tree import TreeReader, compute_cache, folder_size

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest


def disk(read: int, **times: int) -> SimpleNamespace:
    return SimpleNamespace(read_bytes=read, write_bytes=0, **times)


def disks(monkeypatch: pytest.MonkeyPatch, *looks: Mapping[str, SimpleNamespace]) -> HostReader:
    answers = iter(looks)
    monkeypatch.setattr(psutil, "disk_io_counters", lambda *, perdisk: next(answers) if perdisk else None)
    return HostReader()


def test_rates_are_known_from_the_second_look_on() -> None:
    reader = HostReader()
    assert isinstance(reader.read(0.0).cpu, Unknown)
    second = reader.read(1.0)
    assert not isinstance(second.cpu, Unknown)
    assert 0 <= second.cpu <= 100
    assert second.cores == os.cpu_count()


def test_the_busiest_disk_is_told_and_no_loop_device(monkeypatch: pytest.MonkeyPatch) -> None:
    first = {name: disk(0, busy_time=0) for name in ("sda", "sdb", "loop0")}
    after = {
        "sda": disk(1_000_000, busy_time=100),
        "sdb": disk(8_000_000, busy_time=700),
        "loop0": disk(99_000_000, busy_time=2000),
    }
    reader = disks(monkeypatch, first, after)
    reader.read(0.0)
    load = reader.read(2.0)
    assert (load.disk, load.disk_read, load.disk_busy) == ("sdb", 4.0, 35.0)


def test_windows_counts_the_time_of_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = disks(
        monkeypatch,
        {"PhysicalDrive0": disk(0, read_time=0, write_time=0)},
        {"PhysicalDrive0": disk(5_000_000, read_time=400, write_time=100)},
    )
    reader.read(0.0)
    assert reader.read(1.0).disk_busy == 50.0


def test_no_counters_are_unknown_and_never_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = disks(monkeypatch, {}, {})
    reader.read(0.0)
    load = reader.read(1.0)
    assert load.disk is None
    assert isinstance(load.disk_read, Unknown)


def test_a_disk_that_is_pulled_and_counters_that_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = disks(monkeypatch, {"sda": disk(5_000_000, busy_time=9)}, {"sda": disk(0, busy_time=0)}, {})
    reader.read(0.0)
    assert reader.read(1.0).disk_read == 0
    assert reader.read(2.0).disk is None


def test_a_battery_is_asked_for_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def battery() -> SimpleNamespace:
        asked.append(1)
        return SimpleNamespace(power_plugged=False)

    monkeypatch.setattr(psutil, "sensors_battery", battery, raising=False)
    reader = HostReader()
    assert [reader.read(float(at)).plugged for at in range(12)] == [False] * 12
    assert len(asked) == 2


def test_a_program_is_counted_with_what_it_started() -> None:
    nested = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-c", nested], stdin=subprocess.PIPE) as child:
        tree = TreeReader(child.pid)
        found = tree.read(0.0)
        for _ in range(600):
            if len(found.pids) == 2:
                break
            found = tree.read(float(len(found.pids)) + time.monotonic())
        assert len(found.pids) == 2
        assert tree.alive()
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdin.close()
        child.wait(60)
        assert not tree.alive()
        ended = tree.read(time.monotonic() + 1000)
        assert ended.cpu == 0.0


def test_the_cache_of_compiled_kernels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "kernel").write_bytes(b"x" * (1 << 20))
    monkeypatch.setenv("CUDA_CACHE_PATH", str(tmp_path))
    size = folder_size(compute_cache())
    assert not isinstance(size, Unknown)
    assert 1.0 <= size < 1.1
    assert folder_size(tmp_path / "none") == 0


def test_names_of_processes() -> None:
    names = Names()
    assert not isinstance(names.of(os.getpid()), Unknown)
    assert isinstance(names.of(4_194_303), Unknown)
    assert isinstance(names.of(2**40), Unknown)
