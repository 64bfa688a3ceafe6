"""Write the tables of `docs/windows.md` and `docs/hook.md` anew from the rows that `measure.py` wrote down.

python tools/proof/page.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
FAMILIES: Final = {
    "GTX 9 series": "5.2",
    "GTX 10 series": "6.1",
    "RTX 20 series": "7.5",
    "RTX 30 series": "8.6",
    "RTX 40 series": "8.9",
    "RTX 50 series": "12.0",
    "Kepler": "3.5",
}
WORDS: Final = {
    "native": "SASS",
    "mixed": "SASS with PTX",
    "ptx": "PTX",
    "partial": "PTX in part",
    "none": "none",
    "unknown": "not counted",
}
# How a framework begins to say why it lists nothing, the most telling first.
COMPLAINTS: Final = (
    "Cannot dlopen",
    "Failed to load library",
    "Unexpected error from",
    "RuntimeError: ",
    "Error ",
)
# Worst first: what a table says of a whole set.
WORST: Final = ("none", "partial", "unknown", "ptx", "mixed", "native")


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def targets(found: dict[str, Any]) -> str:
    """Return a row for each card family and Python."""
    rows = []
    for row in found["rows"]:
        proof = found["sets"].get(row.get("lock"))
        if proof is None:
            rows.append((row["family"], row["python"], *("–",) * 6, f"refused: {reason(row['told'])}"))
            continue
        levels = {code[FAMILIES[row["family"]]] for code in proof["code"].values()}
        rows.append(
            (
                row["family"],
                row["python"],
                f"{row['packages']}",
                f"{row['download'] / 1e9:.2f} GB",
                f"{proof['files']}",
                f"{proof['names']}, {len(proof['unresolved'])} unresolved",
                f"{proof['symbols']}, {len(proof['missing_symbols'])} missing",
                f"{proof['seconds']:.2f} s",
                ("complete: " if proof["complete"] else "NOT complete: ")
                + WORDS[next(level for level in WORST if level in levels)],
            )
        )
    head = (
        "cards",
        "Python",
        "packages",
        "download",
        "binaries",
        "names",
        "symbols",
        "processor",
        "proof, code",
    )
    return table(head, rows)


def reason(told: str) -> str:
    """Return the line of a refusal that names the card, else the first reason."""
    lines = [line.strip(" -") for line in told.splitlines()]
    if "install CUDA" in told:
        return "TensorFlow 2.4 only, with CUDA 11.0 of the machine (no wheels of that line)"
    found = next((line for line in lines if "have no code for" in line), "")
    return re.sub(r"^the ", "", found) or lines[0]


def code(proofs: list[dict[str, Any]], capabilities: dict[str, str]) -> str:
    """Return what each library holds for each card family."""
    names = dict.fromkeys(name for proof in proofs for name in proof["code"])
    rows = []
    for name in names:
        levels = next(proof["code"][name] for proof in proofs if name in proof["code"])
        rows.append((f"`{name}`", *(WORDS[levels[c]] for c in capabilities.values())))
    return table(("library", *(f"{family} ({c})" for family, c in capabilities.items())), rows)


def cost(found: dict[str, Any]) -> str:
    """Return where the bytes of a download are."""
    rows = []
    for row in found["rows"]:
        if row["family"] == "RTX 30 series" and "parts" in row:
            parts = [f"{row['parts'][name] / 1e9:.2f} GB" for name in ("nvidia", "tensorflow", "rest")]
            rows.append((row["python"], *parts, f"{row['download'] / 1e9:.2f} GB"))
    return table(("Python", "NVIDIA's wheels", "TensorFlow's wheel", "all others", "together"), rows)


def linux(found: dict[str, Any]) -> str:
    rows = []
    for wish, row in ordered(found):
        proof = row["closure"]
        open_ = sorted({m["name"] for m in proof["unresolved"]})
        rows.append(
            (
                wish,
                row["python"],
                f"{row['download'] / 1e9:.2f} GB",
                f"{proof['files']}",
                f"{proof['names']}, {len(open_)} unresolved",
                f"{proof['symbols']}, {len(proof['missing_symbols'])} missing",
                "complete" if proof["complete"] else "not complete: " + ", ".join(f"`{n}`" for n in open_),
                *(worst(proof, FAMILIES[f]) for f in ("GTX 10 series", "RTX 30 series", "RTX 50 series")),
            )
        )
    head = ("set", "Python", "download", "binaries", "names", "symbol versions", "proof")
    return table((*head, "GTX 10", "RTX 30", "RTX 50"), rows)


def worst(proof: dict[str, Any], capability: str) -> str:
    levels = [levels[capability] for levels in proof["code"].values()] + ["unknown"] * len(
        proof["code_unknown"]
    )
    found = {level: levels.count(level) for level in WORST if level in levels}
    return "; ".join(f"{count} × {WORDS[level]}" for level, count in reversed(found.items()))


def listing(found: dict[str, Any]) -> str:
    rows = []
    for wish, row in ordered(found):
        did = ", ".join(
            f"{count} {action}" for action, count in row["hook"]["did"].items() if action != "import"
        )
        rows.append((wish, row["python"], listed(row["alone"]), listed(row["hook"]), did or "nothing"))
    return table(("set", "Python", "without the hook", "with it", "the hook did"), rows)


def listed(answer: dict[str, Any]) -> str:
    found = answer["found"]
    if found and found != "[]":
        return f"`{found[1:-1]}`"
    said = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", line) for line in answer["said"])
    complaint = next(
        (found for start in COMPLAINTS if (found := re.search(start + r"[^.\n\d]{0,90}", said))), None
    )
    text = complaint[0].replace("|", "/").replace("`", "'").strip() if complaint else ""
    return f"nothing; `{text}`" if text else "nothing"


def ordered(found: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    def key(item: tuple[str, Any]) -> tuple[bool, list[int]]:
        return "tensorflow" not in item[0], [int(n) for n in re.findall(r"\d+", item[0])]

    return sorted(((w, r) for w, r in found.items() if "closure" in r), key=key)


def parts(rows: dict[str, Any]) -> dict[str, str]:
    """Return the generated parts of the pages by name."""
    proofs = list(rows["windows"]["sets"].values())
    return {
        "targets": targets(rows["windows"]),
        "code": code(proofs, FAMILIES),
        "cost": cost(rows["windows"]),
        "linux": linux(rows["linux"]),
        "listing": listing(rows["linux"]),
    }


def filled(page: str, made: dict[str, str]) -> str:
    """Return a page with its generated parts made anew."""
    for name, text in made.items():
        start, _, rest = page.partition(f"<!-- {name} -->\n")
        end = f"<!-- /{name} -->"
        if rest:
            page = f"{start}<!-- {name} -->\n{text}\n{end}{rest.partition(end)[2]}"
    return page


def main() -> None:
    made = parts(json.loads((HERE / "rows.json").read_text("utf-8")))
    for name in ("windows.md", "hook.md"):
        path = DOCS / name
        path.write_text(filled(path.read_text("utf-8"), made), "utf-8")


if __name__ == "__main__":
    main()
