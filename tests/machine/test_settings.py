"""Settings of the system: each is told, or not set, or unknown with its reason; never one for another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from world import World, load

from trueup.machine.host import HostError, RunResult
from trueup.machine.inventory.events import RESETS, TAKEN, libraries, read_quarantined, read_resets
from trueup.machine.inventory.memory import read_memory
from trueup.machine.inventory.model import Event, Memory
from trueup.machine.inventory.settings import read_settings
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trueup.machine.host import RegistryValue

BASES = Path(__file__).parent.parent / "check" / "bases"
CONTROL = "HKLM\\SYSTEM\\CurrentControlSet\\Control"
BALANCED = "381b4222-f694-41f0-9685-ff5bb260df2e"
PCIE = "501a4d13-42af-4429-9fd1-a8218c268e20\\ee12f906-d277-404b-b6da-e5fa1a576df5"


class Closed(World):
    """A Windows whose registry is closed to this user."""

    def registry_values(self, key: str) -> Mapping[str, RegistryValue] | None:
        raise HostError(Message("machine.unreadable", {"path": key, "text": "Access is denied"}))


class Slow(World):
    """A machine on which every program hangs."""

    def run(self, argv: Sequence[str], timeout: float) -> RunResult | None:
        raise HostError(Message("machine.timed-out", {"what": argv[0], "seconds": timeout}))


def windows(**changes: Any) -> World:
    data = load(BASES / "windows.json").data
    merged = {
        key: {**data.get(key, {}), **value} if isinstance(value, dict) else value
        for key, value in changes.items()
    }
    return World({**data, **merged})


def test_a_closed_registry_is_unknown_not_unset() -> None:
    found = read_settings(Closed(load(BASES / "windows.json").data))
    names = ("page_file", "tdr_delay", "scheduling", "fast_startup", "power_plan", "min_cpu", "pcie")
    for name in (*names, "app_control"):
        value = getattr(found, name)
        assert isinstance(value, Unknown), name
        assert value.why.params["text"] == "Access is denied"


def test_what_is_not_set_is_none_and_what_is_set_is_told() -> None:
    found = read_settings(windows())
    assert (found.page_file, found.scheduling, found.fast_startup) == ("automatic", True, True)
    assert (found.tdr_delay, found.app_control, found.pcie) == (None, None, None)
    assert found.driver_library is True


@pytest.mark.parametrize(
    ("rows", "pcie"),
    [
        ({f"{CONTROL}\\Power\\User\\PowerSchemes\\{BALANCED}\\{PCIE}": {"ACSettingIndex": 0}}, 0),
        (
            {
                f"{CONTROL}\\Power\\PowerSettings\\{PCIE}\\DefaultPowerSchemeValues\\{BALANCED}": {
                    "ACSettingIndex": 2
                }
            },
            2,
        ),
    ],
)
def test_a_plan_that_was_never_changed_has_its_defaults(rows: dict[str, Any], pcie: int) -> None:
    assert read_settings(windows(registry=rows)).pcie == pcie


def test_best_power_efficiency_lies_over_a_balanced_plan() -> None:
    schemes = {
        "ActivePowerScheme": BALANCED,
        "ActiveOverlayAcPowerScheme": "961cc777-2547-4f9d-8174-7d86181b8a7a",
    }
    rows = {f"{CONTROL}\\Power\\User\\PowerSchemes": schemes}
    assert read_settings(windows(registry=rows)).power_plan == "power-saver"


def test_values_of_another_type_are_not_numbers() -> None:
    rows = {f"{CONTROL}\\GraphicsDrivers": {"TdrDelay": "60", "HwSchMode": "2"}}
    found = read_settings(windows(registry=rows))
    assert (found.tdr_delay, found.scheduling) == (None, False)


def test_memory_of_windows_and_linux() -> None:
    assert read_memory(windows()) == Memory(32424, 19073, 37193, 22888)
    linux = load(BASES / "linux.json")
    assert read_memory(linux) == Memory(64251, 49603)
    strict = World({**linux.data, "files": {**linux.data["files"], "/proc/sys/vm/overcommit_memory": "2\n"}})
    assert read_memory(strict) == Memory(64251, 49603, 33099, 23438)


@pytest.mark.parametrize(
    ("path", "text", "limit"),
    [
        ("/sys/fs/cgroup/memory.max", "2147483648\n", 2048),
        ("/sys/fs/cgroup/memory.max", "max\n", None),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n", None),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n", 1024),
    ],
)
def test_the_limit_of_a_container(path: str, text: str, limit: int | None) -> None:
    linux = load(BASES / "linux.json")
    found = read_memory(World({**linux.data, "files": {**linux.data["files"], path: text}}))
    assert isinstance(found, Memory)
    assert found.limit == limit


def event(provider: str, number: int, time: str, data: str = "") -> str:
    head = f"<System><Provider Name='{provider}'/><EventID Qualifiers='49322'>{number}</EventID>"
    when = f"<TimeCreated SystemTime='{time}'/></System>"
    return f"<Event xmlns='http://x'>{head}{when}<EventData>{data}</EventData></Event>\r\n"


def logged(question: tuple[str, str], **result: Any) -> World:
    start = f"C:\\Windows\\System32\\wevtutil.exe qe {question[0]}"
    return windows(runs={key: result for key in windows().data["runs"] if key.startswith(start)})


def test_faults_of_the_graphics_driver_are_counted() -> None:
    out = event("Display", 4101, "2026-11-29T20:11:00.123Z") + event("nvlddmkm", 153, "2026-11-01T01:00:00Z")
    found = read_resets(logged(RESETS, code=0, out=out + "<Event cut off"))
    assert found == (
        Event("Display", 4101, "2026-11-29T20:11:00"),
        Event("nvlddmkm", 153, "2026-11-01T01:00:00"),
    )
    assert read_resets(windows()) == ()


def test_a_log_that_may_not_be_read_is_unknown_in_its_own_words() -> None:
    found = read_quarantined(logged(TAKEN, code=5, out="", err="Failed to read events.\nAccess is denied.\n"))
    assert isinstance(found, Unknown)
    assert found.why.params["text"] == "Failed to read events. Access is denied."


@pytest.mark.parametrize("read", [read_resets, read_quarantined])
def test_a_log_reader_that_hangs_or_is_missing(read: Any) -> None:
    assert isinstance(read(World({**windows().data, "runs": {}})), Unknown)
    with pytest.raises(HostError) as raised:
        read(Slow(windows().data))
    assert raised.value.why.code == "machine.timed-out"
    assert read(load(BASES / "linux.json")) is None


def test_only_libraries_of_frameworks_are_told() -> None:
    data = (
        "<Data Name='Path'>file:_C:\\env\\Lib\\site-packages\\nvidia\\cudnn\\bin\\cudnn64_8.dll; "
        "file:_C:\\Users\\jane\\Downloads\\game.exe; containerfile:_C:\\a\\R&amp;D\\cublas64_11.dll</Data>"
    )
    found = libraries(data)
    assert found == [
        "C:\\env\\Lib\\site-packages\\nvidia\\cudnn\\bin\\cudnn64_8.dll",
        "C:\\a\\R&D\\cublas64_11.dll",
    ]


def test_a_library_that_is_back_is_told_apart() -> None:
    path = "C:\\Windows\\System32\\nvcuda.dll"
    out = event(
        "Defender",
        1116,
        "2026-11-29T20:11:00Z",
        f"<Data Name='Path'>file:_{path}; file:_C:\\x\\cudnn64_8.dll</Data>",
    )
    found = read_quarantined(logged(TAKEN, code=0, out=out))
    assert isinstance(found, tuple)
    assert [(one.text, one.gone) for one in found] == [(path, False), ("C:\\x\\cudnn64_8.dll", True)]
