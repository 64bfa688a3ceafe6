"""No test writes to the history of whoever runs it; those of the history turn it on for a folder of their own."""

from __future__ import annotations

import os

os.environ["TRUEUP_NO_HISTORY"] = "1"
