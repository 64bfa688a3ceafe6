"""Folders of a toolkit that an environment names for itself: they come first, for what the hook serves alone."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from hookenv import CUDA11, Env, make

from trueup.setup import hook

if TYPE_CHECKING:
    from pathlib import Path

OPENS = f"import tensorflow as t; print(all(t.opens(n) for n in {CUDA11}))"
DONE = "import sys, json; print(json.dumps(sys.modules['_trueup_hook'].done))"


def chosen(folder: Path, libraries: Path) -> tuple[Env, Path]:
    """Return an environment without wheels, and a toolkit with the same libraries."""
    env = make(folder / "env", libraries)
    toolkit = folder / "CUDA 工具包" / "lib64"
    toolkit.mkdir(parents=True)
    for library in (env.site / "nvidia").glob("*/lib/*"):
        shutil.copy(library, toolkit)
    shutil.rmtree(env.site / "nvidia")
    return env, toolkit


def test_a_toolkit_is_found_only_by_the_environment_that_names_it(tmp_path: Path, libraries: Path) -> None:
    env, toolkit = chosen(tmp_path, libraries)
    assert env.out(OPENS) == "False"
    (env.python.parents[1] / hook.CHOSEN).write_text(f"\ufeff{toolkit}\r\n", "utf-8")
    assert env.out(OPENS) == "True"
    assert env.out(OPENS, TRUEUP_HOOK="0") == "False"
    other = make(tmp_path / "other", libraries)
    shutil.rmtree(other.site / "nvidia")
    assert other.out(OPENS) == "False"


def test_it_comes_before_the_wheels_and_torch_is_left_alone(tmp_path: Path, libraries: Path) -> None:
    env, toolkit = chosen(tmp_path, libraries)
    shutil.copytree(libraries / "nvidia", env.site / "nvidia")
    (env.python.parents[1] / hook.CHOSEN).write_text(f"{toolkit}\n", "utf-8")
    done = dict(json.loads(env.out(f"import tensorflow; {DONE}")))
    assert done["preload"].startswith(str(toolkit))
    assert json.loads(env.out(f"import torch; {DONE}")) == [["import", "torch"]]


def test_a_folder_that_is_gone_or_no_whole_path_is_passed_over(tmp_path: Path, libraries: Path) -> None:
    env, _ = chosen(tmp_path, libraries)
    gone = str(tmp_path / "gone")
    (env.python.parents[1] / hook.CHOSEN).write_text(f"{gone}\nrelative\n\n", "utf-8")
    done = json.loads(env.out(f"import tensorflow; {DONE}"))
    assert ["missing", gone] in done
    assert done[-1] == ["skip", "no nvidia folder"]
    (env.python.parents[1] / hook.CHOSEN).write_bytes(b"\xff\xfe\x00bad")
    assert json.loads(env.out(f"import tensorflow; {DONE}"))[-1] == ["skip", "no nvidia folder"]
