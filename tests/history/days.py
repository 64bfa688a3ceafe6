"""One machine on several days, and entries made of it."""

from __future__ import annotations

import copy
import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

from world import World, load

from trueup.diagnose.findings import Checkup, check
from trueup.facts import Facts as Knowledge
from trueup.facts import load as load_facts
from trueup.history import Entry, Facts, Reach, flatten
from trueup.machine.survey import read_survey

MACHINES = Path(__file__).parent.parent / "check" / "machines"
SITE = "D:\\project\\.venv\\Lib\\site-packages"
GOOD = "aligned--windows-tf210-hook"


def world(name: str = GOOD, **changes: Any) -> World:
    """Return a machine; `changes` replace keys, deep down with `__` between them."""
    data = copy.deepcopy(dict(load(MACHINES / name / "machine.json").data))
    for key, value in changes.items():
        inner, *rest = key.split("__")
        if rest:
            data[inner] = {**data[inner], rest[0]: value}
        else:
            data[inner] = {**data.get(inner, {}), **value} if isinstance(value, dict) else value
    return World(data)


@functools.cache
def known() -> Knowledge:
    return load_facts()


def examined(host: World) -> Checkup:
    return check(read_survey(host), known())


def facts(host: World) -> Facts:
    checkup = examined(host)
    return flatten(checkup.survey, checkup.subject, host)


def entry(**values: Any) -> Entry:
    blank = Entry("check", "aligned", Reach.CARD, "tensorflow", "m", "e", "/env", {"system/os": "linux"})
    return replace(blank, **values)
