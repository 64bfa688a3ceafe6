from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "machine" / "fake_nvml.c"


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the stand-in library as `new` and `old`."""
    if sys.platform != "linux" or shutil.which("gcc") is None:
        pytest.skip("compiles a library for Linux")
    root = tmp_path_factory.mktemp("nvml")
    for folder, flags in (("new", []), ("old", ["-DOLD"])):
        (root / folder).mkdir()
        target = str(root / folder / "libnvidia-ml.so.1")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", target, str(SOURCE), *flags], check=True)
    return root
