"""Facts that a report states in its own lines: `- CUDA/cuDNN version: 11.2 / 8.1`, a heading and its answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# What issue forms and people call a fact, folded: what is left of a key without brackets and decoration.
KEYS = {
    "os": "os_version", "os version": "os_version", "os platform": "os_version", "operating system": "os_version",
    "os platform and distribution": "os_version", "os and version": "os_version", "system": "os_version",
    "操作系统": "os_version", "系统": "os_version", "系统版本": "os_version",
    "windows version": "windows", "windows": "windows", "windows build": "windows",
    "wsl version": "wsl", "distro": "distro", "distro version": "distro", "distribution": "distro",
    "linux distribution": "distro", "kernel version": "kernel",
    "tensorflow version": "tensorflow", "tensorflow": "tensorflow", "tf version": "tensorflow", "tf": "tensorflow",
    "tensorflow-gpu": "tensorflow", "tensorflow-gpu version": "tensorflow", "tensorflow版本": "tensorflow",
    "pytorch version": "torch", "pytorch": "torch", "torch": "torch", "torch version": "torch", "pytorch版本": "torch",
    "jax version": "jax", "jax": "jax", "onnx runtime version": "onnxruntime", "onnxruntime version": "onnxruntime",
    "onnx runtime": "onnxruntime", "onnxruntime": "onnxruntime", "onnxruntime-gpu": "onnxruntime",
    "paddle version": "paddle", "paddlepaddle version": "paddle", "paddlepaddle-gpu": "paddle",
    "python version": "python", "python": "python", "version python": "python", "python版本": "python",
    "cuda/cudnn version": "cuda/cudnn", "cuda/cudnn": "cuda/cudnn", "cuda and cudnn version": "cuda/cudnn",
    "cuda cudnn version": "cuda/cudnn", "cuda / cudnn version": "cuda/cudnn", "cuda, cudnn version": "cuda/cudnn",
    "cuda version": "cuda", "cuda": "cuda", "cuda toolkit": "cuda", "cuda tool kit": "cuda", "cuda toolkit version": "cuda", "cuda版本": "cuda",
    "cudnn version": "cudnn", "cudnn": "cudnn", "cudnn版本": "cudnn",
    "gpu": "gpu", "gpu model": "gpu", "gpu model and memory": "gpu", "gpu models and configuration": "gpu",
    "gpu type": "gpu", "gpu name": "gpu", "graphics card": "gpu", "graphic card": "gpu", "video card": "gpu",
    "显卡": "gpu", "显卡型号": "gpu",
    "driver": "driver", "driver version": "driver", "nvidia driver": "driver", "nvidia driver version": "driver",
    "gpu driver": "driver", "gpu driver version": "driver", "显卡驱动": "driver", "驱动版本": "driver", "驱动": "driver",
    "framework": "framework", "install": "install", "installed using": "install", "installed using virtualenv? pip? conda?": "install",
    "how you installed pytorch": "install", "how you installed tensorflow": "install",
    "cpu": "cpu", "processor": "cpu", "处理器": "cpu", "numpy": "numpy", "numpy version": "numpy", "pip version": "pip",
    "tensorflow installed from": "installed_from", "source": "installed_from",
}  # fmt: skip
DIGITS = frozenset(
    {"tensorflow", "torch", "jax", "onnxruntime", "paddle", "python", "driver", "numpy", "pip", "wsl"}
)
MARK = re.compile(r"[:：=]| [-–] ")
BARE = re.compile(
    r"(?:nvidia )?(tensorflow(?:-gpu)?|tf|cuda(?: tool ?kit)?|cudnn|python|pytorch|torch|nvidia driver|driver|jax|onnxruntime-gpu|onnx runtime)"
    r"[ \t]{0,3}\(?(?:version|is|版本)?[ \t]{0,3}v?(\d{1,3}(?:\.\d{1,5}){1,3})(?![\w.]*[/\\])[^=:]{0,40}",
    re.IGNORECASE,
)
CARD = re.compile(
    r"(?:gpu|graphics card|显卡)[ \t]{1,3}([a-z]{2,9}[ \t]?[a-z]{0,5}[ \t]?\d{2,4}.{0,40})", re.IGNORECASE
)
PARTS = re.compile(r"[,，;；、|+]|\band\b")
BRACKETS = re.compile(r"\s{0,2}[(（][^()（）]{0,120}[)）]")
EMPTY = frozenset({"_no response_", "no response", "n/a", "na", "-", "--", "?", "unknown", "no"})
REACH = 3  # lines from a heading to its answer
LONGEST_KEY, LONGEST_LINE = 130, 300
DECORATION = " \t*`_>-,;="


def folded(key: str) -> str:
    """Return a key as the table has it: without brackets, decoration and capitals."""
    return " ".join(BRACKETS.sub(" ", key).lower().strip(" \t*_`#>-+.•·|").split())


def canonical_key(key: str) -> str:
    """Return the name under which a stated fact is known; itself where it is none of ours."""
    return KEYS.get(folded(key.replace("_", " ")), key)


def stated(lines: Iterable[str]) -> dict[str, str]:
    """Return the facts of the lines; the first statement of a fact counts."""
    found: dict[str, str] = {}
    for key, value in _pairs(lines):
        if value.lower().strip(" .") not in EMPTY and _says(key, value):
            found.setdefault(key, value)
    return found


def _pairs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    asked, left = "", 0
    for line in lines:
        text = line.strip()
        if text.startswith(("#", "**")) and len(text) < LONGEST_KEY:
            heading = KEYS.get(folded(text.strip("*: ：")))
            if heading is not None:
                asked, left = heading, REACH
                continue
        key, value = _split(text)
        if key is not None:
            yield key, value
        elif asked and left and text and not text.startswith("#"):
            yield asked, text.strip(DECORATION)
            asked = ""
        elif len(text) < LONGEST_KEY:
            yield from _bare(text)
        left -= bool(left)


def _bare(text: str) -> Iterator[tuple[str, str]]:
    """Take a line of names and versions apart: `CUDA 10.2`, `Win10，CUDA11.2，cuDNN8.1`."""
    for part in PARTS.split(text):
        hit = BARE.fullmatch(part.strip(DECORATION))
        card = CARD.fullmatch(part.strip(DECORATION))
        if hit is not None:
            yield KEYS.get(folded(hit[1]), "driver"), hit[2]
        elif card is not None:
            yield "gpu", card[1]


def _split(text: str) -> tuple[str | None, str]:
    """Take a line apart at its first mark: a colon or an equals sign."""
    mark = MARK.search(text, 1, LONGEST_KEY) if len(text) < LONGEST_LINE else None
    if mark is None:
        return None, ""
    key, value = text[: mark.start()], text[mark.end() :].strip(DECORATION)
    return (KEYS.get(folded(key)), value) if value and value[0] not in ":=" else (None, "")


def _says(key: str, value: str) -> bool:
    """Tell a statement from a program's own output under the same word."""
    if key in DIGITS and not any(char.isdigit() for char in value):
        return False
    if key == "gpu":
        return any(char.isalpha() for char in value) and not value.lower().startswith(
            ("true", "false", "cuda:")
        )
    return not (
        key in ("cuda", "cudnn", "os_version", "windows") and ("\\" in value or value.startswith("/"))
    )
