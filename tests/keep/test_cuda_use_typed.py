"""`trueup cuda use` with a toolkit of the PC, as it is typed: shown, asked where somebody sits there, taken back."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from cuda_wheelhouse import environment, survey, tf, tree
from cuda_worlds import header, linux

import trueup.report
from trueup.cli.main import run
from trueup.machine.inventory.cuda import read_cuda
from trueup.setup import hook
from trueup.setup.changes import Store

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Linux' folders")
SCHEMA = json.loads((Path(trueup.report.__file__).parent / "schemas" / "cuda-use-1.json").read_text("utf-8"))
CUDA = "/usr/local/cuda-11.8"
LIBRARIES = ("cudart.so.11.8.89", "cublas.so.11.11.3.6", "cublasLt.so.11.11.3.6", "cufft.so.10.9.0.58",
             "curand.so.10.3.0.86", "cusolver.so.11.4.1.48", "cusparse.so.11.7.5.86")  # fmt: skip
PARTS = ("cudnn", *(f"cudnn_{part}" for part in (
    "ops_infer", "cnn_infer", "adv_infer", "ops_train", "cnn_train", "adv_train")))  # fmt: skip


class Typing(io.StringIO):
    """Somebody who sits there and answers."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def root(tmp_path: Path) -> Path:
    environment(tmp_path / "环境 (x)")
    return tmp_path / "环境 (x)"


@pytest.fixture
def typed(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    files = {f"{CUDA}/version.json": json.dumps({"cuda": {"version": "11.8.0"}})}
    files |= {f"{CUDA}/lib64/lib{name}": "" for name in LIBRARIES}
    files |= {f"{CUDA}/lib64/lib{part}.so.8.9.5": "" for part in PARTS}
    files |= {f"{CUDA}/include/cudnn_version.h": header("8.9.5")}
    world = linux(files)

    def read(_machine: str | None, _env: str) -> Any:
        there = environment(root, tf(version="2.14.1"))
        return world, replace(survey(), environments=(there,), cuda=read_cuda(world))

    monkeypatch.setattr("trueup.cli.cuda.read", read)
    monkeypatch.setattr("trueup.cli.places.changes_store", lambda: Store(tmp_path / "journal"))
    return lambda *words: run(["cuda", "use", *words, "--env", str(root)])


@pytest.mark.parametrize(
    ("answer", "words", "status", "done"),
    [("y\n", [], 0, True), ("n\n", [], 1, False), ("", [], 1, False), ("n\n", ["--yes"], 0, True),
     ("y\n", ["--dry-run"], 0, False), (None, [], 0, True)],
)  # fmt: skip
def test_who_sits_there_is_asked_and_a_script_is_not(
    *,
    typed: Callable[..., int],
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: str | None,
    words: list[str],
    status: int,
    done: bool,
) -> None:
    before = tree(root)
    monkeypatch.setattr("sys.stdin", Typing(answer) if answer is not None else None)
    assert typed("11.8", *words) == status
    assert (root / hook.CHOSEN).exists() == done
    if done:
        assert (root / hook.CHOSEN).read_text() == f"{CUDA}/lib64\n"
        assert run(["undo", "--yes"]) == 0
    assert tree(root) == before


def test_it_answers_as_data(typed: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    for outcome in ("done", "already"):
        assert typed("11.8", "--json") == 0
        document = json.loads(capsys.readouterr().out)
        jsonschema.validate(document, SCHEMA)
        assert (document["outcome"], document["source"]) == (outcome, "toolkit")
        assert document["folders"] == [f"{CUDA}/lib64"]


def test_a_file_that_cannot_be_written_changes_nothing(
    typed: Callable[..., int], root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, replaced = tree(root), Path.replace

    def full(self: Path, target: Any) -> Path:
        if Path(target).name == hook.CHOSEN:
            raise OSError(28, "No space left on device")
        return replaced(self, target)

    monkeypatch.setattr(Path, "replace", full)
    assert typed("11.8", "--yes") == 2
    assert "ENOSPC" in capsys.readouterr().err
    left = {path for path in tree(root) if not path.endswith(".trueup-fresh")}
    assert {path: tree(root)[path] for path in left} == before
