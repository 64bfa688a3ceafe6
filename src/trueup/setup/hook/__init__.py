"""The self-finding hook that goes into the environments trueup builds."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MODULE = "_trueup_hook.py"
PTH = "trueup.pth"
_START = "import _trueup_hook; _trueup_hook.arm()\n"


def files() -> dict[str, str]:
    """Return name -> text of what lies in site-packages; the `.pth`, which starts it, comes last."""
    text = resources.files(__package__).joinpath(MODULE).read_text("utf-8")
    return {MODULE: text, PTH: _START}


def install(site_packages: Path) -> list[Path]:
    """Write the hook and return its files. Installing again replaces it."""
    written = []
    for name, text in files().items():
        target = site_packages / name
        target.write_text(text, encoding="utf-8", newline="\n")
        written.append(target)
    return written


def remove(site_packages: Path) -> list[Path]:
    """Take the hook out again, the starting file first, and return what was removed."""
    names = [PTH, MODULE]
    cache = (site_packages / "__pycache__").glob(MODULE.replace(".py", ".*.pyc"))
    found = [p for p in (*(site_packages / n for n in names), *cache) if p.exists()]
    for path in found:
        path.unlink()
    return found
