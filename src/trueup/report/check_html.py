"""A check-up as one HTML file: no script, nothing that is fetched."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from trueup.report.check import LAYERS, verdict_lines
from trueup.report.redact import redact
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings import Checkup, Finding

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
td { border-top: 1px solid #8884; padding: .3rem .6rem; vertical-align: top }
pre { background: #8882; padding: 1rem; white-space: pre-wrap }
.problem { color: #c22; font-weight: bold } .unknown { color: #a60 } .ok { color: #282 } .notice { color: #666 }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd } }
"""


def as_html(checkup: Checkup, lang: str) -> str:
    """Return the page; names are redacted."""
    title = f"trueup check: {checkup.outcome}"
    language = {"zh_CN": "zh-CN"}.get(lang, lang)
    verdict = "\n".join(escape(line) for line in verdict_lines(checkup, lang))
    rows = "\n".join(_rows(checkup, lang))
    page = f"""<!doctype html>
<html lang="{language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>{STYLE}</style>
<h1>{title}</h1>
<pre>{verdict}</pre>
<table>
{rows}
</table>
</html>"""
    return redact(page)


def _rows(checkup: Checkup, lang: str) -> Iterator[str]:
    for finding in sorted(checkup.findings, key=lambda one: LAYERS.index(one.layer)):
        layer = say(Message(f"check.layer-{finding.layer}"), lang)
        kind = "notice" if finding.harmless else finding.status
        yield f'<tr><td>{escape(layer)}</td><td class="{kind}">{kind}</td><td>{_text(finding, lang)}</td></tr>'


def _text(finding: Finding, lang: str) -> str:
    words = [finding.text, *(finding.evidence if finding.status in ("problem", "unknown") else ())]
    return "<br>".join(escape(say(word, lang)) for word in words)
