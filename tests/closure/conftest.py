"""The makers of small binaries live with the tests of their readers."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "binary"))
