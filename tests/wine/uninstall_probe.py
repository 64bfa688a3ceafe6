"""Runs on Windows Python in an installed trueup: uninstalls it. Not a test itself."""

from __future__ import annotations

import sys
from pathlib import Path

from trueup.cli import places
from trueup.cli.main import run


def main(data: Path) -> int:
    places.data_folder = lambda: data
    places.own_folders = lambda: (data / "Cache", data)
    return run(["self", "uninstall", "--yes"])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
