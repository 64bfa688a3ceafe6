"""Entries of PATH that lead nowhere or stand twice: what `trueup path --fix` mends, as one thing to clean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.keep.clean.finders.made import Found, why
from trueup.keep.pathvar.change import elevated, user_change
from trueup.keep.pathvar.mend import mend
from trueup.keep.pathvar.view import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.clean.scene import Scene


def path_entries(scene: Scene) -> Iterator[Found]:
    if not scene.windows:
        return
    for scope, variable in (("user", read(scene.view.user)), ("machine", read(scene.view.machine))):
        if variable is None:
            continue
        mended = mend(scene.host, variable, ("dead", "duplicate", "empty"))
        gone = [line.text or ";" for line in mended.lines if line.mark == "-"]
        if not mended.changed:
            continue
        writable = scope == "user" and variable.kind is not None
        yield Found(
            "path",
            f"PATH ({scope})",
            why(f"path-{scope}", count=len(gone), entries="; ".join(gone[:12])),
            "certain",
            changes=(user_change(mended, variable.kind or ""),) if writable else (),
            steps=elevated("machine", mended, variable.kind) if scope == "machine" else (),
        )
