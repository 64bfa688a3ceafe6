"""`.wslconfig`: what WSL2's virtual machine may use. Merged line by line: comments and unknown keys stay."""

from __future__ import annotations

import re
import stat
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.keep.tune.model import Edit, Setting, Step
from trueup.keep.tune.words import DEFAULT, bytes_of
from trueup.machine.host import HostError, path_of
from trueup.machine.inventory.memory import read_memory
from trueup.machine.wsl import DISTROS
from trueup.setup.changes.files import file_change
from trueup.values import Message, TrueupError, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.keep.tune.model import Row
    from trueup.keep.tune.scene import Scene
    from trueup.setup.changes import Change
    from trueup.setup.changes.blobs import Blobs

SECTION: Final = "wsl2"
CMD: Final = "/mnt/c/Windows/System32/cmd.exe"
LEAST: Final = 1 << 30
_SECTION = re.compile(r"\s*\[([^]]*)\]")
_KEY = re.compile(r"\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$")


def wsl_setting(scene: Scene, row: Row) -> Setting | None:
    """Return memory or swap of WSL2; None where there is no WSL2."""
    if scene.os == "windows" and not scene.host.registry_keys(DISTROS):
        return None
    key = row.name.removeprefix("wsl-")
    why = Message(f"tune.why-{row.name}")
    path = config_path(scene)
    if isinstance(path, Unknown):
        return Setting(row, "unknown", path)
    text = scene.text(path)
    if isinstance(text, Unknown):
        return Setting(row, "unknown", text)
    found = value(text or "", SECTION, key)
    now = Message("tune.value", {"value": found}) if found else Message(f"tune.{row.name}-default")
    word = scene.asked.word(row, None)
    if word is None:
        hint = Message("tune.say-which", {"name": row.name, "allowed": f"8GB, 50%, {DEFAULT}"})
        return Setting(row, "wish", now, why=why, notes=(hint,))
    goal = None if word == DEFAULT else checked(scene, row, word)
    if goal == found:
        return Setting(row, "good", now, why=why)
    shown = Message("tune.value", {"value": goal}) if goal else Message(f"tune.{row.name}-default")
    return Setting(
        row,
        "advised",
        now,
        goal=shown,
        word=word,
        why=why,
        edits=(Edit(path, SECTION, key, goal),),
        steps=(Step(Message("tune.wsl-shutdown"), "wsl --shutdown"),),
    )


def checked(scene: Scene, row: Row, word: str) -> str:
    """Return the size as WSL takes it: whole MB or GB. Refuse what would leave Windows or Linux without memory."""
    size, total = bytes_of(word), _total(scene)
    if word.endswith("%") and word[:-1].isdigit() and total:
        size = total * int(word[:-1]) // 100
    refused = Message("tune.bad-value", {"name": row.name, "value": word})
    if size is None or (size == 0 and row.name == "wsl-memory"):
        raise TrueupError(
            refused, Message("tune.bad-value-hint", {"name": row.name, "allowed": f"8GB, 50%, {DEFAULT}"})
        )
    if row.name == "wsl-memory" and (size < LEAST or (total and size > total - LEAST)):
        limit = f"{(total - LEAST) >> 30}GB" if total else "-"
        raise TrueupError(refused, Message("tune.wsl-memory-limits", {"most": limit}))
    mib = size >> 20
    return f"{mib >> 10}GB" if mib % 1024 == 0 else f"{mib}MB"


def _total(scene: Scene) -> int | None:
    """Return the memory of Windows; from inside WSL only its own share is seen."""
    if scene.os != "windows":
        return None
    try:
        found = read_memory(scene.host)
    except HostError:
        return None
    return None if isinstance(found, Unknown) else found.total << 20


