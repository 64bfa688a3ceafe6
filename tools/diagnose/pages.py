"""Write docs/errors/ from the catalog: one page a cause, in both languages.

usage: python tools/diagnose/pages.py
"""

from __future__ import annotations

from pathlib import Path

from trueup.diagnose.catalog import causes
from trueup.report.explaining import index, markdown

FOLDER = Path(__file__).parents[2] / "docs" / "errors"
LANGUAGES = {"en": "en", "zh_CN": "zh-CN"}


def pages() -> dict[Path, str]:
    """Return the pages by where they belong."""
    made = {}
    for lang, name in LANGUAGES.items():
        made[FOLDER / name / "README.md"] = index(lang)
        for cause in causes():
            made[FOLDER / name / f"{cause}.md"] = markdown(cause, lang)
    return made


def main() -> None:
    made = pages()
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    for path in FOLDER.rglob("*.md"):
        if path not in made:
            path.unlink()


if __name__ == "__main__":
    main()
