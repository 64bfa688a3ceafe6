"""Takes one folder out of Defender's scans, as commands: trueup weakens no scanner by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trueup.machine.host import HostError, path_of
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.machine.host import Host

ENVIRONMENT: Final = ("pyvenv.cfg", "conda-meta")
SHARED: Final = ("TEMP", "TMP", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA", "SYSTEMROOT", "USERPROFILE")  # fmt: skip
HOMES: Final = ("Downloads", "Desktop", "Documents")


def exclusion(host: Host, folder: str) -> tuple[tuple[Message, str | None], ...]:
    """Return the steps. Raises TrueupError for a folder that others also write to, or that is no environment."""
    if host.platform != "windows":
        raise TrueupError(Message("tune.exclude-elsewhere"), Message("tune.exclude-elsewhere-hint"))
    path = path_of(host)
    place = path.normpath(path.abspath(folder) if not path.isabs(folder) else folder)
    if too_wide(host, place):
        raise TrueupError(Message("tune.exclude-too-wide", {"path": place}), Message("tune.exclude-hint"))
    try:
        names = host.list_dir(place) or ()
    except HostError:
        names = ()
    if not any(name in names for name in ENVIRONMENT):
        raise TrueupError(Message("tune.exclude-no-env", {"path": place}), Message("tune.exclude-hint"))
    quoted = place.replace("'", "''")
    return (
        (Message("tune.exclude-risk", {"path": place}), None),
        (Message("tune.exclude-step"), f"Add-MpPreference -ExclusionPath '{quoted}'"),
        (Message("tune.exclude-back"), f"Remove-MpPreference -ExclusionPath '{quoted}'"),
    )


def too_wide(host: Host, place: str) -> bool:
    """Tell whether downloads or other programs' files would go unscanned: a drive, a home, what holds one of them."""
    path = path_of(host)
    home = host.env.get("USERPROFILE", "")
    named = [host.env[name] for name in SHARED if host.env.get(name)]
    named += [path.join(home, name) for name in HOMES if home]
    own = path.normcase(place).rstrip("\\") + "\\"
    return path.dirname(place) == place or any(
        (path.normcase(path.normpath(other)).rstrip("\\") + "\\").startswith(own) for other in named
    )
