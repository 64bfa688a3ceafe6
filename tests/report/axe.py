"""Runs axe-core over a page in headless Chromium, where both are found.

TRUEUP_AXE names axe.min.js (`npm install axe-core`). The page is copied without its policy, which would keep the
script out, and with the script in it; the answer comes back in the document that Chromium prints.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

AXE = os.environ.get("TRUEUP_AXE")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FOUND = bool(AXE and Path(AXE).is_file() and CHROMIUM)
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_RUN = """
addEventListener("load", async () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  const found = await axe.run(document, {resultTypes: ["violations", "incomplete"]});
  const brief = found.violations.map((v) => ({id: v.id, impact: v.impact,
    nodes: v.nodes.map((n) => n.html.slice(0, 200) + " :: " + (n.failureSummary || ""))}));
  const answer = document.createElement("pre");
  answer.id = "axe-answer";
  answer.textContent = JSON.stringify({violations: brief, passes: found.passes.length,
    lang: document.documentElement.lang, back: getComputedStyle(document.body).backgroundColor});
  document.body.append(answer);
});
"""


def examine(page: str, folder: Path, *, theme: str, lang: str, width: int = 1200) -> dict[str, Any]:
    """Return axe's violations of a page in a theme and a language, everything in it unfolded."""
    script = Path(AXE or "").read_text("utf-8")
    bare = _POLICY.sub("", page)
    assert bare != page, "the page carries a policy"
    copy = folder / f"axe-{theme}-{lang}.html"
    copy.write_text(
        bare.replace("</body>", f"<script>{script}</script><script>{_RUN}</script></body>"), "utf-8"
    )
    command = [
        CHROMIUM or "", "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},1000",
        f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=60000", "--dump-dom",
        f"{copy.as_uri()}#theme={theme}&lang={lang}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True, encoding="utf-8")
    found = re.search(r'<pre id="axe-answer">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stderr[-2000:]
    answer: dict[str, Any] = json.loads(html.unescape(found[1]))
    return answer
