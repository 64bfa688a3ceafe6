"""Which of the user's settings of pip and uv are heeded, and which are not: to be said before anything is fetched."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from trueup.facts.harvest.client import shown
from trueup.setup import config
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Settings that change neither what is built nor where it comes from.
COSMETIC: Final = (
    "UV_NO_PROGRESS",
    "UV_COLOR",
    "UV_TOOL_",
    "UV_PREVIEW",
    "UV_NO_WRAP",
    "UV_LOG",
    "UV_PROJECT_",
)


def told(
    child: Mapping[str, str], *, mirrored: bool = False, outer: Mapping[str, str] | None = None
) -> Iterator[Message]:
    """Yield what is used of the user's own settings, and what is not. `child` is the environment of uv."""
    env = os.environ if outer is None else outer
    pip = config.pip_settings(env)
    yield from _index(child, env, mirrored=mirrored)
    python = child.get("UV_PYTHON_INSTALL_MIRROR")
    if python:
        yield Message("mirrors.own-python", {"address": shown(python)})
    if pip.proxy and child.get("ALL_PROXY") == pip.proxy:
        yield Message("mirrors.own-proxy", {"address": shown(pip.proxy)})
    for address in pip.links:
        if address not in child.get("UV_FIND_LINKS", "").split(","):
            yield Message("mirrors.not-find-links", {"address": shown(address)})
    for address in pip.extra:
        if not address.startswith(("http://", "https://")):
            yield Message("mirrors.not-extra", {"address": shown(address)})
    dropped = sorted(
        key for key in env if key.startswith("UV_") and key not in child and not key.startswith(COSMETIC)
    )
    if dropped:
        yield Message("mirrors.not-uv", {"names": ", ".join(dropped)})


def _index(child: Mapping[str, str], env: Mapping[str, str], *, mirrored: bool) -> Iterator[Message]:
    index = child.get("UV_DEFAULT_INDEX") or child.get("UV_INDEX_URL")
    if index and mirrored:
        yield Message("mirrors.mirror-over-own", {"address": shown(index)})
    elif index:
        by = "uv" if env.get("UV_DEFAULT_INDEX") or env.get("UV_INDEX_URL") else "pip"
        yield Message("mirrors.own-index", {"address": shown(index), "by": by})
    elif config.uv_files_name_index(env) and not mirrored:
        yield Message("mirrors.own-file")
