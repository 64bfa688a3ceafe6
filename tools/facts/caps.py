"""Make data/caps_by_release.json from data/caps.json and the builds. Run it after either of them changed."""

from __future__ import annotations

import json
from pathlib import Path

from trueup.facts.caps import by_release, rows

DATA = Path(__file__).parents[2] / "src/trueup/facts/data"


def main() -> None:
    releases = {}
    for path in sorted((DATA / "builds").glob("*.json")):
        found = json.loads(path.read_text("utf-8"))
        pairs = ((found["package"][row[0]], row[1]) for row in found["rows"])
        releases[path.stem] = list(dict.fromkeys(pairs))
    made = by_release(releases, rows())
    packages = ",\n".join(f'"{p}": {json.dumps(v)}' for p, v in made["releases"].items())
    text = f'{{"sets": {json.dumps(made["sets"])},\n"releases": {{\n{packages}\n}}}}\n'
    (DATA / "caps_by_release.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
