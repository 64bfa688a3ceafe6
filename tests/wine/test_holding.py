"""A DLL that another Windows program has loaded: the refusal names that program, and it is not ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from winehost import Wine, dll, windows

pytestmark = pytest.mark.wine
CODE = """
import ctypes, subprocess, sys
from pathlib import Path
from trueup.setup import files
if len(sys.argv) > 2:
    ctypes.WinDLL(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.read()
    raise SystemExit
path = Path(sys.argv[1])
command = [sys.executable, __file__, sys.argv[1], "hold"]
child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
child.stdout.readline()
try:
    path.unlink()
except OSError as error:
    failed = files.failed(error, path)
    by = str(failed.message.params.get("by"))
    print(error.winerror, failed.kind, by.count("("), child.poll() is None)
child.communicate("")
path.unlink()
print("gone")
"""


def test_the_program_that_has_a_library_loaded_is_named(wine: Wine, tmp_path: Path) -> None:
    library = tmp_path / "nvidia" / "cudnn64_8.dll"
    dll(library, "__declspec(dllexport) int x(void) { return 1; }")
    (tmp_path / "holder.py").write_text(CODE)
    source = windows(Path(__file__).parents[2] / "src")
    told = wine.out(tmp_path / "holder.py", library, timeout=240, PYTHONPATH=source)
    assert told.split() == ["5", "held", "1", "True", "gone"]
