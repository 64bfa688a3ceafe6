"""The self-finding hook that goes into the environments trueup builds."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MODULE = "_trueup_hook.py"
WORK = "_trueup_hook_work.py"
PTH = "trueup.pth"
CHOSEN = "trueup-cuda.txt"  # in the environment's own folder: folders of a toolkit, a line each
# Looked for before it is imported: a `.pth` that was left behind without its module says nothing at each start.
_START = (
    "import sys; any(f.find_spec('_trueup_hook', None) for f in sys.meta_path if hasattr(f, 'find_spec')) "
    "and __import__('_trueup_hook').arm()\n"
)


def files() -> dict[str, str]:
    """Return name -> text of what lies in site-packages; the `.pth`, which starts it, comes last."""
    folder = resources.files(__package__)
    return {name: folder.joinpath(name).read_text("utf-8") for name in (WORK, MODULE)} | {PTH: _START}


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
    cache = (site_packages / "__pycache__").glob("_trueup_hook*.pyc")
    found = [p for p in (*(site_packages / n for n in (PTH, MODULE, WORK)), *cache) if p.exists()]
    for path in found:
        path.unlink()
    return found
