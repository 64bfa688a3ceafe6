"""The watched child on Windows Python: endings as Windows names them, and the end of a whole family."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from winehost import windows

if TYPE_CHECKING:
    from winehost import Wine

pytestmark = pytest.mark.wine
ROOT = Path(__file__).parents[2]
PROVE = """
import sys
from pathlib import Path
from trueup.proof.model import Timeouts
from trueup.proof.train import prove
child = Path(sys.argv[2])
proof = prove(Path(sys.executable), "gpu", framework=sys.argv[1], child=child, timeouts=Timeouts(train=10))
print(proof.outcome.value, proof.phase, proof.ending, proof.last_lines[-1:])
"""


@pytest.mark.parametrize(
    ("case", "answer"),
    [
        ("good", "proven compare None ()"),
        ("crash", "crashed devices 0xC0000005"),
        ("exit-7", "crashed start exit status 7"),
        ("hang", "hung train None"),
        ("garbage", "unreadable start None"),
    ],
)
def test_an_ending(wine: Wine, tmp_path: Path, case: str, answer: str) -> None:
    child = windows(ROOT / "tests" / "proof" / "fake_child.py")
    note = windows(tmp_path / "pid")
    variables = {"PYTHONPATH": str(windows(ROOT / "src")), "TRUEUP_TEST_PID": str(note)}
    done = wine.py("-c", PROVE, case, child, timeout=300, **variables)
    assert done.stdout.startswith(answer), done.stdout + done.stderr
