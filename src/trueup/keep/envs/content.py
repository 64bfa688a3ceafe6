"""What is in an environment, with where each thing came from: what a rebuild would have to ask for."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

from packaging.utils import canonicalize_name

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Environment, Package

Origin = Literal["index", "vcs", "url", "local", "editable"]
_INFO: Final = re.compile(r".*?\.(?:dist|egg)-info(?=/|$)")
_SUBDIR: Final = re.compile(r"/(noarch|(linux|win|osx|emscripten|wasi|freebsd|zos)-\w+)/?$")
_TOKEN: Final = re.compile(r"/t/[^/]+")
_VARIANT: Final = re.compile(r"(cuda\d*|gpu|cpu|mkl|openblas)", re.IGNORECASE)
_NO_CHANNEL: Final = ("", "<unknown>", "local", "pypi")


@dataclass(frozen=True, slots=True)
class CondaRow:
    """A package of conda. `channel`: name or address, None where none can serve it; `variant` part of the build.

    `whole`: the variant is all of the build, which no solver would choose without being told.
    """

    name: str
    version: str
    channel: str | None
    variant: str | None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class PipRow:
    """A distribution that pip or uv installed. `where`: the address that it came from, if not the index."""

    name: str
    version: str
    origin: Origin
    where: str = ""

    @property
    def requirement(self) -> str:
        return (
            f"{self.name} @ {self.where}" if self.origin in ("vcs", "url") else f"{self.name}=={self.version}"
        )


@dataclass(frozen=True, slots=True)
class Content:
    """`lost`: what cannot be rebuilt, or not as it is, with the reason; `notes`: what should be known."""

    conda: tuple[CondaRow, ...]
    pip: tuple[PipRow, ...]
    lost: tuple[Message, ...]
    notes: tuple[Message, ...]


def read_content(host: Host, environment: Environment) -> Content:
    """Read the records of conda and of pip; nothing of the environment is run."""
    records, lost = conda_records(host, environment.path)
    conda = tuple(_conda_row(record) for record in records)
    for record, row in zip(records, conda, strict=True):
        if row.channel is None:
            where = _without_login(str(record.get("url") or record.get("channel") or "-"))
            lost.append(
                Message("export.lost-local-build", {"name": row.name, "version": row.version, "where": where})
            )
    pip = tuple(_pip_rows(host, environment, owners(records)))
    lost += [
        Message(f"export.lost-{row.origin}", _named(row))
        for row in pip
        if row.origin in ("local", "editable")
    ]
    lost += _linked(host, environment)
    names = {row.name: row.version for row in conda}
    notes = [
        Message("export.overrides", {"name": row.name, "version": row.version, "other": names[row.name]})
        for row in pip
        if row.name in names
    ]
    notes += [Message("export.note-vcs", _named(row)) for row in pip if row.origin == "vcs"]
    return Content(conda, pip, tuple(lost), tuple(notes))


def owners(records: list[dict[str, Any]]) -> dict[str, str]:
    """Return the place of each distribution's own folder, or file, in small letters -> conda's package that owns it."""
    found: dict[str, str] = {}
    for record in records:
        for name in record.get("files") or ():
            info = _INFO.match(str(name).replace("\\", "/"))
            if info:
                found[info[0].lower()] = str(record["name"])
    return found


def _linked(host: Host, environment: Environment) -> Iterator[Message]:
    """Yield folders that only lead elsewhere: `setup.py develop` and `conda develop` leave no record of a package."""
    join = path_of(host).join
    for place in environment.places:
        if not _is_inside(host, environment.path, place):
            continue
        for name in quiet_list(host, place):
            if name.endswith(".egg-link") or name == "conda.pth":
                for line in quiet_text(host, join(place, name)).splitlines()[
                    : 1 if name != "conda.pth" else None
                ]:
                    if path_of(host).isabs(line.strip()):
                        yield Message("export.lost-develop", {"name": name, "where": line.strip()})


def _named(row: PipRow) -> dict[str, str]:
    return {"name": row.name, "version": row.version, "where": row.where or "-"}


def conda_records(host: Host, prefix: str) -> tuple[list[dict[str, Any]], list[Message]]:
    """Return what conda wrote of each package, and what of it could not be read."""
    folder = path_of(host).join(prefix, "conda-meta")
    found: list[dict[str, Any]] = []
    lost: list[Message] = []
    for name in quiet_list(host, folder):
        if not name.endswith(".json"):
            continue
        record = _json(host, path_of(host).join(folder, name))
        if _is_record(record):
            found.append(record)
        else:
            lost.append(Message("export.lost-unread", {"path": str(path_of(host).join(folder, name))}))
    return found, lost


def _is_record(record: object) -> bool:
    """Tell whether it is what conda writes: a file that was cut off or edited may be anything."""
    if not isinstance(record, dict) or not {"name", "version"} <= record.keys():
        return False
    return isinstance(record.get("files") or [], list)


def _json(host: Host, path: str) -> Any:
    try:
        return json.loads(quiet_text(host, path) or "null")
    except ValueError:
        return None


def quiet_text(host: Host, path: str) -> str:
    """Return a file's text; none where it cannot be read."""
    try:
        return host.read_text(path) or ""
    except HostError:
        return ""


