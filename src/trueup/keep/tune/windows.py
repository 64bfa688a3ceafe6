"""Settings of Windows that need more than one value to judge: page file, Defender, the card of a program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trueup.keep.tune.model import Setting, Step
from trueup.keep.tune.words import DEFAULT
from trueup.machine.host import HostError, path_of
from trueup.machine.inventory.events import read_quarantined
from trueup.machine.inventory.memory import read_memory
from trueup.machine.inventory.settings import MEMORY, page_file
from trueup.setup.changes.registry import registry_changes
from trueup.values import Message, TrueupError, Unknown

if TYPE_CHECKING:
    from trueup.keep.tune.model import Row
    from trueup.keep.tune.scene import Scene

NEED: Final = 3990  # MiB that the libraries of TensorFlow 2.10 with CUDA alone ask the system to promise
PREFERENCES: Final = "HKCU\\Software\\Microsoft\\DirectX\\UserGpuPreferences"
CARDS: Final = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}"
CHOICES: Final = {"high-performance": "2", "power-saving": "1"}
_PREFERENCE = re.compile(r"GpuPreference=(\d+);?")
_SCANNER = "%ProgramFiles%\\Windows Defender\\MpCmdRun.exe"


def page_file_setting(scene: Scene, row: Row) -> Setting | None:
    """Advise, and change nothing: a page file of the wrong size stops other programs."""
    raw = scene.value(MEMORY, "PagingFiles")
    if raw is None:
        return None
    if isinstance(raw, Unknown):
        return Setting(row, "unknown", raw)
    found = page_file(raw)
    why = Message("tune.why-page-file", {"need": f"{NEED / 1024:.1f}"})
    now = (
        Message("tune.value", {"value": found})
        if found not in ("automatic", "none")
        else Message(f"tune.page-file-{found}")
    )
    try:
        memory = read_memory(scene.host)
    except HostError as error:
        memory = Unknown(error.why)
    notes: tuple[Message, ...] = ()
    little = False
    if not isinstance(memory, Unknown) and memory.commit_limit is not None and memory.commit_free is not None:
        sizes = {"limit": f"{memory.commit_limit / 1024:.1f}", "free": f"{memory.commit_free / 1024:.1f}"}
        notes = (Message("tune.commit", sizes),)
        little = memory.commit_free < NEED
    if found == "automatic" and not little:
        return Setting(row, "good", now, why=why, notes=notes)
    text = "tune.page-file-room" if found == "automatic" else "tune.page-file-step"
    steps = (Step(Message(text), "SystemPropertiesPerformance.exe", admin=True),)
    return Setting(row, "yours", now, Message("tune.page-file-automatic"), why=why, steps=steps, notes=notes)


def defender_setting(scene: Scene, row: Row) -> Setting | None:
    """Tell how a library that Defender took away comes back; whether it is harmless only the user can judge."""
    try:
        found = read_quarantined(scene.host)
    except HostError as error:
        found = Unknown(error.why)
    why = Message("tune.why-defender")
    if isinstance(found, Unknown):
        return Setting(row, "unknown", found, why=why)
    gone = [event for event in found or () if event.gone]
    if not gone:
        return Setting(row, "good", Message("tune.defender-took-nothing"), why=why)
    steps = [
        Step(Message("tune.defender-list"), f'"{_SCANNER}" -Restore -ListAll', admin=True),
        *(
            Step(
                Message("tune.defender-restore"),
                f'"{_SCANNER}" -Restore -FilePath "{event.text}"',
                admin=True,
            )
            for event in gone
        ),
        Step(Message("tune.defender-exclude"), "trueup tune --exclude-folder ENV"),
    ]
    now = Message("tune.defender-took", {"paths": ", ".join(event.text for event in gone)})
    return Setting(row, "yours", now, why=why, steps=tuple(steps))


def gpu_preference(scene: Scene, row: Row) -> Setting | None:
    """Choose the card of an environment's Python: DirectML heeds it, CUDA does not."""
    asked = scene.asked.names(row)
    if not asked and not _two_makers(scene):
        return None
    why = Message("tune.why-gpu-preference")
    env = scene.asked.env
    if env is None:
        hint = Message("tune.gpu-preference-env")
        return Setting(row, "wish", Message("tune.by-program"), why=why, notes=(hint,))
    programs = pythons_of(scene, env)
    word = scene.asked.word(row, "high-performance") or ""
    if word not in (*CHOICES, DEFAULT):
        raise TrueupError(
            Message("tune.bad-value", {"name": row.name, "value": word}),
            Message("tune.bad-value-hint", {"name": row.name, "allowed": ", ".join([*CHOICES, DEFAULT])}),
        )
    found = [str(scene.value(PREFERENCES, program) or "") for program in programs]
    goals = [with_preference(text, CHOICES.get(word)) for text in found]
    shown = {text for text in found if text}
    now = Message("tune.value", {"value": " | ".join(sorted(shown))}) if shown else Message("tune.not-set")
    if found == goals:
        return Setting(row, "good", now, why=why)
    changes = tuple(
        change
        for program, goal in zip(programs, goals, strict=True)
        for change in registry_changes(PREFERENCES, program, "REG_SZ" if goal else None, goal or None)
    )
    goal = Message("tune.value", {"value": word})
    return Setting(row, "advised" if asked else "wish", now, goal=goal, word=word, why=why, changes=changes)


def with_preference(text: str, choice: str | None) -> str:
    """Return the value with this choice; what else it holds, such as AutoHDR, stays."""
    rest = _PREFERENCE.sub("", text)
    return rest if choice is None else f"{rest}GpuPreference={choice};"


def pythons_of(scene: Scene, env: str) -> tuple[str, ...]:
    """Return the programs that run: the launcher of a venv starts the Python that it was made from."""
    path = path_of(scene.host)
    folder = path.abspath(env) if scene.host.platform == "windows" and not path.isabs(env) else env
    places = (path.join(folder, "Scripts", "python.exe"), path.join(folder, "python.exe"))
    found = next((place for place in places if _there(scene, place)), None)
    if found is None:
        raise TrueupError(Message("tune.no-environment", {"path": env}), Message("tune.no-environment-hint"))
    config = scene.text(path.join(folder, "pyvenv.cfg"))
    home = re.search(r"^home\s*=\s*(.+)$", config, re.MULTILINE) if isinstance(config, str) else None
    return (found, path.join(home[1].strip(), "python.exe")) if home else (found,)


def _there(scene: Scene, place: str) -> bool:
    try:
        return scene.host.size(place) is not None
    except HostError:
        return False


def _two_makers(scene: Scene) -> bool:
    """Tell whether cards of two makers drive this machine, as in laptops."""
    try:
        names = scene.host.registry_keys(CARDS) or ()
    except HostError:
        return False
    makers = {scene.value(f"{CARDS}\\{name}", "ProviderName") for name in names if name.isdigit()}
    return len({str(maker) for maker in makers if isinstance(maker, str) and maker != "Microsoft"}) > 1
