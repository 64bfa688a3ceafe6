"""The sweep's results as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cell import Cell

HEAD = """# What installs and runs today

Made by `bench/sweep/sweep.py` on Linux x86-64 (glibc 2.36), without a compiler (`CC=/bin/false`), from PyPI. Each
cell was resolved, installed into a fresh environment, and run: import; one training step of the guides' network
with TensorBoard's callback; weights to HDF5 and back; a loop and a branch through AutoGraph; a module with a list
and a dict saved and loaded; TensorBoard started and asked for its page. `tensorflow-cpu` stands for `tensorflow`:
the column "same" says whether `tensorflow` resolved to the same other packages for this cell.

Marks: `✓` all of it ran; `✗` something did not; empty: no wheel for that Python, or not run.
"""
TITLES = {
    "capped": "With the caps of `facts/data/caps.json`: what `trueup lock` asks for",
    "uncapped": "Without caps: what `pip install tensorflow==X` gets today",
    "dated": "As of the release's own date (`--exclude-newer`, one day after its upload), without caps",
}
SHOWN = ("numpy", "protobuf", "setuptools", "tensorboard", "keras", "h5py", "wrapt", "gast")
PYTHONS = tuple(f"3.{n}" for n in range(6, 14))


def render(cells: list[Cell]) -> str:
    parts = [HEAD]
    for way, title in TITLES.items():
        mine = [c for c in cells if c.way == way]
        if mine:
            parts += [f"\n## {title}\n", *_grid(mine), "", *_details(mine, way), *_failures(mine)]
    return "\n".join(parts) + "\n"


def _grid(cells: list[Cell]) -> Iterator[str]:
    green = sum(c.green for c in cells)
    dates = sorted({c.date for c in cells})
    yield f"{green} of {len(cells)} cells green, run {dates[0]} to {dates[-1]}.\n"
    yield f"| TensorFlow | {' | '.join(PYTHONS)} |"
    yield f"| --- |{' --- |' * len(PYTHONS)}"
    for minor in dict.fromkeys(c.minor for c in cells):
        row = {c.python: "✓" if c.green else "✗" for c in cells if c.minor == minor}
        yield f"| {minor} | {' | '.join(row.get(p, '') for p in PYTHONS)} |"


def _details(cells: list[Cell], way: str) -> Iterator[str]:
    extra = {"capped": ("same", "from source, Linux", "from source, Windows"), "dated": ("as of",)}.get(
        way, ()
    )
    head = ("release", "Python", *SHOWN, *extra, "s")
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for cell in cells:
        versions = (cell.packages.get(name, "") for name in SHOWN)
        more = (_extra(cell, name) for name in extra)
        yield f"| {' | '.join((cell.version, cell.python, *versions, *more, f'{cell.seconds:.0f}'))} |"


def _extra(cell: Cell, name: str) -> str:
    if name == "same":
        return {True: "yes", False: "no", None: "?"}[cell.same_as_tensorflow]
    if name == "as of":
        return cell.released or "?"
    built = cell.sdists if name.endswith("Linux") else cell.sdists_windows
    return "?" if built is None else ", ".join(built)


def _failures(cells: Iterable[Cell]) -> Iterator[str]:
    red = [c for c in cells if not c.green]
    if red:
        yield "\nWhat failed, in its own words:\n"
    for cell in red:
        yield f"- {cell.version}, Python {cell.python}, {_where(cell)}: `{_words(cell.error)}`"


def _where(cell: Cell) -> str:
    steps = ("resolved", "installed", "imported", "trained", "compiled", "saved", "tensorboard")
    return ", ".join(step for step in steps if getattr(cell, step) is False) + " not"


def _words(error: str) -> str:
    """Return the line that says most: the last that names an error."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    named = [line for line in lines if "Error" in line or line.startswith(("Because", "error"))]
    return (named or lines or ["?"])[0].replace("`", "'")[:300]
