"""A check-up as one HTML file: no script, nothing that is fetched."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from trueup.report.check import fits_line, in_order, remedy_words
from trueup.report.redact import redact
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings import Checkup, Finding

LIGHT = """--line: #d0d7de; --soft: #f6f8fa; --ok: #1a7f37; --note: #57606a; --bad: #cf222e;
  --open: #9a6700; --text: #1f2328; --back: #ffffff"""
DARK = """--line: #30363d; --soft: #161b22; --ok: #3fb950; --note: #9198a1;
  --bad: #f85149; --open: #d29922; --text: #e6edf3; --back: #0d1117"""
COLOURS = f"""
:root {{ color-scheme: light dark; {LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {DARK} }} }}
"""
RULES = """
body { font: 16px/1.6 system-ui, "Segoe UI", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; color: var(--text); background: var(--back) }
h1 { font-size: 1.3rem; margin: 0 0 1rem } .badge { font-size: .9rem; border: 1px solid; border-radius: 1rem;
  padding: .1rem .7rem; margin-left: .6rem; vertical-align: middle }
section { border: 1px solid var(--line); border-left: .3rem solid var(--note); border-radius: .4rem; padding: 1rem 1.2rem;
  margin-bottom: 1.5rem } section.problem { border-left-color: var(--bad) } section.ok { border-left-color: var(--ok) }
section.unknown { border-left-color: var(--open) } section > p:first-child { font-weight: 600; margin-top: 0 }
section > p:last-child { margin-bottom: 0 } small { color: var(--note); display: block }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .8rem;
  white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0 } li { margin: .5rem 0 }
table { border-collapse: collapse; width: 100% } th { text-align: left; color: var(--note); font-weight: 600 }
th, td { border-top: 1px solid var(--line); padding: .4rem .7rem; vertical-align: top; overflow-wrap: anywhere }
td:first-child, td:nth-child(2) { white-space: nowrap } .ok { color: var(--ok) } .notice, .harmless { color: var(--note) }
.problem { color: var(--bad); font-weight: 600 } .unknown { color: var(--open); font-weight: 600 }
section.problem, section.ok, section.unknown { color: var(--text); font-weight: 400 }
"""
STYLE = COLOURS + RULES
KINDS = {"aligned": "ok", "ready": "ok", "not-aligned": "problem", "cpu-only": "notice", "unknown": "unknown"}


def as_html(checkup: Checkup, lang: str) -> str:
    """Return the page; names are redacted."""
    language = {"zh_CN": "zh-CN"}.get(lang, lang)
    kind = KINDS[checkup.outcome]
    badge = _say(f"check.badge-{checkup.outcome}", lang)
    verdict = "\n".join(_verdict(checkup, lang))
    rows = "\n".join(_rows(checkup, lang))
    heads = "".join(f"<th>{_say(f'check.html-{name}', lang)}</th>" for name in ("layer", "state", "finding"))
    page = f"""<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>trueup check: {checkup.outcome}</title><style>{STYLE}</style></head>
<body>
<h1>trueup check <span class="badge {kind}">{badge}</span></h1>
<section class="{kind}">
{verdict}
</section>
<table>
<tr>{heads}</tr>
{rows}
</table>
</body>
</html>"""
    return redact(page)


def _say(code: str, lang: str) -> str:
    return escape(say(Message(code), lang))


def _verdict(checkup: Checkup, lang: str) -> Iterator[str]:
    cause = checkup.cause
    if cause is None:
        text = say(Message(f"check.outcome-{checkup.outcome}", {"framework": checkup.framework}), lang)
        yield f"<p>{escape(text)}</p>"
        if checkup.outcome != "aligned":
            yield f"<pre>{escape(checkup.command)}</pre>"
    else:
        yield f"<p>{escape(say(Message('check.cause', {'text': say(cause.text, lang)}), lang))}</p>"
        for one in cause.evidence:
            yield f"<small>{escape(say(Message('check.because', {'text': say(one, lang)}), lang))}</small>"
        yield f"<p>{_say('check.do-this', lang)}</p><ol>"
        for remedy in cause.remedies:
            command = f"<pre>{escape(remedy.command)}</pre>" if remedy.command else ""
            yield f"<li>{escape(remedy_words(remedy, lang))}{command}</li>"
        yield "</ol>"
    if (fits := fits_line(checkup, lang)) is not None:
        yield f"<p>{escape(fits)}</p>"


def _rows(checkup: Checkup, lang: str) -> Iterator[str]:
    for finding in in_order(checkup):
        layer = say(Message(f"check.layer-{finding.layer}"), lang)
        kind = "harmless" if finding.harmless else finding.status
        state = _say(f"check.state-{kind}", lang)
        yield f'<tr><td>{escape(layer)}</td><td class="{kind}">{state}</td><td>{_text(finding, lang)}</td></tr>'


def _text(finding: Finding, lang: str) -> str:
    more = finding.evidence if finding.status in ("problem", "unknown") else ()
    return escape(say(finding.text, lang)) + "".join(
        f"<small>{escape(say(one, lang))}</small>" for one in more
    )
