"""For which system a text, or a place in it, speaks."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueup.facts.model import Platform
    from trueup.fit.audit.model import Kind, System
    from trueup.fit.audit.plain import Plain

WINDOWS = re.compile(
    r"\bwin(?:dows|10|11)\b|\bwindows(?=\d)|[A-Z]:\\|\bsetx\b|powershell|\.dll\b|\bcmd\.exe|%PATH%|\bwin-?64\b",
    re.IGNORECASE | re.ASCII,
)
LINUX = re.compile(
    r"\bubuntu\b|\bdebian\b|\bcentos\b|\blinux\b|\bapt(?:-get)? install|\bsudo\b|LD_LIBRARY_PATH|/usr/|\.bashrc",
    re.IGNORECASE | re.ASCII,
)
MAC = re.compile(r"\bmac ?os\b|\bapple\b|\bmetal\b", re.IGNORECASE | re.ASCII)
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
        self._titles = [(m.start(), m[0]) for m in HEADING.finditer(plain.text)]
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
        above = next((system for place, system in reversed(self._headings) if place <= position), None)
        if said == "linux" and above == "wsl2":
            return above  # a Linux command below a heading about WSL
        return said or above or self.system

    def elsewhere(self, position: int) -> bool:
        """Say whether a place speaks of a system that the facts do not cover."""
        start, end = self._plain.sentence(position)
        above = [text for place, text in self._titles if place <= position]
        return bool(MAC.search(self._plain.text, start, end) or (above and MAC.search(above[-1])))

    def says(self, pattern: re.Pattern[str], position: int) -> bool:
        """Say whether the sentence around a place holds a pattern."""
        return bool(pattern.search(self._plain.text, *self._plain.sentence(position)))

    def denied(self, pattern: re.Pattern[str], position: int) -> bool:
        """Say whether what follows takes the statement back."""
        return bool(pattern.match(self._plain.text, position))

    def platforms(self, position: int) -> tuple[Platform, ...]:
        """Return the platforms whose builds serve there; both where the text does not say."""
        system = self.at(position)
        if system is None:
            return ("windows", "linux")
        return ("windows",) if system == "windows-native" else ("linux",)


@lru_cache(maxsize=512)
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
