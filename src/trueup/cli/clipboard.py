"""The text on the clipboard, by the tool that each desktop has."""

from __future__ import annotations

import shutil
import subprocess
import sys

from trueup.values import Message, TrueupError

WINDOWS = (
    "powershell.exe",
    "-NoProfile",
    "-Command",
    "[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw",
)
TOOLS = (
    ("wl-paste", "--no-newline"),
    ("xclip", "-selection", "clipboard", "-o"),
    ("xsel", "--clipboard", "--output"),
    ("pbpaste",),
    WINDOWS,
)
PATIENCE_S = 20


def read() -> str:
    """Return the clipboard's text; refuse where no tool gives it."""
    for tool in (WINDOWS,) if sys.platform == "win32" else TOOLS:
        if shutil.which(tool[0]):
            try:
                done = subprocess.run(tool, capture_output=True, timeout=PATIENCE_S, check=False)
            except (OSError, subprocess.TimeoutExpired):
                continue
            if done.returncode == 0:
                return done.stdout.decode("utf-8", "replace")
    raise TrueupError(Message("diagnose.no-clipboard"), Message("diagnose.no-clipboard-hint"))
