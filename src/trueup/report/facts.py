"""Answers of the tables as text."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.report import marks
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Answer = Mapping[str, Any]

SCHEMA = Path(__file__).with_name("schemas") / "facts-1.json"  # of the answers as JSON


def render(answer: Answer, lang: str) -> str:
    """Return the text of a `trueup.facts/1` document."""
    made: dict[str, Callable[[Answer, str], list[str]]] = {
        "frameworks": _frameworks,
        "release": _release,
        "matrix": _matrix,
        "library": _library,
        "gpu": _gpu,
        "driver": _driver,
        "cuda": _cuda,
    }
    return "\n".join(made[answer["about"]](answer, lang))


def render_sources(found: Sequence[Answer], lang: str) -> str:
    """Return a list of sources: name, day, confidence, address, and what others say."""
    lines = ["", _word("sources", lang)]
    for source in found:
        sure = _word(f"confidence-{source['confidence']}", lang)
        lines.append(f"  - {source['name']}{marks.aside(marks.clauses((source['date'], sure), lang), lang)}")
        lines += [f"    {source['address']}"] if source.get("address") else []
        lines += (
            [f"    {marks.pair(_word('conflict', lang), source['conflict'], lang)}"]
            if source.get("conflict")
            else []
        )
    return "\n".join(lines)


def _word(name: str, lang: str, **params: str | int) -> str:
    return say(Message(f"facts.{name}", params), lang)


def cell_len(text: str) -> int:
    """Return how many cells of a terminal a text takes; Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(cell_len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    rule = ["-" * w for w in widths]
    return [
        "  ".join(c + " " * (w - cell_len(c)) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in (head, rule, *rows)
    ]


def _pairs(pairs: Sequence[tuple[str, str | None]], lang: str) -> list[str]:
    shown = [(_word(name, lang), text) for name, text in pairs if text]
    width = max((cell_len(name) for name, _ in shown), default=0)
    return [f"  {name}{' ' * (width - cell_len(name))}  {text}" for name, text in shown]


def _code(code: Answer, lang: str) -> str:
    if not code["known"]:
        return _word("not-read", lang)
    ptx = f" + PTX {' '.join(code['ptx'])}" if code["ptx"] else ""
    return " ".join(code["sass"]) + ptx


def _floor(driver: Answer | None, lang: str) -> str | None:
    if not driver:
        return None
    least, full = driver["minor_compatible"] or driver["full"], driver["full"]
    if not least:
        return _word("not-read", lang)
    return f">= {least}" if full in (None, least) else _word("floor", lang, least=least, full=full)


def _frameworks(answer: Answer, lang: str) -> list[str]:
    head = [_word(n, lang) for n in ("framework", "newest", "newest-cuda", "builds", "packages")]
    rows = [
        [
            r["framework"],
            r["newest"] or "-",
            r["newest_cuda"] or "-",
            str(r["builds"]),
            ", ".join(r["packages"]),
        ]
        for r in answer["frameworks"]
    ]
    return _table(head, rows)


def _release(answer: Answer, lang: str) -> list[str]:
    lines = [_word("releases", lang, versions=", ".join(answer["releases"]))]
    for build in answer["builds"]:
        where = f"{build['platform']} {build['arch']}"
        lines += [
            "",
            f"{build['package']} {build['version']} · {where} · {_word('flavour-' + build['flavour'], lang)}",
        ]
        lines += _pairs(_of_build(build, lang), lang)
        lines += [f"  ! {say(Message(code), lang)}" for code in build["notes"]]
    return lines


def _of_build(build: Answer, lang: str) -> list[tuple[str, str | None]]:
    cuda = (
        marks.clauses((build["cuda"], f"cuDNN {build['cudnn'] or '-'}"), lang)
        + marks.aside(_word("from-" + build["cuda_from"], lang), lang)
        if build["cuda"]
        else None
    )
    gpu = build["flavour"] == "cuda"
    size = (
        _word("size-text", lang, download=build["download_mb"], disk=build["disk_mb"])
        if build["download_mb"]
        else None
    )
    return [
        ("pythons", " ".join(build["pythons"])),
        ("cuda", cuda),
        ("code", _code(build["code"], lang) if gpu else None),
        ("library-code", _code(build["library_code"], lang) if gpu else None),
        ("driver", _floor(build["driver"], lang)),
        ("glibc", f">= {build['glibc']}" if build["glibc"] else None),
        ("index", build["index"]),
        ("requirements", ", ".join(build["requirements"])),
        ("metadata", ", ".join(r for r in build["metadata"] or () if "extra ==" not in r)),
        ("caps", ", ".join(build["caps"])),
        ("size", size),
    ]


def _library(answer: Answer, lang: str) -> list[str]:
    lines = [answer["asked"]]
    lines += [f"  {os}: {' '.join(reversed(found))}" for os, found in answer["versions"].items() if found]
    for wheel in answer["wheels"]:
        size = {"download": round(wheel["download"] / 1e6), "disk": round(wheel["unpacked"] / 1e6)}
        lines += [
            "",
            f"{wheel['version']} · {wheel['platform']} {wheel['arch']} · {_word('size-text', lang, **size)}",
        ]
        lines += [f"  {name}" for name in wheel["libraries"]]
    return lines


def _matrix(answer: Answer, lang: str) -> list[str]:
    head = [
        _word(n, lang)
        for n in ("package", "release", "system", "flavour", "pythons", "cuda", "cudnn", "code", "driver")
    ]
    rows = [
        [
            b["package"],
            b["version"],
            f"{b['platform']} {b['arch']}",
            b["index"].rsplit("/", 1)[-1] if b["index"] else b["flavour"],
            _range(b["pythons"]),
            b["cuda"] or "-",
            b["cudnn"] or "-",
            _code(b["code"], lang) if b["flavour"] == "cuda" else "-",
            _floor(b["driver"], lang) or "-",
        ]
        for b in answer["builds"]
    ]
    return _table(head, rows)


def _range(pythons: Sequence[str]) -> str:
    return pythons[0] if len(pythons) == 1 else f"{pythons[0]}-{pythons[-1]}"


def _gpu(answer: Answer, lang: str) -> list[str]:
    lines = [f"{answer['name']} · {_word('vendor-' + answer['vendor'], lang)}"]
    if not answer["capabilities"]:
        return [
            *lines,
            _word("card-unknown" if answer["vendor"] in ("nvidia", "unknown") else "card-foreign", lang),
        ]
    if answer["ambiguous"]:
        lines.append(
            _word(
                "card-ambiguous",
                lang,
                capabilities=", ".join(c["capability"] for c in answer["capabilities"]),
            )
        )
    for kind in answer["capabilities"]:
        lines += _pairs(
            [
                ("capability", f"{kind['capability']} ({kind['architecture']})"),
                ("first-cuda", kind["first_cuda"]),
                ("last-cuda", kind["last_cuda"] or _word("still", lang)),
                ("first-branch", str(kind["first_driver_branch"] or "") or None),
                ("last-branch", str(kind["last_driver_branch"] or "") or _word("still", lang)),
            ],
            lang,
        )
    return lines


def _driver(answer: Answer, lang: str) -> list[str]:
    lines = [
        _word(
            "driver-line", lang, driver=answer["asked"], branch=answer["branch"], cuda=answer["cuda"] or "-"
        )
    ]
    for os in ("windows", "linux"):
        mine = [line for line in answer["lines"] if line["os"] == os]
        pairs = [("runs-full", _cudas(mine, "full")), ("runs-minor", _cudas(mine, "minor"))]
        lines += [_word(f"as-{os}", lang), *_pairs(pairs, lang)]
    if answer["capabilities_without"]:
        lines.append(_word("without-cards", lang, capabilities=" ".join(answer["capabilities_without"])))
    return lines


def _cudas(lines: Sequence[Answer], reach: str) -> str | None:
    return " ".join(line["cuda"] for line in lines if line["reach"] == reach) or None


def _cuda(answer: Answer, lang: str) -> list[str]:
    head = [_word(n, lang) for n in ("system", "driver-minor", "driver-full")]
    rows = [[f["os"], f["minor_compatible"] or "-", f["full"] or "-"] for f in answer["floors"]]
    lines = [*_table(head, rows), "", _word("targets", lang, capabilities=" ".join(answer["capabilities"]))]
    made = (f"  {b['package']} ({b['platform']}): {', '.join(b['versions'])}" for b in answer["builds"])
    return [*lines, *made]
