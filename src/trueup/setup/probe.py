"""One look at an index that lists nothing: is it an index at all, or a login page in front of one."""

from __future__ import annotations

import re
import urllib.request
from typing import TYPE_CHECKING, Final

from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMEOUT_S: Final = 10
READ_BYTES: Final = 1 << 20
FILE: Final = re.compile(r"\.(?:whl|tar\.gz|zip|egg|tar\.bz2)\b")


def lists_no_file(env: Mapping[str, str], package: str) -> bool:
    """Tell whether the user's own index answers for a package with a page that names no file.

    False where it cannot be known: no index of the user's own, or no answer.
    """
    index = env.get("UV_DEFAULT_INDEX") or env.get("UV_INDEX_URL")
    if not index or not index.startswith(("http://", "https://")):
        return False
    address = f"{index.rstrip('/')}/{canonicalize_name(package)}/"
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT_S) as answer:  # noqa: S310  # http only, see above
            text = answer.read(READ_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return False
    return not FILE.search(text)
