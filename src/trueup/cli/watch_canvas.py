"""A full screen that is drawn anew each second for little: only lines that changed are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import COLOR_SYSTEMS
from rich.live import Live
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

    from trueup.report.watch_parts import Line


def text_of(line: Line) -> Text:
    """Return a line as rich prints it."""
    text = Text(no_wrap=True, overflow="crop")
    for part, style in line:
        text.append(part, style)
    return text


class Canvas:
    """The terminal's other screen, given back at the end. Windows' old console is left to rich."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False) if console.legacy_windows else None
        self._system = COLOR_SYSTEMS.get(console.color_system or "")
        self._codes: dict[str, tuple[str, str]] = {"": ("", "")}
        self._shown: list[str] = []
        self._size = (0, 0)

    def __enter__(self) -> Canvas:  # noqa: PYI034  # `Self` is of Python 3.11
        if self._live is not None:
            self._live.start()
        else:
            self._console.set_alt_screen(True)
            self._console.show_cursor(False)
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
        else:
            self._console.show_cursor(True)
            self._console.set_alt_screen(False)

    def draw(self, lines: list[Line], size: tuple[int, int]) -> None:
        if self._live is not None:
            self._live.update(Text("\n").join(map(text_of, lines)), refresh=True)
            return
        fresh = [self._ansi(line) for line in lines]
        before, prefix = self._shown, ""
        if size != self._size:
            before, prefix = [], "\x1b[2J"
        fresh += [""] * (len(before) - len(fresh))
        changed = [
            f"\x1b[{row};1H\x1b[2K{text}"
            for row, text in enumerate(fresh, 1)
            if row > len(before) or text != before[row - 1]
        ]
        self._shown, self._size = fresh, size
        encoding = self._console.encoding
        text = (prefix + "".join(changed)).encode(encoding, "replace").decode(encoding)
        self._console.file.write(text)
        self._console.file.flush()

    def _ansi(self, line: Line) -> str:
        return "".join(begin + text + end for text, style in line for begin, end in (self._code(style),))

    def _code(self, name: str) -> tuple[str, str]:
        """Return what switches a style on and off; rich knows the terminal's colours and NO_COLOR."""
        if name not in self._codes:
            style = self._console.get_style(name)
            style = style.without_color if self._console.no_color else style
            begin, _, end = style.render("\0", color_system=self._system).partition("\0")
            self._codes[name] = (begin, end)
        return self._codes[name]
