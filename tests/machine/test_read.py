"""Readers that fail or hang cost their own answer alone."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from world import World, load

from trueup.machine.host import HostError, RecordedHost, Recording, this_host
from trueup.machine.read import Reader, read_machine, run_readers
from trueup.machine.survey import read_survey
from trueup.values import Message, TrueupError, Unknown

BASES = Path(__file__).parent.parent / "check" / "bases"


def _refuse() -> None:
    raise HostError(Message("machine.unreadable", {"path": "/x", "text": "Permission denied"}))


def test_a_reader_that_hangs_is_left_behind() -> None:
    never = threading.Event()
    start = time.monotonic()
    answers = run_readers((Reader("slow", never.wait, 0.2), Reader("quick", lambda: 1, 5.0)))
    assert time.monotonic() - start < 2
    assert answers["quick"] == 1
    assert answers["slow"] == Unknown(Message("machine.timed-out", {"what": "slow", "seconds": 0.2}))


def test_a_reader_that_fails_leaves_its_reason() -> None:
    answers = run_readers((Reader("refused", _refuse, 5.0), Reader("broken", lambda: 1 // 0, 5.0)))
    assert answers["refused"].why.code == "machine.unreadable"
    assert "ZeroDivisionError" in answers["broken"].why.params["text"]


def test_a_machine_from_a_base() -> None:
    machine = read_machine(load(BASES / "windows.json"))
    assert (machine.os, machine.arch, machine.os_build) == ("windows", "x86_64", "10.0.22631")
    assert machine.os_name == "Windows 11 Pro 23H2"
    assert (machine.driver, machine.cuda_driver) == ("536.67", "12.2")
    assert (machine.long_paths, machine.vc_runtime) == (True, "14.38.33130.0")
    assert machine.wsl is None
    assert machine.disk_free_gb == 200.0


def test_wsl_says_what_it_is_from_inside() -> None:
    machine = read_machine(load(BASES / "wsl.json"))
    assert machine.os == "wsl2"
    assert machine.wsl is not None
    assert not isinstance(machine.wsl, Unknown)
    assert (machine.wsl.version, machine.wsl.distros) == (2, ("Ubuntu-22.04",))
    assert (machine.libc, machine.glibc) == ("glibc", "2.35")


def test_a_folder_that_may_not_be_read_is_not_empty() -> None:
    base = load(BASES / "linux.json")
    closed = World(
        {**base.data, "closed": ["/sys/bus/pci/devices"], "nvml": {"error": {"code": 12, "text": "-"}}}
    )
    machine = read_machine(closed)
    assert isinstance(machine.gpus, Unknown)
    assert machine.gpus.why.code == "machine.unreadable"


def test_this_machine_answers_its_own_recording() -> None:
    recording = Recording(this_host())
    machine = read_machine(recording, env_dir=Path())
    again = read_machine(RecordedHost(recording.document()), env_dir=Path())
    assert replace(again, environment=()) == replace(machine, environment=())


@pytest.mark.parametrize("platform", ["windows", "linux", "macos"])
def test_what_was_not_recorded_is_unknown(platform: str) -> None:
    empty = RecordedHost({"schema": "trueup.machine/1", "platform": platform, "env": {}, "answers": []})
    machine = read_machine(empty)
    assert isinstance(machine.gpus, Unknown)
    assert isinstance(machine.driver, Unknown)
    assert isinstance(machine.vc_runtime, Unknown)
    assert isinstance(machine.arch, Unknown)
    assert read_survey(empty).machine.os == platform


def test_another_document_is_refused() -> None:
    with pytest.raises(TrueupError):
        RecordedHost({"os": "windows"})


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"platform": "amiga"}, "platform"),
        ({"env": {"PATH": 1}}, "env"),
        ({"env": None}, "env"),
        ({"answers": {}}, "answers"),
        ({"answers": [{"ask": "system"}]}, "answers"),
        ({"answers": [{"ask": ["system"]}]}, "answers"),
        ({"answers": [{"ask": ["system"], "error": "no"}]}, "answers"),
    ],
)
def test_a_damaged_recording_names_the_key(change: dict[str, object], key: str) -> None:
    whole = {"schema": "trueup.machine/1", "platform": "linux", "env": {}, "answers": []}
    with pytest.raises(TrueupError) as caught:
        RecordedHost({**whole, **change})
    assert caught.value.message.params["key"] == key
