"""Which index and which Pythons a command uses: the named mirrors in turn, else the user's own settings; said either way."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trueup.cli.session import Session
    from trueup.setup.mirrors import Mirror
    from trueup.setup.uv import Uv

T = TypeVar("T")
# What another mirror may have. Another answer, such as a full disk or a conflict, would be the same there.
LACKS = frozenset(
    {
        "offline", "dns", "hang", "refused", "server", "not-found", "not-an-index", "hash", "download",
        "download-hash", "file-gone", "other-file", "cut", "broken-file", "no-version", "unknown-package", "no-wheel", "tls",
    }
)  # fmt: skip


def with_sources(session: Session, names: Sequence[str], act: Callable[[Uv], T]) -> T:
    """Do something with the first of the named mirrors that has all; every step to the next one is announced.

    Without a name the user's own settings are used. Raises the last mirror's error, which names what it lacks.
    """
    from trueup.report.mirrors import title
    from trueup.setup import SetupError
    from trueup.setup.mirrors import find, with_mirror
    from trueup.setup.uv import find as find_uv

    uv = find_uv()
    mirrors = [find(name) for name in names]
    _tell_settings(session, uv, mirrors)
    for number, mirror in enumerate(mirrors, 1):
        session.talk(session.text("mirrors.uses", name=title(mirror, session.lang), address=_shown(mirror)))
        try:
            return act(with_mirror(uv, mirror))
        except SetupError as error:
            if number == len(mirrors) or error.kind not in LACKS:
                raise
            session.talk(session.say(error.message))
            session.talk(session.text("mirrors.next", name=title(mirrors[number], session.lang)))
    return act(uv)


def _shown(mirror: Mirror) -> str:
    from trueup.facts.harvest.client import shown

    return shown(mirror.index or mirror.python or "")


def _tell_settings(session: Session, uv: Uv, mirrors: Sequence[Mirror]) -> None:
    """Say which settings of pip and uv are heeded, and which are not."""
    from trueup.setup.settings import told

    for message in told(uv.env, mirrored=any(mirror.index for mirror in mirrors)):
        session.talk(session.say(message))