def config_path(scene: Scene) -> str | Unknown:
    """Return where the file lies, seen from this side."""
    if scene.os == "windows":
        home = scene.host.env.get("USERPROFILE")
        return path_of(scene.host).join(home, ".wslconfig") if home else _no_profile()
    said = scene.run(CMD, "/u", "/d", "/c", "echo %USERPROFILE%")
    found = re.fullmatch(r"([A-Za-z]):\\(.+)", said) if isinstance(said, str) else None
    if found is None or "\\x" in found[2]:
        return said if isinstance(said, Unknown) else _no_profile()
    return f"/mnt/{found[1].lower()}/{found[2]}/.wslconfig".replace("\\", "/")


def _no_profile() -> Unknown:
    return Unknown(Message("tune.no-windows-profile"))


def value(text: str, section: str, key: str) -> str | None:
    """Return the value that counts: the last one of the section."""
    found = None
    for at, name, own in _keys(text.splitlines()):
        if (at, name) == (section.lower(), key.lower()):
            found = own
    return found or None


def _keys(lines: Iterable[str]) -> Iterable[tuple[str, str, str]]:
    current = ""
    for line in lines:
        if head := _SECTION.match(line):
            current = head[1].strip().lower()
            yield current, "", ""
        elif pair := _KEY.match(line):
            yield current, pair[1].lower(), pair[2]
        else:
            yield current, "", ""


def merged(text: str, edit: Edit) -> str:
    """Return the text with one key changed, added or taken out; every other line stays as it is."""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    rows = list(_keys(lines))
    wanted = (edit.section.lower(), edit.key.lower())
    places = [number for number, (at, name, _) in enumerate(rows) if (at, name) == wanted]
    if places:
        if edit.value is None:
            return "".join(line for number, line in enumerate(lines) if number not in places)
        last = places[-1]
        ending = lines[last][len(lines[last].rstrip("\r\n")) :]
        lines[last] = f"{edit.key}={edit.value}{ending}"
        return "".join(lines)
    if edit.value is None:
        return text
    return _added(lines, rows, edit, end)


def _added(lines: list[str], rows: list[tuple[str, str, str]], edit: Edit, end: str) -> str:
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += end
    inside = [number for number, (at, _, _) in enumerate(rows) if at == edit.section.lower()]
    fresh = f"{edit.key}={edit.value}{end}"
    if not inside:
        return "".join([*lines, f"[{edit.section}]{end}", fresh])
    last = next((n for n in reversed(inside) if lines[n].strip()), inside[0])
    return "".join([*lines[: last + 1], fresh, *lines[last + 1 :]])


def file_changes(edits: Iterable[Edit], blobs: Blobs) -> tuple[Change, ...]:
    """Return one change a file. Raises TrueupError where a file is no text that can be kept to the byte."""
    texts: dict[str, str] = {}
    for edit in edits:
        texts[edit.path] = merged(texts.get(edit.path, _read(edit.path)), edit)
    return tuple(_change(Path(path), text.encode("utf-8"), blobs) for path, text in texts.items())


def _change(path: Path, data: bytes, blobs: Blobs) -> Change:
    """Give a new file the mode of its neighbours: Windows' drives, seen from WSL, know one mode for all."""
    change = file_change(path, data, blobs)
    if path.exists() or not path.parent.is_dir():
        return change
    for other in sorted(path.parent.iterdir()):
        mode = _writable(other)
        if mode is not None:
            return replace(change, after={**change.after, "mode": mode})
    return change


def _writable(path: Path) -> int | None:
    try:
        found = path.stat().st_mode
    except OSError:  # some of a user's folder in Windows are open to nobody
        return None
    mode = stat.S_IMODE(found) & (0o666 if sys.platform == "win32" else 0o777)
    return mode if stat.S_ISREG(found) and mode & stat.S_IWUSR else None


def _read(path: str) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (UnicodeDecodeError, OSError) as error:
        raise TrueupError(
            Message("tune.file-unreadable", {"path": path, "text": str(error)}),
            Message("tune.file-unreadable-hint", {"path": path}),
        ) from error
