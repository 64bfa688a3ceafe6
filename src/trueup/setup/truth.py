"""Compares a lock with the sums that the facts carry: a mirror states the sums of what it gives, so alone it proves nothing."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from packaging.utils import canonicalize_name

from trueup.facts.store import exists, table
from trueup.setup.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.plan.lock import Lock
    from trueup.plan.request import LockRequest


def check(lock: Lock, question: LockRequest) -> None:
    """Raise SetupError `other-file` where a file has another sum than the one of that name on PyPI.

    An index of the framework's own may serve other files under the same names; those are left out.
    """
    own = {canonicalize_name(name) for index in question.indexes for name in index.packages}
    for package in lock.packages:
        if canonicalize_name(package.name) in own:
            continue
        file = package.artifact
        known = sums(canonicalize_name(package.name)).get(file.filename)
        if known is not None and known != file.sha256:
            host = urlsplit(file.url).hostname or "-"
            raise SetupError("other-file", what=file.filename, host=host, quote=f"{known}\n{file.sha256}")


@functools.lru_cache(maxsize=64)
def sums(project: str) -> Mapping[str, str]:
    """Return the SHA-256 by file name that PyPI stated for a project; empty where it was not read."""
    name = f"wheels/{project}"
    if not exists(name):
        return {}
    return {str(row[0]): str(row[1]) for row in table(name)["files"]}
