"""The login for a file's host: of the user's own index there, or of `.netrc`."""

from __future__ import annotations

import netrc
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS: Final = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL")


def login_for(address: str, env: Mapping[str, str]) -> str | None:
    """Return an address of that host with the login in it, None where there is no login."""
    host = urlsplit(address).netloc.rpartition("@")[2]
    for index in (text for key in SETTINGS for text in env.get(key, "").split()):
        parts = urlsplit(index.partition("=")[2] if "=" in index.partition("://")[0] else index)
        if parts.username and parts.netloc.rpartition("@")[2] == host:
            return index
    return _netrc(host, env)


def _netrc(host: str, env: Mapping[str, str]) -> str | None:
    try:
        found = netrc.netrc(env.get("NETRC")).authenticators(host.partition(":")[0])
    except (OSError, netrc.NetrcParseError):
        return None
    if found is None:
        return None
    return f"https://{quote(found[0], safe='')}:{quote(found[2] or '', safe='')}@{host}"
