"""Global toolkits on Windows Python: versions from real resources, cuDNN into a toolkit and out again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from winehost import Wine, dll, windows

KEEP = Path(__file__).parents[1] / "keep"
sys.path.insert(0, str(KEEP))
from cuda_worlds import PARTS8, header  # noqa: E402  # lies beside the tests of keep
from cudnn_archives import windows_files, zipped  # noqa: E402

if TYPE_CHECKING:
    import subprocess

pytestmark = pytest.mark.wine
SOURCE = windows(Path(__file__).parents[2] / "src")
CODE = "__declspec(dllexport) int here(void) { return 1; }\n"
LIBRARIES = {
    "cudart64_110": "6,14,11,11080", "cublas64_11": "6,14,11,11113", "cublasLt64_11": "6,14,11,11113",
    "cufft64_10": "6,14,11,1090", "curand64_10": "6,14,11,1030", "cusolver64_11": "6,14,11,1141",
    "cusparse64_11": "6,14,11,1175",
}  # fmt: skip


@pytest.fixture
def toolkit(tmp_path: Path) -> Path:
    """Return a toolkit 11.8 whose cuDNN 8.1 somebody mixed with a file of 8.6."""
    root = tmp_path / "工具包 (x)" / "v11.8"
    made = {**LIBRARIES, **dict.fromkeys(PARTS8, "8,1,0,77"), "cudnn_cnn_infer64_8": "8,6,0,163"}
    for name, version in made.items():
        dll(root / "bin" / f"{name}.dll", CODE, version=version)
    (root / "include").mkdir()
    (root / "include" / "cudnn_version.h").write_text(header("8.1.0.77"))
    (root / "lib" / "x64").mkdir(parents=True)
    (root / "lib" / "x64" / "cudnn.lib").write_text("old")
    (root / "version.json").write_text(
        '{"cuda": {"version": "11.8.0"}, "libcublas": {"version": "11.11.3.6"}}'
    )
    return root


def trueup(wine: Wine, home: Path, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    place = windows(home)
    mine = {
        "PYTHONPATH": SOURCE,
        "PYTHONUTF8": "1",
        "LOCALAPPDATA": place,
        "WIN_PD_OVERRIDE_LOCAL_APPDATA": place,
    }
    return wine.py("-m", "trueup", *words, timeout=600, **mine, **variables)


def tree(root: Path) -> dict[str, Any]:
    return {str(p.relative_to(root)): p.is_dir() or p.read_bytes() for p in sorted(root.rglob("*"))}


def findings(answer: dict[str, Any]) -> set[str]:
    return {one["id"] for one in answer["toolkits"][0]["findings"]}


def test_versions_are_read_from_resources_and_a_copy_comes_back_to_the_byte(
    wine: Wine, toolkit: Path, tmp_path: Path
) -> None:
    name = "cudnn-windows-x86_64-8.9.7.29_cuda11-archive.zip"
    archive, home = zipped(tmp_path / name, windows_files()), tmp_path / "家"
    home.mkdir()
    before = tree(toolkit)
    done = trueup(wine, home, "cuda", "doctor", toolkit, "--json")
    assert done.returncode == 1, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    read = {one["name"]: one["version"] for one in answer["toolkits"][0]["libraries"]}
    assert (read["cudart64_110.dll"], read["cublas64_11.dll"]) == ("11.8", "11.11")
    assert read["cudnn_cnn_infer64_8.dll"] == "8.6.0.163"
    assert findings(answer) >= {"cudnn-mixed", "not-on-path"}

    done = trueup(wine, home, "cuda", "add-cudnn", archive, "--to", toolkit, "--yes", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    added = json.loads(done.stdout)
    assert (added["outcome"], added["cudnn"], len(added["aside"])) == ("done", "8.9.7.29", 9)
    done = trueup(wine, home, "cuda", "doctor", toolkit, "--json")
    assert findings(json.loads(done.stdout)).isdisjoint(
        {"cudnn-mixed", "cudnn-incomplete", "cudnn-header-differs"}
    )
    assert json.loads(done.stdout)["toolkits"][0]["cudnn_header"] == "8.9.7"

    done = trueup(wine, home, "undo", "--yes", "--lang", "zh")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "已全部撤回" in done.stdout
    assert tree(toolkit) == before


def test_an_archive_for_another_line_changes_nothing(wine: Wine, toolkit: Path, tmp_path: Path) -> None:
    archive, before = zipped(tmp_path / "cudnn.zip", windows_files(line="12")), tree(toolkit)
    done = trueup(wine, tmp_path, "cuda", "add-cudnn", archive, "--to", toolkit, "--yes", "--lang", "en")
    assert done.returncode == 2
    assert "is for CUDA 12" in done.stderr
    assert tree(toolkit) == before


def test_the_line_for_an_administrator_starts_the_same_command(wine: Wine) -> None:
    code = (
        "from pathlib import Path; from trueup.keep.cuda.add import elevated\n"
        "print(elevated(Path(r'C:\\下 载\\a.zip'), Path(r'C:\\Program Files\\x')))"
    )
    line = wine.out("-c", code, PYTHONPATH=SOURCE, PYTHONUTF8="1")
    assert line.startswith("Start-Process -Verb RunAs -Wait -FilePath 'C:\\")
    assert "'\"C:\\下 载\\a.zip\"'" in line
    assert line.endswith("'\"--to\"','\"C:\\Program Files\\x\"','\"--yes\"'")
