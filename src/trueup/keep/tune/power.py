"""Power plans: read from the registry, where nothing is translated; written by Windows' own `powercfg`."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

from trueup.keep.tune import knowledge
from trueup.keep.tune.model import Setting, Step
from trueup.keep.tune.words import allowed, told, value_of
from trueup.machine.inventory.settings import EFFICIENCY, POWER, SCHEMES
from trueup.setup.changes import Change
from trueup.values import Message, TrueupError, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trueup.keep.tune.model import Row, Verdict
    from trueup.keep.tune.scene import Scene
    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.changes.model import State

MAINS: Final = "ACSettingIndex"
BATTERY: Final = "DCSettingIndex"
TIMEOUT_S: Final = 30.0


def power_setting(scene: Scene, row: Row) -> Setting | None:
    """Return the plan, or one setting of the active plan on mains power; None where Windows has no such setting."""
    way = row.power or {}
    plan = scene.value(SCHEMES, "ActivePowerScheme")
    if isinstance(plan, Unknown):
        return Setting(row, "unknown", plan)
    if plan is None:
        return None
    plan = str(plan).lower()
    if way["setting"] is None:
        return _plan(scene, row, way, plan)
    return _of_plan(scene, row, way, _in_question(scene, plan))


def _in_question(scene: Scene, plan: str) -> str:
    """Return the plan that will be active: a setting of one that is left would change nothing."""
    found = power_setting(scene, knowledge.row("power-plan"))
    names = scene.asked.values
    together = not names or "power-plan" in names
    if found is None or not together or not found.changes:
        return plan
    return str(found.changes[0].after)


def _plan(scene: Scene, row: Row, way: Mapping[str, Any], plan: str) -> Setting:
    why = Message("tune.why-power-plan")
    word = scene.asked.word(row, way["goal"])
    goal = value_of(row.name, str(word), way) or way["choices"]["balanced"]
    asked = scene.asked.names(row)
    now = next((word for word, own in way["choices"].items() if own == plan), None)
    if plan == goal or (not asked and now not in way["advised_for"]):
        return Setting(row, "good", told(plan, way), why=why)
    there = scene.value(f"{SCHEMES}\\{goal}", "FriendlyName")
    if asked and there is None:
        raise TrueupError(
            Message("tune.no-such-plan", {"plan": str(word)}), Message("tune.no-such-plan-hint")
        )
    change = Change("power", {"what": "active"}, goal)
    return Setting(
        row, "advised", told(plan, way), goal=told(goal, way), word=word, why=why, changes=(change,)
    )


def _of_plan(scene: Scene, row: Row, way: Mapping[str, Any], plan: str) -> Setting | None:
    now, battery = (effective(scene, plan, way["setting"], name) for name in (MAINS, BATTERY))
    if isinstance(now, Unknown):
        return Setting(row, "unknown", now)
    if now is None:
        return None
    why = Message(f"tune.why-{row.name}")
    told_now = told(now, way)
    notes = (
        (Message("tune.on-battery", {"value": str(told(battery, way).params["value"])}),)
        if isinstance(battery, int) and battery != now
        else ()
    )
    word = scene.asked.word(row, way["goal"])
    if word is None:
        hint = Message("tune.say-which", {"name": row.name, "allowed": allowed(way)})
        return Setting(row, "wish", told_now, why=why, notes=(*notes, hint))
    goal = value_of(row.name, word, way)
    if goal is None:
        found = _default(scene, plan, way["setting"], MAINS)
        goal = found if isinstance(found, int) else now
    if goal == now:
        return Setting(row, "good", told_now, why=why, notes=notes)
    verdict: Verdict = "advised" if way["advised"] or scene.asked.names(row) else "wish"
    target = {"what": "setting", "plan": plan, "setting": way["setting"], "power": MAINS}
    change = Change("power", target, {"value": goal, "set": True})
    return Setting(
        row, verdict, told_now, goal=told(goal, way), word=word, why=why, changes=(change,), notes=notes
    )


def effective(scene: Scene, plan: str, setting: str, name: str) -> int | Unknown | None:
    """Return a setting of a plan: the user's own, else the plan's default."""
    own = scene.value(f"{SCHEMES}\\{plan}\\{setting}", name)
    found = _default(scene, plan, setting, name) if own is None else own
    return found if isinstance(found, (int, Unknown)) else None


def _default(scene: Scene, plan: str, setting: str, name: str) -> Any:
    return scene.value(f"{POWER}\\{setting}\\DefaultPowerSchemeValues\\{plan}", name)


def power_mode(scene: Scene, row: Row) -> Setting | None:
    """Tell of Windows 11's "best power efficiency", which lies over a balanced plan."""
    now = scene.value(SCHEMES, "ActiveOverlayAcPowerScheme")
    if isinstance(now, Unknown) or str(now).lower() != EFFICIENCY:
        return None
    step = Step(Message("tune.power-mode-step"), "start ms-settings:powersleep")
    return Setting(
        row, "yours", Message("tune.power-mode-saves"), why=Message("tune.why-power-mode"), steps=(step,)
    )


