"""The way to WSL2, step by step and over restarts, read from the machine each time."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wsl_worlds import Windows, World

from trueup.cli import wsl as command
from trueup.cli.main import run
from trueup.keep.wsl.inside import DPKG, read_inside
from trueup.keep.wsl.model import Needs, Wish
from trueup.keep.wsl.read import chosen, read
from trueup.keep.wsl.stages import next_of, stages
from trueup.machine.host import HostError
from trueup.report.say import say
from trueup.report.wsl import as_data, as_text, inside_problems, inside_text
from trueup.values import Message, TrueupError, Unknown

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.keep.wsl.model import Reading, Stage

SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "wsl-1.json").read_text("utf-8"))
NEEDS = Needs(19044, "5.10.16.3", "495")


def look(machine: Windows, wish: Wish | None = None) -> tuple[Reading, tuple[Stage, ...]]:
    found = read(machine.world(), wish.distro if wish else None)
    return found, stages(found, NEEDS, wish or Wish(source="/mnt/c/trueup"))


def current(machine: Windows, wish: Wish | None = None) -> Stage | None:
    return next_of(look(machine, wish)[1])


def fresh() -> Windows:
    return Windows(
        build=19041, firmware=False, platform=False, launch=False, wsl=None, distro=None, uid=0, version=1,
        driver="472.12", trueup=None,
    )  # fmt: skip


def do(machine: Windows, stage: str) -> None:
    """Do what the step of a stage says, as Windows would."""
    changes: dict[str, dict[str, Any]] = {
        "windows": {"build": 22631},
        "firmware": {"firmware": True},
        "features": {"platform": True, "staged": True},
        "hypervisor": {"launch": True, "staged": True},
        "package": {"wsl": "2.3.26.0"},
        "distro": {"distro": "Ubuntu"},
        "user": {"uid": 1000},
        "version": {"version": 2},
        "driver": {"driver": "551.86"},
        "trueup": {"trueup": "0.1.0"},
        "restart": {},
    }
    if stage == "restart":
        machine.restart()
    for name, value in changes[stage].items():
        setattr(machine, name, value)


def test_the_whole_way_with_its_restarts() -> None:
    machine, way = fresh(), []
    while (stage := current(machine)) is not None:
        way.append(stage.name)
        assert stage.step is not None
        do(machine, stage.name)
    assert way == [
        "windows", "firmware", "features", "restart", "hypervisor", "restart", "package", "distro", "user",
        "version", "driver", "trueup",
    ]  # fmt: skip
    assert look(machine)[1][-1].state == "done"


def test_a_restart_that_does_nothing_changes_nothing() -> None:
    machine = fresh()
    while (stage := current(machine)) is not None:
        if stage.name != "restart":
            before = current(machine)
            machine.restart()
            assert current(machine) == before
        do(machine, stage.name)


flags = st.booleans()


@settings(deadline=None)
@given(
    st.builds(
        Windows,
        build=st.sampled_from([18363, 19041, 19044, 22631]),
        firmware=flags, platform=flags, staged=flags, launch=flags, cim=flags, pending=flags,
        wsl=st.sampled_from([None, "2.3.26.0"]),
        kernel=st.sampled_from(["5.4.72", "5.15.167.4-1"]),
        distro=st.sampled_from([None, "Ubuntu", "my distro"]),
        version=st.sampled_from([1, 2]),
        uid=st.sampled_from([0, 1000]),
        driver=st.sampled_from([None, "472.12", "551.86"]),
        trueup=st.sampled_from([None, "0.1.0"]),
    )
)  # fmt: skip
def test_every_machine_has_at_most_one_next_step_and_ready_means_ready(machine: Windows) -> None:
    found, all_stages = look(machine)
    states = [stage.state for stage in all_stages]
    assert states.count("next") <= 1
    if "later" in states:
        assert states.index("next") < states.index("later")
    assert all(stage.step for stage in all_stages if stage.state == "next")
    data = as_data(found, all_stages, chosen(found, None), "en")
    jsonschema.validate(data, SCHEMA)
    if data["ready"]:
        assert machine.distro
        assert machine.trueup
        assert (machine.version, machine.wsl is not None) == (2, True)
        assert machine.build >= 19044
    for lang in ("en", "zh_CN"):
        assert as_text(found, all_stages, chosen(found, None), lang)


def test_steps_hold_exact_commands() -> None:
    new, old = (
        current(Windows(build=build, platform=False, wsl=None, distro=None)) for build in (22631, 19045)
    )
    assert new is not None
    assert new.step is not None
    assert new.step.commands == ("wsl.exe --install --no-distribution",)
    assert (new.step.admin, new.step.restart, new.step.argv) == (True, True, None)
    assert old is not None
    assert old.step is not None
    assert old.step.commands[1].startswith(
        "dism.exe /online /enable-feature /featurename:VirtualMachinePlatform"
    )
    spaced = current(Windows(distro="my distro", version=1))
    assert spaced is not None
    assert spaced.step is not None
    assert spaced.step.commands == ('wsl.exe --set-version "my distro" 2',)
    assert spaced.step.argv == ("wsl.exe", "--set-version", "my distro", "2")


def test_a_hypervisor_that_runs_means_that_the_firmware_is_on() -> None:
    found, all_stages = look(Windows())
    assert found.firmware is False
    assert all_stages[1].state == "done"


def test_a_restart_that_windows_wants_for_something_else_is_not_ours() -> None:
    assert current(Windows(pending=True)) is None


def test_what_cannot_be_read_is_unknown_and_never_ready() -> None:
    machine = Windows(cim=False, trueup=None, distro=None, wsl=None, platform=False)
    found, all_stages = look(machine)
    assert isinstance(found.firmware, Unknown)
    states = {stage.name: stage.state for stage in all_stages}
    assert states["firmware"] == states["hypervisor"] == "unknown"
    assert states["trueup"] != "done"


def test_root_is_good_enough_where_it_is_meant() -> None:
    root = Windows(uid=0)
    stage = current(root)
    assert stage is not None
    assert stage.name == "user"
    assert current(root, Wish(root=True)) is None


def test_docker_s_distro_is_not_the_user_s() -> None:
    stage = current(Windows(distro="docker-desktop"))
    assert stage is not None
    assert stage.name == "distro"


def test_a_distro_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(TrueupError) as refused:
        look(Windows(), Wish("Debian"))
    assert refused.value.hint is not None
    assert "Ubuntu" in say(refused.value.hint, "en")


class Deaf:
    """A host that could not be asked anything."""

    platform = "windows"
    env: dict[str, str] = {}  # noqa: RUF012  # the protocol's attribute

    def __getattr__(self, name: str) -> Any:
        def fail(*_: Any) -> Any:
            raise HostError(Message("machine.not-read"))

        return fail


def test_a_machine_that_answers_nothing_is_all_unknown() -> None:
    found = read(Deaf())  # type: ignore[arg-type]  # fails wherever it is asked
    all_stages = stages(found, NEEDS, Wish())
    assert next_of(all_stages) is None or next_of(all_stages).name != "trueup"  # type: ignore[union-attr]
    assert all(stage.state != "done" for stage in all_stages)


def calls(monkeypatch: pytest.MonkeyPatch, status: int) -> list[list[str]]:
    """Return the list of what is started from now on; nothing is, really."""
    started: list[list[str]] = []

    def call(argv: list[str]) -> int:
        started.append(argv)
        return status

    monkeypatch.setattr(subprocess, "call", call)
    return started


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Windows:
    machine = Windows()
    monkeypatch.setattr(command, "_host", lambda _: machine.world())
    return machine


def test_the_command_tells_and_ends_with_its_state(
    windows: Windows, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["wsl", "--lang", "en"]) == 0
    assert "trueup wsl -- up tensorflow" in capsys.readouterr().out
    windows.trueup = None
    for lang, mark in (("en", "next   trueup inside"), ("zh", "下一步  里面的 trueup")):
        assert run(["wsl", "--lang", lang]) == 1
        assert mark in capsys.readouterr().out
    assert run(["wsl", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    assert [s["name"] for s in answer["stages"] if s["state"] == "next"] == ["trueup"]


def test_the_next_step_is_done_on_wish_only(windows: Windows, monkeypatch: pytest.MonkeyPatch) -> None:
    windows.version = 1
    started = calls(monkeypatch, 0)
    assert run(["wsl", "--next"]) == 2
    assert started == []
    assert run(["wsl", "--next", "--yes"]) == 0
    assert started == [["C:\\Windows\\System32\\wsl.exe", "--set-version", "Ubuntu", "2"]]
    windows.platform = False
    windows.version = 2
    windows.wsl = windows.distro = None
    assert run(["wsl", "--next", "--yes"]) == 1  # an administrator's step is shown, never started
    assert len(started) == 1


def test_commands_go_to_the_trueup_inside(windows: Windows, monkeypatch: pytest.MonkeyPatch) -> None:
    started = calls(monkeypatch, 4)
    assert run(["wsl", "--", "up", "tensorflow", "--env", "a b"]) == 4
    assert started[0][1:4] == ["-d", "Ubuntu", "-e"]
    assert started[0][-4:] == ["up", "tensorflow", "--env", "a b"]
    windows.trueup = None
    assert run(["wsl", "--", "up", "tensorflow"]) == 2


def inside(**changes: Any) -> World:
    data: dict[str, Any] = {
        "platform": "linux",
        "env": {"WSL_DISTRO_NAME": "Ubuntu"},
        "files": {
            "/proc/sys/kernel/osrelease": "5.15.167.4-microsoft-standard-WSL2\n",
            "/proc/meminfo": "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n",
            "/dev/dxg": "",
            "/usr/lib/wsl/lib/libcuda.so.1": "",
            "/usr/lib/wsl/lib/nvidia-smi": "",
            DPKG: "Package: bash\nStatus: install ok installed\n\n",
            **changes,
        },
    }
    return World(data)


DRIVERS = (
    "Package: libnvidia-compute-535\nStatus: install ok installed\nVersion: 535\n\n"
    "Package: nvidia-driver-470\nStatus: deinstall ok config-files\n\n"
    "Package: cuda-toolkit-12-4\nStatus: install ok installed\n"
)


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({}, []),
        ({"/dev/dxg": None}, ["wsl.in-no-device"]),
        ({"/usr/lib/wsl/lib/libcuda.so.1": None}, ["wsl.in-no-libcuda"]),
        ({DPKG: DRIVERS}, ["wsl.in-linux-driver"]),
        ({"/proc/sys/kernel/osrelease": "4.4.0-19041-Microsoft\n", "/dev/dxg": None}, ["wsl.in-version-1"]),
    ],
)
def test_from_inside_the_driver_of_windows_is_seen(changes: dict[str, Any], codes: list[str]) -> None:
    found = read_inside(inside(**changes), "/mnt/d/data")
    assert found is not None
    problems = inside_problems(found)
    assert [one.code for one in problems] == codes
    assert found.slow
    assert all(one.params["names"] == "libnvidia-compute-535" for one in problems if "names" in one.params)
    for lang in ("en", "zh_CN"):
        assert inside_text(found, lang)


def test_the_command_inside(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command, "_host", lambda _: inside())
    assert run(["wsl", "--json"]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), SCHEMA)
    plain = World(
        {"platform": "linux", "env": {}, "files": {"/proc/sys/kernel/osrelease": "6.1.0-18-amd64\n"}}
    )
    monkeypatch.setattr(command, "_host", lambda _: plain)
    assert run(["wsl"]) == 2


def test_a_described_recording_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "machine.json"
    file.write_text(
        json.dumps({"schema": "trueup.machine/1", "platform": "windows", "env": {}, "answers": []})
    )
    assert run(["wsl", "--machine", str(file), "--lang", "en"]) == 1
    assert "could not be read" in capsys.readouterr().out


def test_readings_are_plain_values() -> None:
    found, _ = look(Windows())
    assert replace(found) == found
