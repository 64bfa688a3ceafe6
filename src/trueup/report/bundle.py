"""A bundle in words: what goes in, what was made, and the README that travels with it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from trueup.report import marks
from trueup.report.progress import megabytes
from trueup.report.say import say
from trueup.report.solution import do, short
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from trueup.report.progress import Progress
    from trueup.setup.bundle.make import Made
    from trueup.setup.bundle.plan import Ask, Plan
    from trueup.values import Param


def _text(lang: str, code: str, **params: Param) -> str:
    return say(Message(f"bundle.{code}", params), lang)


def plan_text(asks: Sequence[Ask], plan: Plan, folder: Path, lang: str) -> str:
    """Return what will be fetched, for whom, and how much it is."""
    lines = [_text(lang, "for")]
    for ask in asks:
        lines.append(f"  {marks.pair(ask.name, short(ask.alignment, lang), lang)}")
        lines += [f"    {_text(lang, 'first', what=do(change, lang))}" for change in ask.alignment.changes]
    lines.append(_text(lang, "holds"))
    lines += [f"  {line}" for line in _holds(plan, lang)]
    return "\n".join([*lines, _text(lang, "cost", size=_size(plan.bytes), folder=str(folder))])


def _holds(plan: Plan, lang: str) -> Iterator[str]:
    for folder, files in plan.files.items():
        sizes = [file.size for file in files]
        total = None if None in sizes else sum(size or 0 for size in sizes)
        yield _text(lang, "holds-files", folder=folder, count=len(files), size=_size(total))
    yield from (_text(lang, "holds-python", name=download.key) for download in plan.pythons)
    yield from (_text(lang, "holds-python", name=path.name) for path, _ in plan.given)
    yield from (_text(lang, "no-archive", name=name) for name in plan.lacking)


def made_text(plan: Plan, made: Made, lang: str) -> str:
    """Return what was made and how it is used."""
    lines = [_text(lang, "made", folder=str(made.folder), files=made.files, size=_size(made.bytes))]
    for name, why in made.without:
        lines.append(_text(lang, "without-python", name=name))
        lines += [f"    {line}" for line in why.splitlines()[-2:]]
    needed = sorted({target.question.python for target in plan.targets})
    if made.without or plan.lacking:
        lines.append(_text(lang, "without-python-hint", versions=", ".join(needed)))
    return "\n".join(
        [*lines, _text(lang, "digest", digest=made.digest), _text(lang, "next", folder=made.folder.name)]
    )


def as_data(plan: Plan, made: Made | None, status: str) -> dict[str, Any]:
    """Return the `trueup.bundle/1` document."""
    targets = [
        {
            "name": target.name,
            "route": target.route,
            "builds": [list(pair) for pair in target.builds],
            "python": target.question.python,
            "platform": target.question.uv_platform,
            "lock": target.lock,
        }
        for target in plan.targets
    ]
    answer: dict[str, Any] = {
        "schema": "trueup.bundle/1",
        "status": status,
        "download_bytes": plan.bytes,
        "targets": targets,
        "pythons": [download.key for download in plan.pythons] + [path.name for path, _ in plan.given],
    }
    if made is not None:
        answer["made"] = {
            "folder": str(made.folder),
            "sha256": made.digest,
            "bytes": made.bytes,
            "files": made.files,
            "without": [{"python": name, "why": why} for name, why in made.without],
        }
    return answer


def readme(plan: Plan, lang: str) -> str:
    """Return the page that travels with a bundle."""
    rows = [
        f"- `{target.name}`: {' + '.join(' '.join(pair) for pair in target.builds)}, "
        f"Python {target.question.python}, {target.question.uv_platform}"
        for target in plan.targets
    ]
    return _text(lang, "readme", targets="\n".join(rows))


class Fetching:
    """Adds up the bytes of several downloads."""

    def __init__(self, view: Progress, total: int | None) -> None:
        self._view, self._total, self._done = view, total or 0, 0
        self._lock = threading.Lock()

    def more(self, count: int) -> None:
        with self._lock:
            self._done += count
            total = max(self._total, self._done)
            self._view.advance(self._done, total, f"{megabytes(self._done)} / {megabytes(total)}")


def _size(count: int | None) -> str:
    return "?" if count is None else megabytes(count)
