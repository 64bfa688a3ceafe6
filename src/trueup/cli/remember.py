"""Keeps checks, builds and proofs in the history. Nothing that goes wrong here ends a command."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from trueup.cli.places import data_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from trueup.cli.session import Session
    from trueup.diagnose.findings import Checkup, Finding
    from trueup.history import Change, Entry, Facts, Reach, Store
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Environment, Survey

VARIABLE: Final = "TRUEUP_NO_HISTORY"
_NUMBERS = ("accuracy", "epoch_seconds", "cpu_epoch_seconds", "speedup", "peak_memory_mb", "seconds")
_LAYERS = {"path": "settings", "variables": "settings"}


def kept() -> bool:
    """Tell whether the user wants a history."""
    return os.environ.get(VARIABLE, "") in {"", "0"} and not off_file().exists()


def off_file() -> Path:
    """Return the file that is there while the history is turned off."""
    return data_folder() / "history-off"


def store() -> Store:
    from trueup.history import Store

    return Store(data_folder())


def this_machine() -> str:
    import platform

    from trueup.history import key_of

    return key_of("machine", platform.node())


def key_of_folder(path: str) -> str:
    from trueup.history import key_of

    return key_of("env", os.path.normcase(path))


def facts_of(survey: Survey, subject: Environment | None, host: Host) -> Facts:
    """Return the facts as they are kept: nobody is named in them."""
    from trueup.history import flatten
    from trueup.report.redact import redact_all

    cleaned: Facts = redact_all(flatten(survey, subject, host))
    return cleaned


def entry_of(survey: Survey, subject: Environment | None, host: Host, framework: str, **values: Any) -> Entry:
    """Return an entry that says nothing yet of how it went, unless `values` do."""
    from trueup.history import Entry, Reach
    from trueup.report.redact import redact

    told = {"kind": "check", "verdict": "unknown", "reach": Reach.NO, **values}
    return Entry(
        framework=framework,
        machine=this_machine(),
        env=key_of_folder(subject.path) if subject else "",
        place=redact(subject.path) if subject else "",
        facts=facts_of(survey, subject, host),
        **told,
    )


@contextmanager
def _harmless(session: Session, history: Store) -> Iterator[None]:
    """Tell in a line what kept the history from being kept."""
    from trueup.history import Trouble

    try:
        yield
    except Trouble as trouble:
        session.talk(session.text("history.not-kept", why=session.say(trouble.why)))
    except Exception as error:  # noqa: BLE001  # the history stands beside the answer, whatever is wrong with it
        why = f"{type(error).__name__}: {error}"
        session.talk(session.text("history.not-kept", why=why))
    if history.moved is not None:
        session.talk(session.text("history.moved", path=str(history.moved)))


def check(session: Session, checkup: Checkup, host: Host, lang: str | None = None) -> Checkup:
    """Keep a check-up of this machine; return it with what changed since it last worked, where it did."""
    if not kept():
        return checkup
    history = store()
    with _harmless(session, history):
        entry = checked(checkup, host)
        since = worked(history, entry)
        history.add(entry, int(time.time()))
        if since is not None:
            return replace(checkup, findings=(*checkup.findings, notice(*since, lang or session.lang)))
    return checkup


def checked(checkup: Checkup, host: Host) -> Entry:
    from trueup.history import Reach

    return entry_of(
        checkup.survey,
        checkup.subject,
        host,
        checkup.framework,
        verdict=checkup.outcome,
        reach=Reach.CARD if checkup.outcome == "aligned" else Reach.NO,
        cause=checkup.cause.id if checkup.cause else None,
    )


def worked(history: Store, entry: Entry) -> tuple[Entry, tuple[Change, ...]] | None:
    """Return when it last used the card and what changed since; None where it still does, or never did."""
    from trueup.history import Reach, compare

    if entry.reach == Reach.CARD or not entry.env or entry.facts is None:
        return None
    good = history.last_good(entry.where)
    if good is None or good.facts is None:
        return None
    return good, compare(good.facts, entry.facts)


def notice(good: Entry, changes: tuple[Change, ...], lang: str) -> Finding:
    from trueup.diagnose.findings import Finding
    from trueup.report.history import worked_since

    layer: Any = changes[0].layer if changes else "framework"
    evidence = tuple(one.text for one in changes)
    return Finding(
        "worked-before", _LAYERS.get(layer, layer), "notice", worked_since(good, changes, lang), evidence
    )


def built(session: Session, env: Path) -> None:
    """Keep that an environment was built."""
    from trueup.history import Reach

    _made(session, env, kind="build", verdict="built", reach=Reach.NO)


def proven(session: Session, python: Path, data: Mapping[str, Any]) -> None:
    """Keep a proof with its numbers, whatever it showed."""
    numbers = {name: data[name] for name in _NUMBERS if data.get(name) is not None}
    values = {"verdict": data["outcome"], "reach": _reach(data), "cause": None, "numbers": numbers}
    _made(session, python.parent.parent, kind="proof", framework=data["framework"], **values)


def _reach(data: Mapping[str, Any]) -> Reach:
    from trueup.history import Reach

    if data["outcome"] != "proven":
        return Reach.NO
    return Reach.CPU if data["expected"] == "cpu" else Reach.CARD


def _made(session: Session, env: Path, *, framework: str | None = None, **values: Any) -> None:
    if not kept():
        return
    history = store()
    with _harmless(session, history):
        from trueup.diagnose.findings.subject import choose
        from trueup.machine.host import this_host
        from trueup.machine.survey import read_survey

        host, folder = this_host(), str(env.absolute())
        survey = read_survey(host, env_dir=folder)
        subject, name = choose(survey, framework, folder)
        history.add(entry_of(survey, subject, host, name, **values), int(time.time()))
