"""conda and pixi as installers: their files read and solved by conda's own library, the program a stand-in."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from conda_channel import channel, row, solved

sys.path.insert(0, str(Path(__file__).parents[1] / "setup"))
from made import alignment_of, build_of

from trueup.cli.main import run
from trueup.facts import load
from trueup.facts.model import CudaFrom
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.machine.describe import parse
from trueup.plan.lock import Artifact, Lock, Locked
from trueup.plan.request import LockRequest
from trueup.plan.writers import conda_cuda
from trueup.plan.writers.order import WORDS, Order
from trueup.setup import conda, hook
from trueup.setup.toml import loads
from trueup.values import TrueupError

PC = {"os": "windows", "gpus": [{"name": "NVIDIA GeForce RTX 3060"}], "driver": "536.67", "disk_free_gb": 100}


def locked(name: str, version: str) -> Locked:
    file = f"{name}-{version}-py3-none-any.whl"
    return Locked(name, version, Artifact(file, f"https://x.invalid/{file}", "a" * 64, 1), ("a" * 64,))


def order(*, cuda: str = "11.2", cudnn: str = "8.1", source: CudaFrom = CudaFrom.ADDED) -> Order:
    build = replace(
        build_of("tensorflow", "2.10.1", platform="windows", cuda=cuda), cudnn=cudnn, cuda_from=source
    )
    question = LockRequest("3.10", "windows", "x86_64", None, ("tensorflow==2.10.1",), ())
    packages = (
        locked("tensorflow", "2.10.1"), locked("nvidia-cudnn-cu11", "8.9.5.29"),
        locked("nvidia-cuda-runtime-cu11", "11.8.89"), locked("pip", "26.0"),
    )  # fmt: skip
    words = dict.fromkeys(WORDS, "x")
    return Order(alignment_of(build), question, Lock("", "", None, packages), hook.files(), words)


def test_cuda_comes_from_conda_forge_and_its_wheels_go() -> None:
    document = yaml.safe_load(conda_cuda.environment(order()))
    assert document["channels"] == ["conda-forge"]
    assert document["dependencies"] == [
        "python=3.10", "cudatoolkit=11.2", "cudnn=8.1", "pip", {"pip": ["tensorflow==2.10.1"]},
    ]  # fmt: skip
    table = loads(conda_cuda.workspace(order()))
    assert table["dependencies"] == {
        "python": "3.10.*",
        "cudatoolkit": "11.2.*",
        "cudnn": "8.1.*",
        "pip": "*",
    }
    assert table["pypi-dependencies"] == {"tensorflow": "==2.10.1"}
    assert table["workspace"]["platforms"] == ["win-64"]


def test_the_solver_s_own_choice_for_tensorflow_2_10_on_windows() -> None:
    best = solve(Wish(("tensorflow==2.10.1",)), parse(PC), load()).best
    assert best is not None
    assert conda_cuda.specs(best) == {"cudatoolkit": "11.2", "cudnn": "8.1"}


def test_a_line_without_wheels_gains_and_cuda_12_keeps_its_wheels() -> None:
    assert conda_cuda.specs(order(cuda="11.0", cudnn="8.0", source=CudaFrom.SYSTEM).alignment) == {
        "cudatoolkit": "11.0", "cudnn": "8.0",
    }  # fmt: skip
    for later in (order(cuda="12.5", cudnn="9.3"), order(source=CudaFrom.BUNDLED)):
        assert conda_cuda.specs(later.alignment) == {}
        assert "nvidia-cudnn-cu11==8.9.5.29" in conda_cuda.environment(later)


def test_conda_s_own_library_solves_the_file(tmp_path: Path) -> None:
    pytest.importorskip("rattler")
    rows = [row("python", v, "h1_0", "win-64") for v in ("3.10.13", "3.11.5")]
    rows += [row("cudatoolkit", v, "h1_0", "win-64") for v in ("11.2.2", "11.8.0")]
    rows += [row("cudnn", v, "h1_0", "win-64", ("cudatoolkit 11.*",)) for v in ("8.1.0.77", "8.9.7.29")]
    rows.append(row("pip", "24.0", "pyhd_0", "noarch"))
    document = yaml.safe_load(conda_cuda.environment(order()))
    specs = [one for one in document["dependencies"] if isinstance(one, str)]
    with channel(tmp_path, "win-64", *rows) as address:
        assert solved(address, specs, "win-64") == {
            "python": "3.10.13 h1_0", "cudatoolkit": "11.2.2 h1_0", "cudnn": "8.1.0.77 h1_0", "pip": "24.0 pyhd_0",
        }  # fmt: skip


SCRIPT = """#!{python}
import json, pathlib, subprocess, sys
words = sys.argv[1:]
if "--manifest-path" in words:
    file = pathlib.Path(words[words.index("--manifest-path") + 1])
    prefix = file.parent / ".pixi" / "envs" / "default"
