"""Makers of small binaries and the worlds made of data lie beside other tests."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS / "binary"), str(TESTS / "machine")]