def _conda_row(record: dict[str, Any]) -> CondaRow:
    build = str(record.get("build") or record.get("build_string") or "")
    found = _VARIANT.search(build)
    channel = channel_of(str(record.get("channel") or ""), str(record.get("url") or ""))
    featured = bool(record.get("track_features") and build)  # a solver avoids such a build unless it is named
    variant = build if featured else found[1] if found else None
    return CondaRow(str(record["name"]), str(record["version"]), channel, variant, featured)


def channel_of(channel: str, url: str) -> str | None:
    """Return the channel as a file names it, without logins; None for a build of this machine's own disk."""
    told = channel if "://" in channel or channel else url.rpartition("/")[0]
    if "://" not in told:
        return None if told in _NO_CHANNEL or url.startswith("file:") else _SUBDIR.sub("", told)
    parts = urlsplit(told)
    if parts.scheme == "file" or not parts.hostname:
        return None
    path = _SUBDIR.sub("", _TOKEN.sub("", parts.path.rstrip("/"))).strip("/")
    if path.startswith("pkgs/"):
        return "defaults"
    if parts.hostname.startswith("conda.") and path and "/" not in path:
        return path
    host = parts.hostname + (f":{parts.port}" if parts.port else "")
    return f"{parts.scheme}://{host}/{path}" if path else None


def _pip_rows(host: Host, environment: Environment, owned: Mapping[str, str]) -> Iterator[PipRow]:
    for package in environment.packages:
        below = inside(host, environment.path, package)
        if below is not None and below.lower() not in owned and not _by_conda(host, environment, package):
            yield _pip_row(host, package)


def _by_conda(host: Host, environment: Environment, package: Package) -> bool:
    """Tell by the installer's own word, where conda's record lists no files."""
    if not environment.conda:
        return False
    path = path_of(host).join(package.place, package.folder or "", "INSTALLER")
    named = {canonicalize_name(one.name) for one in environment.conda}
    return quiet_text(host, path).strip() == "conda" and package.name in named


def inside(host: Host, prefix: str, package: Package) -> str | None:
    """Return the dist-info's place in the environment; None where it is the user's site, or another folder."""
    paths = path_of(host)
    if package.folder is None or not _is_inside(host, prefix, package.place):
        return None
    below = paths.normpath(package.place)[len(paths.normpath(prefix)) + 1 :].replace("\\", "/")
    return f"{below}/{package.folder}"


def _is_inside(host: Host, prefix: str, place: str) -> bool:
    paths = path_of(host)
    return bool(paths.normpath(place).lower().startswith(paths.normpath(prefix).lower() + paths.sep))


def _pip_row(host: Host, package: Package) -> PipRow:
    direct = _json(host, path_of(host).join(package.place, package.folder or "", "direct_url.json"))
    if not isinstance(direct, dict) or not direct.get("url"):
        return PipRow(package.name, package.version, "index")
    url = _without_login(str(direct["url"]))
    if direct.get("dir_info", {}).get("editable"):
        return PipRow(package.name, package.version, "editable", url)
    vcs = direct.get("vcs_info")
    if isinstance(vcs, dict) and vcs.get("vcs") and vcs.get("commit_id"):
        return PipRow(package.name, package.version, "vcs", f"{vcs['vcs']}+{url}@{vcs['commit_id']}")
    return PipRow(package.name, package.version, "local" if url.startswith("file:") else "url", url)


def _without_login(url: str) -> str:
    return re.sub(r"(?<=://)[^/@\s]+@", "", url)