else:
    file = pathlib.Path(words[words.index("--file") + 1])
    prefix = pathlib.Path(words[words.index("--prefix") + 1])
pathlib.Path({log!r}).write_text(json.dumps([words, file.read_text()]))
if {fails}:
    sys.exit("PackagesNotFoundError")
subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True)
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script")


def stand_in(folder: Path, name: str, *, fails: bool = False) -> Path:
    folder.mkdir(exist_ok=True)
    program = folder / name
    log = str(folder / "log.json")
    program.write_text(SCRIPT.format(python=sys.executable, log=log, fails=fails))
    program.chmod(0o755)
    return program


@posix
@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("conda", ["env", "create", "--file"]),
        ("mamba", ["env", "create", "--file"]),
        ("micromamba", ["create", "-y", "--file"]),
    ],
)
def test_each_program_is_found_and_asked_in_its_own_words(
    tmp_path: Path, name: str, start: list[str]
) -> None:
    program = conda.find("conda", (), {"PATH": str(stand_in(tmp_path / "bin", name).parent)})
    assert program.kind == name
    prefix = conda.Making(program, tmp_path / "环境", "abc1").create("name: x\n")
    words, text = json.loads((tmp_path / "bin" / "log.json").read_text())
    assert words[: len(start)] == start
    assert words[-2:] == ["--prefix", str(tmp_path / "环境")]
    assert text == "name: x\n"
    assert conda.python_of(prefix).exists()
    conda.find_by_hook(prefix)
    assert (prefix / hook.CHOSEN).read_text() == f"{prefix / 'lib'}\n"


@posix
def test_pixi_keeps_it_in_its_workspace(tmp_path: Path) -> None:
    program = conda.find("pixi", (), {"PATH": str(stand_in(tmp_path / "bin", "pixi").parent)})
    prefix = conda.Making(program, tmp_path / "proj", "abc1").create("[workspace]\n")
    assert prefix == tmp_path / "proj" / ".pixi" / "envs" / "default"
    assert (tmp_path / "proj" / "pixi.toml").read_text() == "[workspace]\n"


@posix
def test_a_program_of_an_installation_that_is_on_no_path(tmp_path: Path) -> None:
    made = stand_in(tmp_path / "miniconda3", "x")
    (made.parent / "bin").mkdir()
    made.rename(made.parent / "bin" / "conda")
    assert conda.find("conda", (str(made.parent),), {"PATH": ""}).path == str(made.parent / "bin" / "conda")


@posix
def test_what_fails_and_what_is_there_is_refused_with_the_way_out(tmp_path: Path) -> None:
    program = conda.find("conda", (), {"PATH": str(stand_in(tmp_path / "bin", "conda", fails=True).parent)})
    for place, code in ((tmp_path / "new", "env.installer-failed"), (tmp_path, "env.exists")):
        with pytest.raises(TrueupError) as caught:
            conda.Making(program, place, "abc1").create("name: x\n")
        assert caught.value.message.code == code
        assert caught.value.hint is not None


def test_none_is_found_and_none_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("HOME", "USERPROFILE", "LOCALAPPDATA", "PROGRAMDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("PATH", os.defpath)
    for name in (*conda.VARIABLES, "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    words = [
        "up",
        "tensorflow",
        "--route",
        "cpu",
        "--installer",
        "conda",
        "--env",
        str(tmp_path / "x"),
        "--lang",
        "zh",
    ]
    assert run(words) == 2
    assert "本机没有找到 mamba, micromamba, conda" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


@posix
def test_up_builds_by_the_program_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from trueup.cli import up_conda

    stand_in(tmp_path / "bin", "micromamba")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.defpath}")
    for name in conda.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(up_conda, "written", lambda *_: "name: tensorflow\n")
    env = tmp_path / "env"
    words = ["up", "tensorflow", "--route", "cpu", "--installer", "conda", "--env", str(env)]
    assert run([*words, "--dry-run", "--json"]) == 0
    assert not env.exists()
    capsys.readouterr()
    assert run([*words, "--yes", "--no-prove", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "unproven"
    assert answer["built"] == {"python": str(env / "bin" / "python")}


def test_lock_writes_the_same_file() -> None:
    from trueup.cli.lock import _written

    assert _written("conda-cuda", order()) == conda_cuda.environment(order())
    assert _written("pixi-cuda", order()) == conda_cuda.workspace(order())
    assert "nvidia-cudnn-cu11==8.9.5.29" in _written("conda", order())
