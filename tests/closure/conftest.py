"""The makers of small binaries and wheels live with the tests of their readers."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / room) for room in ("binary", "harvest")]
