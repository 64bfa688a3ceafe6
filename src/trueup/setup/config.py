"""The user's settings for uv and pip: which index, which proxy, which certificates. Read, never written."""

from __future__ import annotations

import configparser
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.setup.toml import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# What a user's uv settings may decide for us. Others, such as UV_CONSTRAINT or UV_TARGET, are meant for
# the user's own projects and would change what is built.
KEPT: Final = frozenset(
    {
        "UV_CACHE_DIR", "UV_CONFIG_FILE", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS",
        "UV_HTTP_CONNECT_TIMEOUT", "UV_HTTP_RETRIES", "UV_HTTP_TIMEOUT", "UV_INDEX", "UV_INDEX_STRATEGY",
        "UV_INDEX_URL", "UV_INSECURE_HOST", "UV_KEYRING_PROVIDER", "UV_LINK_MODE", "UV_NATIVE_TLS",
        "UV_NO_CONFIG", "UV_OFFLINE", "UV_PYTHON_DOWNLOADS", "UV_PYTHON_DOWNLOADS_JSON_URL",
        "UV_PYTHON_INSTALL_DIR", "UV_PYTHON_INSTALL_MIRROR", "UV_PYPY_INSTALL_MIRROR", "UV_REQUEST_TIMEOUT",
        "UV_SYSTEM_CERTS",
    }
)  # fmt: skip
KEPT_PREFIXES: Final = ("UV_INDEX_", "UV_CONCURRENT_")
# A Python that is started by uv must be the one that was asked for and nothing else.
DROPPED: Final = frozenset({"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "CONDA_PREFIX"})
UV_INDEX_KEYS: Final = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS")


@dataclass(frozen=True, slots=True)
class PipSettings:
    """What pip would use. Addresses as written."""

    index: str | None = None
    extra: tuple[str, ...] = ()
    proxy: str | None = None
    cert: str | None = None
    trusted: tuple[str, ...] = ()
    links: tuple[str, ...] = ()


def child_environment(
    env: Mapping[str, str], pip: PipSettings, *, uv_has_index: bool, windows: bool = sys.platform == "win32"
) -> dict[str, str]:
    """Return the environment of uv: the user's own settings, pip's where uv has none, and no more."""
    child = {key: value for key, value in env.items() if _keep(key.upper() if windows else key)}
    if not uv_has_index and not any(child.get(key) for key in UV_INDEX_KEYS):
        child.update(_index(pip))
    if pip.proxy and not any(key.upper() in {"HTTPS_PROXY", "ALL_PROXY"} for key in child):
        child["ALL_PROXY"] = pip.proxy
    if pip.cert and "SSL_CERT_FILE" not in child:
        child["SSL_CERT_FILE"] = pip.cert
    if pip.trusted and "UV_INSECURE_HOST" not in child:
        child["UV_INSECURE_HOST"] = " ".join(pip.trusted)
    return child


def _keep(key: str) -> bool:
    if key in DROPPED:
        return False
    return not key.startswith("UV_") or key in KEPT or key.startswith(KEPT_PREFIXES)


def _index(pip: PipSettings) -> dict[str, str]:
    found = {"UV_DEFAULT_INDEX": pip.index} if pip.index else {}
    # A lock names addresses that other machines must reach: folders of this one stay out of it.
    extra = [address for address in pip.extra if address.startswith(("http://", "https://"))]
    links = [address for address in pip.links if address.startswith(("http://", "https://"))]
    if links:
        found["UV_FIND_LINKS"] = ",".join(links)
    if extra:
        found |= {"UV_INDEX": " ".join(extra), "UV_INDEX_STRATEGY": "unsafe-best-match"}  # as pip does
    return found


def pip_settings(env: Mapping[str, str]) -> PipSettings:
    """Read pip's files, then its variables, in pip's own order: the later wins."""
    values: dict[str, str] = {}
    for path in _pip_files(env):
        values |= _section_values(path)
    values |= {key[4:].lower().replace("_", "-"): text for key, text in env.items() if key.startswith("PIP_")}
    return PipSettings(
        index=values.get("index-url") or None,
        extra=tuple(values.get("extra-index-url", "").split()),
        proxy=values.get("proxy") or None,
        cert=values.get("cert") or None,
        trusted=tuple(values.get("trusted-host", "").split()),
        links=tuple(values.get("find-links", "").split()),
    )


def _section_values(path: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError, configparser.Error):
        return {}
    sections = [parser[name] for name in ("global", "install") if parser.has_section(name)]
    return {key: text for section in sections for key, text in section.items()}


def _pip_files(env: Mapping[str, str]) -> Iterable[Path]:
    chosen = env.get("PIP_CONFIG_FILE")
    if chosen == os.devnull:
        return
    home = Path.home()
    if sys.platform == "win32":
        yield Path(env.get("PROGRAMDATA", "C:/ProgramData"), "pip", "pip.ini")
        yield home / "pip" / "pip.ini"
        yield Path(env.get("APPDATA", home), "pip", "pip.ini")
    else:
        for folder in env.get("XDG_CONFIG_DIRS", "/etc/xdg").split(":"):
            yield Path(folder, "pip", "pip.conf")
        yield Path("/etc/pip.conf")
        yield home / ".pip" / "pip.conf"
        yield home / "Library" / "Application Support" / "pip" / "pip.conf"  # macOS
        yield Path(env.get("XDG_CONFIG_HOME", home / ".config"), "pip", "pip.conf")
    yield Path(sys.prefix, "pip.ini" if sys.platform == "win32" else "pip.conf")
    if chosen:
        yield Path(chosen)


def uv_files_name_index(env: Mapping[str, str]) -> bool:
    """Tell whether the user's or the system's uv.toml sets an index."""
    return any(_names_index(path) for path in _uv_files(env))


def _uv_files(env: Mapping[str, str]) -> Iterable[Path]:
    if env.get("UV_NO_CONFIG"):
        return
    if env.get("UV_CONFIG_FILE"):
        yield Path(env["UV_CONFIG_FILE"])
        return
    home = Path.home()
    if sys.platform == "win32":
        yield Path(env.get("PROGRAMDATA", "C:/ProgramData"), "uv", "uv.toml")
        yield Path(env.get("APPDATA", home), "uv", "uv.toml")
    else:
        yield Path("/etc/uv/uv.toml")
        yield Path(env.get("XDG_CONFIG_HOME", home / ".config"), "uv", "uv.toml")


def _names_index(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        settings = loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    tables = (settings, settings.get("pip", {}))
    return any(
        table.get(key) for table in tables for key in ("index", "index-url", "extra-index-url", "find-links")
    )
