"""The machine, its settings and versions, and its past."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trueup.report.check import as_data
from trueup.report.history import COLUMNS, cells
from trueup.report.html.markup import Html, Part, both, details, el, join, pair, section, table, words
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trueup.history import Entry
    from trueup.report.html.material import Material

TABLED = ("gpus", "pythons", "environment")


def versions(material: Material) -> Html:
    """Return tables of everything that was read, in the words of `check --json`."""
    english, chinese = (as_data(material.checkup, lang) for lang in ("en", "zh_CN"))
    return section("machine", words("h-machine"), *_parts(english, chinese))


def _parts(english: Mapping[str, Any], chinese: Mapping[str, Any]) -> Iterator[Html]:
    yield _values("machine", _plain(english["machine"]), _plain(chinese["machine"]))
    yield _listed("gpus", english["machine"]["gpus"], chinese["machine"]["gpus"])
    yield _listed("pythons", english["machine"]["pythons"], chinese["machine"]["pythons"])
    yield _listed("cuda-copies", english["cuda_copies"], chinese["cuda_copies"])
    yield _listed("environments", english["environments"], chinese["environments"])
    environment = english["environment"]
    if environment:
        rows = [[name, version] for name, version in environment["packages"].items()]
        heads = [words("package"), words("version")]
        title = words("packages-count", count=len(rows))
        yield details(title, table(heads, rows, words("installed-caption", path=environment["path"])))
    if english["machine"]["environment"]:
        rows = [[el("code", k), el("code", str(v))] for k, v in english["machine"]["environment"].items()]
        yield details(words("variables"), table([words("what"), words("value")], rows, words("variables")))
    yield _values("settings", english["settings"], chinese["settings"])
    yield _values("memory", english["memory"], chinese["memory"])


def _plain(machine: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in machine.items() if name not in TABLED}


def _values(title: str, english: Any, chinese: Any) -> Html:
    if "unknown" in english:
        return details(words(title), el("p", _value(english, chinese)))
    rows = [[el("code", name), _value(value, chinese[name])] for name, value in english.items()]
    return details(words(title), table([words("what"), words("value")], rows, words(title)))


def _listed(title: str, english: Any, chinese: Any) -> Html:
    if isinstance(english, dict):
        return details(words(title), el("p", _value(english, chinese)))
    if not english:
        return details(words(title), el("p", words("nothing-there")))
    heads: list[Part] = [el("code", name) for name in english[0]]
    rows = [
        [_value(one[key], other[key]) for key in one] for one, other in zip(english, chinese, strict=True)
    ]
    body = table(heads, rows, words(title))
    return details(words(title), el("div", body, class_="scroll", tabindex=0, role="group", aria_label=title))


def _value(english: Any, chinese: Any) -> Part:
    """Return a value; what is not known as the reason, never as nothing."""
    if isinstance(english, dict) and set(english) == {"unknown"}:
        return join((words("unknown"), " ", pair(str(english["unknown"]), str(chinese["unknown"]))))
    if english is None or english in ([], ()):
        return "–"
    if isinstance(english, bool):
        return words("yes" if english else "no")
    if isinstance(english, (dict, list)):
        return el("code", json.dumps(english, ensure_ascii=False))
    return str(english)


def past(material: Material) -> Html:
    return section("history", words("h-history"), *_past(material))


def _past(material: Material) -> Iterator[Html]:
    if material.good is not None:
        when = material.good.last
        yield el("p", words("worked", date=_day(when), count=len(material.changes)), class_="lead")
        if material.changes:
            yield el("ul", *(el("li", both(change.text)) for change in material.changes))
    if not material.entries:
        yield el("p", words("no-history"))
        return
    heads = [both(Message(f"history.column-{name}")) for name in COLUMNS]
    body = table(heads, map(_entry, material.entries), words("history-caption"))
    yield el("div", body, class_="scroll", tabindex=0, role="group", aria_labelledby="history")


def _day(seconds: int) -> str:
    from trueup.report.history import day

    return day(seconds)


def _entry(entry: Entry) -> Sequence[Part]:
    return [pair(one, other) for one, other in zip(cells(entry, "en"), cells(entry, "zh_CN"), strict=True)]
