"""Read file lists of projects from PyPI through pip's own session, into data/wheels/NAME.json.

usage: wheels.py DATE PROJECT...

A row is [file name, sha256, bytes]; wheels for Windows and glibc Linux only, final releases unless the
project never made one. Yanked files are left out: a resolver would not take them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from pip._internal.commands.download import DownloadCommand

if TYPE_CHECKING:
    from packaging.version import Version

OUT = Path(__file__).parents[2] / "src/trueup/facts/data/wheels"
ACCEPT = {"Accept": "application/vnd.pypi.simple.v1+json"}
PRE_RELEASES_ONLY = {"tensorflow-directml-plugin", "torch-directml", "tensorflow-directml"}


def wanted(file: dict[str, Any], pre: bool) -> tuple[Version, str] | None:
    """Return the sort key of a file that belongs into the table."""
    try:
        _, version, _, tags = parse_wheel_filename(file["filename"])
    except InvalidWheelFilename:
        return None
    platforms = {t.platform for t in tags}
    ours = any(
        p in ("any", "win_amd64", "win_arm64") or "manylinux" in p or p == "linux_x86_64" for p in platforms
    )
    if file["yanked"] or not ours or (version.is_prerelease and not pre):
        return None
    return version, file["filename"]


def main(date: str, projects: list[str]) -> None:
    command = DownloadCommand("download", "")
    options, _ = command.parse_args([])
    session = command._build_session(options)  # noqa: SLF001  # the session carries the user's index settings
    for project in projects:
        answer = session.get(f"{options.index_url.rstrip('/')}/{project}/", headers=ACCEPT)
        answer.raise_for_status()
        found = [(k, f) for f in answer.json()["files"] if (k := wanted(f, project in PRE_RELEASES_ONLY))]
        rows = [
            [f["filename"], f["hashes"]["sha256"], f["size"]] for _, f in sorted(found, key=lambda x: x[0])
        ]
        source = {"name": f"PyPI project {project}: file list", "date": date, "confidence": "high"}
        lines = ",\n".join(json.dumps(r) for r in rows)
        text = f'{{"project": "{project}", "source": {json.dumps(source)}, "files": [\n{lines}\n]}}\n'
        (OUT / f"{project}.json").write_text(text, encoding="utf-8")
        print(project, len(rows))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