class PowerKind:
    """The active plan (state: its GUID), or a setting of a plan (`{"value", "set"}`).

    `set` is false where the plan's default holds because nobody chose a value.
    """

    def __init__(
        self,
        read: Callable[[str, str], Any],
        remove: Callable[[str, str], None],
        program: Sequence[str],
    ) -> None:
        """Take what reads and what removes a value of the registry, and `powercfg` with its first words."""
        self._read, self._remove, self._program = read, remove, tuple(program)

    def read(self, target: Mapping[str, str]) -> State:
        if target["what"] == "active":
            plan = self._read(SCHEMES, "ActivePowerScheme")
            return None if plan is None else str(plan).lower()
        own = self._read(_own(target), target["power"])
        if own is not None:
            return {"value": own, "set": True}
        default = f"{POWER}\\{target['setting']}\\DefaultPowerSchemeValues\\{target['plan']}"
        return {"value": self._read(default, target["power"]), "set": False}

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        del blobs
        if target["what"] == "active":
            self._call("/setactive", state)
            return
        if not isinstance(state["value"], int):
            raise OSError(f"no default of {target['setting']} is known")
        verb = "/setacvalueindex" if target["power"] == MAINS else "/setdcvalueindex"
        group, _, setting = target["setting"].partition("\\")
        self._call(verb, target["plan"], group, setting, str(state["value"]))
        if self._read(SCHEMES, "ActivePowerScheme") == target["plan"]:
            self._call("/setactive", target["plan"])  # what is set takes effect with this
        if not state["set"]:
            self._remove(_own(target), target["power"])

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Need nothing: the journal line holds the value."""

    def between(self, change: Change, present: State) -> bool:
        """Know the first of the two steps in which a default comes back: its value is set, not yet taken out."""
        return bool(
            isinstance(change.before, dict)
            and not change.before["set"]
            and present == {**change.before, "set": True}
        )

    def _call(self, *words: str) -> None:
        try:
            done = subprocess.run(
                [*self._program, *words], capture_output=True, check=False, timeout=TIMEOUT_S
            )
        except subprocess.TimeoutExpired as error:
            raise OSError(f"powercfg {words[0]}: {TIMEOUT_S} s") from error
        if done.returncode != 0:
            from trueup.machine.host.decode import decode  # noqa: PLC0415

            text = " ".join(decode(done.stderr or done.stdout).split())[:200]
            raise OSError(f"powercfg {words[0]}: {text or done.returncode}")


def _own(target: Mapping[str, str]) -> str:
    return f"{SCHEMES}\\{target['plan']}\\{target['setting']}"


if sys.platform == "win32":
    import os
    import winreg
    from contextlib import suppress

    from trueup.setup.changes.registry import RegistryKeyKind, RegistryKind

    def windows_kind() -> PowerKind:
        """Return the kind that reads the real registry and calls the real `powercfg`."""
        program = os.path.join(os.environ.get("SYSTEMROOT", "C:\\Windows"), "System32", "powercfg.exe")  # noqa: PTH118
        return PowerKind(_value, _forget, [program])

    def _value(key: str, name: str) -> Any:
        state = RegistryKind().read({"key": key, "name": name})
        return None if state is None else state.get("data")

    def _forget(key: str, name: str) -> None:
        """Take out what was set, with the keys that are empty then.

        Without an administrator Windows may refuse: then the value stays, and says what the default says.
        """
        with suppress(OSError):
            path = key.partition("\\")[2]
            access = winreg.KEY_SET_VALUE | winreg.KEY_WOW64_64KEY
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path, 0, access) as opened:
                winreg.DeleteValue(opened, name)
            for _ in range(2):
                RegistryKeyKind().write({"key": key}, None, None)  # type: ignore[arg-type]
                key = key.rpartition("\\")[0]
