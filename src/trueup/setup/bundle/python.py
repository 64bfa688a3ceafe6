"""Archives of Python for a target: which one uv would take, from where, and whether it is the one that uv knows."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from packaging.version import Version

from trueup.setup.bundle.errors import BundleError
from trueup.setup.bundle.manifest import Archive
from trueup.setup.errors import SetupError
from trueup.setup.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trueup.setup.uv import Uv

FOR_TRUEUP: Final = "3.12"  # where the environment's own Python is too old for trueup itself
RELEASES: Final = re.compile(r"^https?://.+?/releases/download/")
GIVEN: Final = re.compile(r"(?:cpython-|python[.-])(?P<series>3\.\d+)(?:\.\d+)?[^/]*", re.IGNORECASE)
LIBC: Final = {"windows": "none", "linux": "gnu"}
INSTALL_TIMEOUT_S: Final = 600


@dataclass(frozen=True, slots=True)
class Download:
    """A Python that uv knows. `file` is its name in a bundle; uv finds it there as at a mirror."""

    key: str
    url: str
    archive: Archive


def available(uv: Uv, wanted: Sequence[tuple[str, str, str]]) -> list[Download]:
    """Return the newest release of each (series, platform, arch) that this uv knows; no network is asked."""
    command = [
        "python",
        "list",
        "--only-downloads",
        "--all-platforms",
        "--all-versions",
        "--output-format",
        "json",
    ]
    rows = json.loads(uv.run(command, timeout=120))
    found = []
    for series, platform, arch in wanted:
        fitting = [
            row
            for row in rows
            if (row["implementation"], row["variant"], row["os"], row["arch"], row["libc"])
            == ("cpython", "default", platform, arch, LIBC[platform])
            and row["version"].rpartition(".")[0] == series
            and row.get("url")
        ]
        if fitting:
            best = max(fitting, key=lambda row: Version(row["version"]))
            found.append(_download(best, series, uv.env.get("UV_PYTHON_INSTALL_MIRROR")))
    return found


def _download(row: dict[str, str], series: str, mirror: str | None) -> Download:
    rest = RELEASES.sub("", row["url"])
    url = f"{mirror.rstrip('/')}/{rest}" if mirror else row["url"]
    return Download(row["key"], url, Archive(series, row["os"], row["arch"], f"python/{unquote(rest)}"))


def check(uv: Uv, download: Download, bundle: Path) -> None:
    """Let uv compare the archive with the sum that it carries. Raises SetupError `hash` or `broken-file`."""
    with scratch() as folder:
        env = {**uv.env, "UV_PYTHON_INSTALL_MIRROR": (bundle / "python").absolute().as_uri()}
        command = [
            "python",
            "install",
            download.key,
            "--install-dir",
            str(folder),
            "--no-bin",
            "--no-registry",
        ]
        try:
            replace(uv, env=env).run(command, timeout=INSTALL_TIMEOUT_S)
        except SetupError as error:
            if error.kind in {"hash", "broken-file"}:
                raise


def given(path: Path) -> Archive:
    """Return what an archive is that the user brings, by its name. Raises BundleError `bad-archive`."""
    name = path.name
    found = GIVEN.match(name)
    if not path.is_file() or found is None:
        raise BundleError("bad-archive", name=str(path), what=os.strerror(2) if not path.is_file() else name)
    windows = "windows" in name or name.endswith((".nupkg", ".zip"))
    arch = "aarch64" if re.search(r"aarch64|arm64", name) else "x86_64"
    return Archive(found["series"], "windows" if windows else "linux", arch, f"python/given/{name}")
