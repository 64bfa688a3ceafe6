"""What `trueup tune` finds, on machines made of data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from tuned import BALANCED, GB, MAX_CPU, REGISTRY, SAVER, Windows
from world import World, load

import trueup.report
from trueup.keep.tune import knowledge
from trueup.keep.tune.exclusion import exclusion
from trueup.keep.tune.look import look
from trueup.keep.tune.model import Asked, Setting
from trueup.keep.tune.windows import with_preference
from trueup.machine.host import HostError
from trueup.machine.inventory.settings import SCHEMES
from trueup.report.say import catalog, say
from trueup.report.tune import as_data, as_text, lore_text
from trueup.values import Message, TrueupError, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.machine.host import Host, RegistryValue

SCHEMAS = Path(trueup.report.__file__).parent / "schemas"
BASES = Path(__file__).parent.parent / "check" / "bases"
GRAPHICS = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers"


def found(host: Host, name: str, value: str | None = None, env: str | None = None) -> Setting:
    asked = Asked({name: value}, env) if value or env else Asked()
    return next(one for one in look(host, asked) if one.name == name)


def verdicts(host: Host) -> dict[str, str]:
    return {one.name: one.verdict for one in look(host)}


def test_an_ordinary_windows_needs_long_paths_only() -> None:
    said = verdicts(Windows())
    assert [name for name, verdict in said.items() if verdict == "advised"] == ["long-paths"]
    assert said["tdr-level"] == said["power-plan"] == said["cpu-max"] == said["page-file"] == "good"
    assert said["tdr-delay"] == said["fast-startup"] == said["pcie-power"] == said["cuda-cache"] == "wish"


def test_a_wish_changes_nothing_unless_it_is_named() -> None:
    assert found(Windows(), "tdr-delay").verdict == "wish"
    named = found(Windows(), "tdr-delay", "30")
    assert named.verdict == "advised"
    written = [(one.target["name"], one.after) for one in named.changes if one.kind == "registry"]
    assert written == [(name, {"type": "REG_DWORD", "data": 30}) for name in ("TdrDelay", "TdrDdiDelay")]


def test_detection_that_was_switched_off_goes_back_to_absent() -> None:
    world = Windows({**REGISTRY, GRAPHICS: {"TdrLevel": ("REG_DWORD", 0)}})
    setting = found(world, "tdr-level")
    assert setting.verdict == "advised"
    assert [(one.kind, one.after) for one in setting.changes] == [("registry", None)]


def test_a_text_where_a_number_belongs_does_not_count() -> None:
    key = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\FileSystem"
    assert (
        found(Windows({**REGISTRY, key: {"LongPathsEnabled": ("REG_SZ", "1")}}), "long-paths").verdict
        == "advised"
    )
    assert (
        found(Windows({**REGISTRY, key: {"longpathsenabled": ("REG_DWORD", 1)}}), "long-paths").verdict
        == "good"
    )


def test_a_saving_plan_and_a_held_back_processor_are_told() -> None:
    own = f"{SCHEMES}\\{SAVER}\\{MAX_CPU}"
    registry = {**REGISTRY, SCHEMES: {"ActivePowerScheme": ("REG_SZ", SAVER)}, own: {"ACSettingIndex": ("REG_DWORD", 60)}}  # fmt: skip
    world = Windows(registry)
    assert found(world, "power-plan").changes[0].after == BALANCED
    assert found(world, "cpu-max").verdict == "good"  # that of the plan that is advised
    [setting] = look(world, Asked({"cpu-max": None}))
    assert setting.verdict == "advised"
    assert setting.changes[0].target["plan"] == SAVER
    assert setting.changes[0].after == {"value": 100, "set": True}


def test_a_custom_plan_is_left_alone() -> None:
    world = Windows({**REGISTRY, SCHEMES: {"ActivePowerScheme": ("REG_SZ", "11111111-aaaa-bbbb-cccc-0123456789ab")}})  # fmt: skip
    assert found(world, "power-plan").verdict == "good"
    assert "cpu-max" not in verdicts(world)  # no value of it is known there: nothing is said


def test_a_plan_that_the_laptop_lacks_is_refused_with_a_way_out() -> None:
    with pytest.raises(TrueupError) as error:
        found(Windows(), "power-plan", "ultimate-performance")
    assert error.value.message.code == "tune.no-such-plan"
    assert "powercfg /list" in say(error.value.hint or Message("x.y"), "en")


class Closed(Windows):
    def registry_values(self, key: str) -> Mapping[str, RegistryValue] | None:
        raise HostError(Message("machine.unreadable", {"path": key, "text": "Access is denied"}))


def test_a_closed_registry_is_unknown_and_never_off() -> None:
    settings = look(Closed())
    read = {one.name: one.verdict for one in settings if one.row.registry or one.row.power}
    assert set(read.values()) == {"unknown"}
    assert all(isinstance(one.now, Unknown) and not one.can_apply for one in settings if one.name in read)
    assert "Access is denied" in as_text(settings, "en")


@pytest.mark.parametrize(
    ("name", "value"),
    [("tdr-delay", "1"), ("tdr-delay", "1000000"), ("tdr-delay", "٣"), ("long-paths", "yes"), ("cuda-cache", "5GB"),
     ("cpu-min", "101"), ("pcie-power", "2"), ("wsl-memory", "0"), ("gpu-preference", "fast")],
)  # fmt: skip
def test_a_bad_value_is_refused_with_what_is_allowed(name: str, value: str) -> None:
    files = {"C:\\e\\Scripts\\python.exe": ""}
    world = Windows({**REGISTRY, **DISTRO}, files=files)
    with pytest.raises(TrueupError) as error:
        found(world, name, value, env="C:\\e")
    assert value in say(error.value.message, "en")
    assert name in say(error.value.hint or Message("x.y"), "zh_CN")


DISTRO = {
    "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Lxss\\{1}": {
        "DistributionName": ("REG_SZ", "Ubuntu")
    }
}


def test_an_unknown_name_and_one_of_another_system() -> None:
    with pytest.raises(TrueupError) as error:
        look(Windows(), Asked({"long-path": None}))
    assert "long-paths" in say(error.value.hint or Message("x.y"), "en")
    with pytest.raises(TrueupError) as other:
        look(Windows(), Asked({"persistence": None}))
    assert other.value.message.code == "tune.other-system"


def test_the_page_file_is_advice_only() -> None:
    none = {
        **REGISTRY,
        "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management": {
            "PagingFiles": ("REG_MULTI_SZ", [])
        },
    }
    setting = found(Windows(none), "page-file")
    assert (setting.verdict, setting.can_apply) == ("yours", False)
    assert setting.steps[0].command == "SystemPropertiesPerformance.exe"
    little = {"total": 8 * GB, "available": GB, "commit_limit": 9 * GB, "commit_free": GB}
    assert found(Windows(memory=little), "page-file").verdict == "yours"


EVENT = (
    "<Event><System><Provider Name='D'/><EventID>1117</EventID><TimeCreated SystemTime='2026-11-01T00:00:00'/>"
    "</System><EventData><Data Name='Path'>file:_C:\\env\\cudnn64_8.dll</Data></EventData></Event>"
)


def test_a_library_in_quarantine_comes_back_by_the_users_hand() -> None:
    class Taken(Windows):
        def run(self, argv: Any, timeout: float) -> Any:
            from trueup.machine.host import RunResult

            log = "Defender" in " ".join(argv)
            return RunResult(0, EVENT if log else "") if "wevtutil" in argv[0] else super().run(argv, timeout)

    setting = found(Taken(), "defender")
    assert setting.verdict == "yours"
    commands = [step.command or "" for step in setting.steps]
    assert any('-Restore -FilePath "C:\\env\\cudnn64_8.dll"' in command for command in commands)
    assert any(command.endswith("-Restore -ListAll") for command in commands)


ENV = "D:\\工程\\.venv"


@pytest.mark.parametrize(
    "folder",
    ["C:\\", "D:\\", "C:\\Users\\me", "C:\\Users", "c:/users/ME/", "C:\\Users\\me\\Downloads", "C:\\Users\\me\\AppData",
     "C:\\Users\\me\\AppData\\Local\\Temp", "C:\\Windows", "\\\\server\\share", "C:\\Users\\me\\x\\.."],
)  # fmt: skip
def test_what_others_write_to_is_never_taken_out_of_the_scans(folder: str) -> None:
    with pytest.raises(TrueupError) as error:
        exclusion(Windows(), folder)
    assert error.value.message.code == "tune.exclude-too-wide"


def test_one_environment_is_taken_out_by_the_users_hand() -> None:
    host = Windows(files={f"{ENV}\\pyvenv.cfg": "", "D:\\O'Neil\\e\\pyvenv.cfg": "", "D:\\data\\x.txt": ""})
    lines = [line for _, line in exclusion(host, ENV) if line]
    assert lines == [f"Add-MpPreference -ExclusionPath '{ENV}'", f"Remove-MpPreference -ExclusionPath '{ENV}'"]  # fmt: skip
    assert "'D:\\O''Neil\\e'" in (exclusion(host, "D:\\O'Neil\\e")[1][1] or "")
    with pytest.raises(TrueupError):
        exclusion(host, "D:\\data")


def test_the_card_of_a_program_keeps_what_else_is_chosen_there() -> None:
    assert with_preference("AutoHDREnable=1;GpuPreference=1;", "2") == "AutoHDREnable=1;GpuPreference=2;"
    assert with_preference("GpuPreference=2;", None) == ""
    files = {f"{ENV}\\Scripts\\python.exe": "", f"{ENV}\\pyvenv.cfg": "home = C:\\Py310\n"}
    setting = found(Windows(files=files), "gpu-preference", "high-performance", env=ENV)
    values = {one.target["name"]: one.after["data"] for one in setting.changes if one.kind == "registry"}
    assert values == {
        f"{ENV}\\Scripts\\python.exe": "GpuPreference=2;",
        "C:\\Py310\\python.exe": "GpuPreference=2;",
    }


@pytest.mark.parametrize("base", ["linux", "linux-tf219", "wsl", "windows", "windows-tf210"])
def test_every_base_machine_is_told_in_both_languages(base: str) -> None:
    settings = look(load(BASES / f"{base}.json"))
    assert settings
    for lang in ("en", "zh_CN"):
        text = as_text(settings, lang, detail=True)
        assert all(one.name in text for one in settings)
    document = json.loads(json.dumps(as_data(settings, knowledge.lore(), "en")))
    jsonschema.validate(document, json.loads((SCHEMAS / "tune-1.json").read_text("utf-8")))


def test_linux_says_commands_and_changes_nothing() -> None:
    data = {
        "platform": "linux", "env": {}, "system": {"machine": "x86_64", "release": "6.1"}, "disk": 64 << 20,
        "files": {
            "/proc/sys/kernel/osrelease": "6.1.0", "/dev/shm/x": "", "/.dockerenv": "",  # noqa: S108
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver": "acpi-cpufreq\n",
            "/sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n",
            "/sys/bus/pci/devices/0000:01:00.0/numa_node": "-1\n",
            "/proc/self/limits": "Max open files            1024                 4096                 files\n",
        },
        "runs": {"nvidia-smi --query-gpu=persistence_mode --format=csv,noheader": {"code": 0, "out": "Disabled\nEnabled\n"}},
    }  # fmt: skip
    settings = {one.name: one for one in look(World(data))}
    assert not any(one.can_apply for one in settings.values())
    assert {name for name, one in settings.items() if one.verdict == "yours"} == {"persistence", "cpu-governor", "shared-memory"}  # fmt: skip
    assert settings["shared-memory"].steps[0].command == "docker run --shm-size=8g …"
    assert settings["numa"].verdict == "good"
    assert all(step.admin for step in settings["persistence"].steps)


def test_powersave_of_a_driver_that_follows_the_load_is_fine() -> None:
    base = "/sys/devices/system/cpu/cpu0/cpufreq"
    files = {f"{base}/scaling_governor": "powersave", f"{base}/scaling_driver": "intel_pstate"}
    data = {"platform": "linux", "env": {}, "system": {"machine": "x86_64", "release": "6.1"}, "files": files}
    assert found(World(data), "cpu-governor").verdict == "good"


def test_every_row_has_words_and_every_claim_its_truth() -> None:
    words = catalog("en", "tune")
    for row in knowledge.rows():
        assert f"why-{row.name}" in words
        assert row.effect != "measured" or row.sources
        assert all(source.date == "2026-11-30" for source in row.sources)
    assert "TF_FORCE_GPU_ALLOW_GROWTH" in lore_text(knowledge.lore(), "zh_CN")
    assert all(one.sources for one in knowledge.lore() if one.verdict in ("false", "harmful"))
