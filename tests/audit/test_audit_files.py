"""Each kind of file is read as what it is; the line is the file's own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from audit_judge import Judge, Rules

    from trueup.fit.audit import Audit

REQUIREMENTS = "# GPU, Windows\nnumpy>=2\ntensorflow==2.10.1  # last one\nprotobuf<3.20\n"
ENVIRONMENT = """name: tf
channels:
  - conda-forge
dependencies:
  - python=3.12
  - cudatoolkit=10.1
  - pip
  - pip:
    - tensorflow==2.10.1
    - numpy==1.23.5
    - protobuf<3.20
"""
PYPROJECT = """[project]
name = "x"
requires-python = ">=3.12"
dependencies = ["tensorflow==2.10.1", "numpy<1.24", "protobuf<3.20"]
"""
POETRY = """[tool.poetry.dependencies]
python = "^3.8"
tensorflow = "2.10.1"
numpy = ">=2"
protobuf = {version = "<3.20"}
"""
DOCKERFILE = """FROM nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04
RUN sudo pip install tensorflow==2.15.1
"""


def lines(answer: Audit) -> list[tuple[str, int]]:
    return sorted((f.rule, p.line) for f in answer.findings for p in f.places)


def test_requirements(judge: Judge) -> None:
    answer = judge(REQUIREMENTS, "requirements-gpu.txt")
    assert answer.kind == "requirements"
    assert lines(answer) == [("companion-pinned", 2)]


def test_environment(judge: Judge) -> None:
    answer = judge(ENVIRONMENT, "environment.yml", "windows-native")
    assert answer.kind == "environment"
    assert lines(answer) == [("cuda-other", 6), ("python-no-wheel", 5)]


def test_conda_resolves_its_own_packages(rules: Rules) -> None:
    text = "dependencies:\n  - python=3.7\n  - tensorflow-gpu\n"
    assert rules(text, "environment.yaml") == set()
    assert rules("tensorflow-gpu\n", "requirements.txt") == {"gone-package"}


def test_pyproject(judge: Judge) -> None:
    answer = judge(PYPROJECT, "some/folder/pyproject.toml")
    assert answer.kind == "pyproject"
    assert lines(answer) == [("python-no-wheel", 3)]
    assert lines(judge(POETRY, "pyproject.toml")) == [("companion-pinned", 4)]


def test_a_pyproject_that_does_not_parse_is_read_for_what_it_says(judge: Judge) -> None:
    assert judge("[project\nnope", "pyproject.toml").findings == ()


def test_dockerfile(judge: Judge) -> None:
    answer = judge(DOCKERFILE, "gpu.Dockerfile")
    assert (answer.kind, answer.system) == ("dockerfile", "linux")
    assert lines(answer) == [("cuda-other", 1), ("pip-root", 2)]


def notebook(*cells: str) -> str:
    return json.dumps(
        {"cells": [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]}
    )


def test_notebook(judge: Judge) -> None:
    text = notebook("# Windows, GPU", "x = 1\n!pip install tensorflow==2.15\n%pip install tensorflow-gpu\n")
    answer = judge(text, "train.ipynb")
    assert answer.kind == "notebook"
    places = {f.rule: (f.places[0].cell, f.places[0].line) for f in answer.findings}
    assert places == {"no-windows-gpu": (2, 2), "gone-package": (2, 3)}


def test_a_broken_notebook_is_read_as_text(judge: Judge) -> None:
    assert judge('{"cells": [', "train.ipynb").kind == "text"
    assert judge('{"cells": 3}', "train.ipynb").kind == "text"
    assert judge("[]", "train.ipynb").kind == "text"


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("pip install tensorflow-gpu", "gone-package"),
        ("pip install 'tensorflow-gpu>=2.5'", "gone-package"),
        ("pip install tensorflow==2.10.7", "no-release"),
        ("pip install tensoflow", "misspelt"),
        ("pip install pytorch", "pytorch-stub"),
        ("pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/cu128", "torch-index"),
        ("pip install --trusted-host mirror.example tensorflow==2.18.1", "http-index"),
        ("sudo pip3 install tensorflow==2.18.1", "pip-root"),
        ("python3 -m pip install tensorflow==2.3.1", "companion-open"),
    ],
)
def test_commands(command: str, rule: str, rules: Rules) -> None:
    assert rules(f"Run on Linux:\n\n```\n$ {command}\n```\n") == {rule}


@pytest.mark.parametrize(
    "command",
    [
        "conda install pytorch torchvision pytorch-cuda=12.1 -c pytorch -c nvidia",
        "conda install tensorflow-gpu",
        "pip install torch==2.1.0 --index-url https://download.pytorch.org/whl/cu118",
        "pip install 'tensorflow[and-cuda]==2.18.1'",
        "pip install -i https://pypi.tuna.tsinghua.edu.cn/simple tensorflow==2.18.1",
        "pip install tensorflow-hub tensorflow-datasets tensorflowjs",
        "pip install -r requirements.txt",
        "pip install tensorflow==2.9.3 'numpy<1.24' 'protobuf<3.20'",
    ],
)
def test_commands_that_are_right(command: str, rules: Rules) -> None:
    assert rules(f"Run on Linux:\n\n```\n$ {command}\n```\n") == set()


def test_an_extra_with_cuda_brings_nothing_on_windows(rules: Rules) -> None:
    assert rules("Windows:\n\n    pip install 'jax[cuda12]'\n") == {"extra-no-windows"}
    assert rules("Ubuntu:\n\n    pip install 'jax[cuda12]'\n") == set()


def test_the_cpu_is_fine_where_no_gpu_is_meant(judge: Judge) -> None:
    found = judge("tensorflow==2.15.1\n", "requirements.txt", "windows-native").findings
    assert [(f.rule, f.severity) for f in found] == [("cpu-only", "fine-if")]


def test_a_display_driver_inside_wsl_is_dangerous(judge: Judge) -> None:
    text = "## WSL2\n\nsudo apt install nvidia-driver-550\n"
    assert [f.severity for f in judge(text).findings] == ["dangerous"]
    assert judge(text.replace("WSL2", "Ubuntu")).findings == ()


def test_the_floor_of_a_driver(rules: Rules) -> None:
    assert rules("Windows: CUDA 12.2 requires driver 472.10 or newer.") == {"driver-floor-low"}
    assert rules("Windows: CUDA 12.2 requires driver 536.25 or newer.") == set()
