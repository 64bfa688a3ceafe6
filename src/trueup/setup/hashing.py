"""Hashes for a list of exact requirements, asked of the index by uv; nothing is installed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from trueup.setup.scratch import scratch

if TYPE_CHECKING:
    from trueup.setup.uv import Uv


def with_hashes(text: str, python: str, uv: Uv, form: Literal["requirements.txt", "pylock.toml"]) -> str:
    """Return the requirements with the hashes of their files. Raises SetupError.

    `python` is an interpreter, or a version where that one is gone: any other then does the work for it.
    """
    asked = ["--python" if Path(python).is_absolute() else "--python-version", python]
    with scratch() as folder:
        source, out = (
            folder / "requirements.in",
            folder / ("pylock.toml" if "toml" in form else "out.txt"),
        )
        source.write_text(text, "utf-8")
        uv.run(
            [
                "pip", "compile", str(source), "--no-deps", "--generate-hashes", "--no-header", "--no-annotate",
                "--format", form, "--output-file", str(out), *asked, "--no-python-downloads",
            ],
            timeout=600, cwd=folder,
        )  # fmt: skip
        return out.read_text("utf-8")
