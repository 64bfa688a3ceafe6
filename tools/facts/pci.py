"""Make data/pci.json: NVIDIA's graphics devices of pci.ids, with the capability of their chip.

usage: pci.py pci.ids
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from common import DATA

DEVICE = re.compile(r"\t([0-9a-f]{4})  ((?:G[FKMPVAHB]|TU|AD)[0-9]\w\w?)[A-Z]* \[(.+)\]")


def chips() -> dict[str, str]:
    """Return chip -> capability, from the rows of cards that name one chip."""
    made: dict[str, set[str]] = {}
    for row in json.loads((DATA / "cards.json").read_text("utf-8"))["rows"]:
        if row[4] and "/" not in row[4] and row[5] != "low":
            made.setdefault(row[4], set()).add(row[2])
    return {chip: kinds.pop() for chip, kinds in sorted(made.items()) if len(kinds) == 1}


def main(path: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    date = re.search(r"Date:\s+(\d{4}-\d\d-\d\d)", text)
    block = re.search(r"^10de  .*\n((?:[\t#].*\n)+)", text, re.MULTILINE)
    if date is None or block is None:
        raise SystemExit("not a pci.ids file")
    known = chips()
    found = (DEVICE.fullmatch(line) for line in block[1].splitlines())
    rows = [[m[1], m[3], m[2]] for m in found if m and m[2] in known and not m[3].startswith(m[2])]
    used = {chip: known[chip] for chip in sorted({r[2] for r in rows})}
    source = {
        "name": "pci.ids, rows of vendor 10de",
        "date": date[1],
        "confidence": "high",
        "address": "https://pci-ids.ucw.cz/",
    }
    lines = ",\n".join(json.dumps(r) for r in rows)
    body = f'{{"source": {json.dumps(source)},\n"chips": {json.dumps(used)},\n"columns": ["device", "name", "chip"],\n"rows": [\n{lines}\n]}}\n'
    (DATA / "pci.json").write_text(body, encoding="utf-8")
    print(len(rows), len(used))


if __name__ == "__main__":
    main(sys.argv[1])
