"""The layering is enforced: a deliberate wrong import fails the linter that CI runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import trueup

ROOT = Path(__file__).resolve().parent.parent
WRONG = {
    "facts/wrong.py": "from trueup.machine import model\n",
    "machine/wrong.py": "from trueup.facts import model\n",
    "fit/wrong.py": "import subprocess\n",
    "setup/wrong.py": "from trueup.proof import model\n",
    "diagnose/wrong.py": "import rich\n",
    "report/wrong.py": "from trueup.cli import main\n",
}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--no-cache",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(
        Path(trueup.__file__).parent,
        folder / "src" / "trueup",
        ignore=shutil.ignore_patterns("__pycache__", "*.json"),
    )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_the_tree_as_it_is_passes(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("place", WRONG)
def test_a_wrong_import_fails(copy: Path, place: str) -> None:
    wrong = copy / "src" / "trueup" / place
    wrong.write_text(WRONG[place])
    try:
        result = lint(copy)
    finally:
        wrong.unlink()
    assert result.returncode != 0
    assert place.removesuffix(".py").replace("/", ".") in result.stdout
