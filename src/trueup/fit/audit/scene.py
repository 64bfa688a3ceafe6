"""For which system a text, or a place in it, speaks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueup.facts.model import Platform
    from trueup.fit.audit.model import Kind, System
    from trueup.fit.audit.plain import Plain

WINDOWS = re.compile(
    r"\bwin(?:dows|10|11)\b|\bwindows(?=\d)|[A-Z]:\\|\bsetx\b|powershell|\.dll\b|\bcmd\.exe|%PATH%",
    re.IGNORECASE | re.ASCII,
)
LINUX = re.compile(
    r"\bubuntu\b|\bdebian\b|\bcentos\b|\blinux\b|\bapt(?:-get)? install|\bsudo\b|LD_LIBRARY_PATH|/usr/|\.bashrc",
    re.IGNORECASE | re.ASCII,
)
WSL = re.compile(r"\bWSL ?2?\b", re.IGNORECASE | re.ASCII)
GPU = re.compile(r"\bGPU|\bCUDA|cudnn|nvidia|显卡|-gpu\b", re.IGNORECASE | re.ASCII)
HEADING = re.compile(r"^#{1,6} .*$|^[^\n]+\n(?=[=-]{3,}$)", re.MULTILINE)
CLEARLY = 3  # times as many words


class Scene:
    """`system` is the whole text's; `at` asks for one place: its sentence first, then the heading above it."""

    def __init__(self, plain: Plain, kind: Kind, asked: System | None) -> None:
        self._plain = plain
        self.asked = asked
        self.gpu = bool(GPU.search(plain.text))
        self.system = asked or _of(plain.text, kind)
        self._headings = (
            [(m.start(), _said(m[0])) for m in HEADING.finditer(plain.text)]
            if kind in {"text", "notebook"}
            else []
        )

    def at(self, position: int) -> System | None:
        if self.asked:
            return self.asked
        start, end = self._plain.sentence(position)
        said = _said(self._plain.text[start:end])
        if said:
            return said
        above = [system for place, system in self._headings if place <= position]
        return (above[-1] if above else None) or self.system

    def platforms(self, position: int) -> tuple[Platform, ...]:
        """Return the platforms whose builds serve there; both where the text does not say."""
        system = self.at(position)
        if system is None:
            return ("windows", "linux")
        return ("windows",) if system == "windows-native" else ("linux",)


def _said(text: str) -> System | None:
    """Return the one system that a piece of text names, None where it names none or several."""
    windows, linux, wsl = (bool(p.search(text)) for p in (WINDOWS, LINUX, WSL))
    if wsl:
        return None if windows or linux else "wsl2"
    if windows == linux:
        return None
    return "windows-native" if windows else "linux"


def _of(text: str, kind: Kind) -> System | None:
    if kind == "dockerfile":
        return "linux"
    windows, linux = (len(p.findall(text)) for p in (WINDOWS, LINUX))
    if windows and windows >= CLEARLY * linux:
        return "windows-native"
    return "linux" if linux and linux >= CLEARLY * windows else None
