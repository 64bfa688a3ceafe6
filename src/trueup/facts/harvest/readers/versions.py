"""Version numbers as builds write them."""

from __future__ import annotations

import re
from typing import Any


def cuda(text: Any) -> str | None:
    """Return "11.2" for "11.2", "11.2.152", "64_112" (TensorFlow on Windows) or "112"; None where none is said.

    Of digits without a dot the last is the minor number, as in the names of CUDA's own DLLs. Two digits from
    10 to 19 are a major number alone: there the DLL carries no minor.
    """
    value = _plain(text)
    if value is None:
        return None
    if "." in value:
        return ".".join(value.split(".")[:2])
    if len(value) == 1 or (len(value) == 2 and value[0] == "1"):
        return value
    return f"{value[:-1]}.{value[-1]}"


def cudnn(text: Any) -> str | None:
    """Return "8" for "64_8", "8.6.0" for itself, "9.1.0" for the packed 90100 and "8.9.2" for 8902."""
    value = _plain(text)
    if value is None or "." in value or len(value) < 4:
        return value
    number = int(value)
    if number >= 90000:  # from cuDNN 9 on: major * 10000 + minor * 100 + patch
        return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return f"{number // 1000}.{number // 100 % 10}.{number % 100}"


def capability(text: str) -> str | None:
    """Return "8.6" for "sm_86" or "compute_86", "9.0a" for "sm_90a", "12.0" for "120" and "8.6"."""
    found = re.fullmatch(r"(?:sm_|compute_)?(\d{1,2})\.?(\d)([af]?)", text.strip())
    return f"{int(found[1])}.{found[2]}{found[3]}" if found else None


def _plain(text: Any) -> str | None:
    """Return digits and dots, without the "64_" of a Windows DLL's name."""
    value = str(text or "").strip().removeprefix("64_")
    return value if re.fullmatch(r"\d+(\.\d+)*", value) else None
