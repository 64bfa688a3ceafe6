"""The verdict, the way out, and what each look found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.report.check import fits_line, in_order
from trueup.report.html.markup import Html, both, el, join, pair, section, table, tr, words
from trueup.report.html.stack import stack
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings import Checkup, Finding, Remedy


def verdict(checkup: Checkup, kind: str) -> Html:
    return section("verdict", words("h-verdict"), el("div", *_verdict(checkup), class_=f"verdict {kind}"))


def _verdict(checkup: Checkup) -> Iterator[Html]:
    if checkup.cause is None:
        outcome = Message(f"check.outcome-{checkup.outcome}", {"framework": checkup.framework})
        yield el("p", both(outcome), class_="lead")
        if checkup.outcome != "aligned":
            yield el("pre", el("code", checkup.command))
    else:
        yield from _cause(checkup.cause)
    english, chinese = (fits_line(checkup, lang) for lang in ("en", "zh_CN"))
    if english and chinese:
        yield el("p", pair(english, chinese))


def _cause(cause: Finding) -> Iterator[Html]:
    yield el("p", *(_wrapped("cause", cause.text)), class_="lead")
    for one in cause.evidence:
        yield el("p", *_wrapped("because", one), class_="because")
    if cause.remedies:
        yield el("p", both(Message("check.do-this")))
        yield el("ol", *(el("li", *_remedy(one)) for one in cause.remedies))


def _wrapped(name: str, message: Message) -> Iterator[Html]:
    said = (say(Message(f"check.{name}", {"text": say(message, lang)}), lang) for lang in ("en", "zh_CN"))
    yield pair(*said)


def _remedy(remedy: Remedy) -> Iterator[Html]:
    yield both(remedy.text)
    for word, said in (("admin", remedy.admin), ("restart", remedy.restart)):
        if said:
            yield join((" ", both(Message(f"check.{word}"))))
    if remedy.command:
        yield el("pre", el("code", remedy.command))


def layers(checkup: Checkup) -> Html:
    """Return the picture and the table that says the same in full."""
    heads = [both(Message(f"check.html-{name}")) for name in ("layer", "state", "finding")]
    rows = [_row(finding) for finding in in_order(checkup)]
    return section("layers", words("h-layers"), stack(checkup), table(heads, rows, words("findings-caption")))


def _row(finding: Finding) -> Html:
    kind = "harmless" if finding.harmless else finding.status
    more = finding.evidence if finding.status in ("problem", "unknown") else ()
    told = join((both(finding.text), *(el("div", both(one), class_="small") for one in more)))
    state = el("span", both(Message(f"check.state-{kind}")), class_=kind)
    return tr((both(Message(f"check.layer-{finding.layer}")), state, told))
