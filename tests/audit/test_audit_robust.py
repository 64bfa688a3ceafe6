"""Whatever a file holds, it is judged or left alone."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from trueup.fit.audit.commands import package_of

if TYPE_CHECKING:
    from audit_judge import Judge

PIECES = (
    "TensorFlow", "tensorflow-gpu", "tf", "CUDA", "cuDNN", "Python", "driver", "驱动", "2.15", "2.10.0", "12.", "3.93.8",
    "536.67", "999.99.99", "==", "=", "~=2", ">=", "<", "*", "[and-cuda]", "[", "]", "(", "pip install", "conda install",
    "-i", "http://x", "\n", "|", "<tr><td>", "</td></tr>", "# ", "FROM nvidia/cuda:", "setx PATH", "%PATH%", "mklink /D a",
    "GTX 700", "系列及以上", "latest", "最新版", "。", "(méi)", "\u200b", "\ufffd", "\x00", "\U0001f389", "'", '"', "GTX 9999+",
    "dependencies:", "- pip:", "- ", "tensorflow=2.*", "numpy===1", "需", "requires",
)  # fmt: skip
NAMES = ("a.md", "requirements.txt", "environment.yml", "pyproject.toml", "Dockerfile", "a.ipynb", "-")


@pytest.mark.parametrize("seed", range(12))
def test_any_mixture(seed: int, judge: Judge) -> None:
    chance = random.Random(seed)  # noqa: S311  # a mixture to repeat, no secret
    for name in NAMES:
        words = chance.choices(PIECES, k=300)
        text = "".join(word + chance.choice(("", " ")) for word in words)
        if name == "environment.yml":
            text = "dependencies:\n" + text
        answer = judge(text, name)
        for finding in answer.findings:
            assert all(place.line >= 1 and place.column >= 1 and place.quote for place in finding.places)


@pytest.mark.parametrize(
    ("text", "conda", "spec"),
    [
        ("tensorflow==2.10", False, "==2.10"),
        ("tensorflow=2.10", True, "==2.10.*"),
        ("tensorflow=2.10=gpu_py39", True, "==2.10.*"),
        ("tensorflow=*=cuda*", True, ""),
        ("tensorflow~=2", False, ""),
        ("tensorflow^2.9", False, ">=2.9,<3"),
        ("tensorflow2.10.0", False, "==2.10.0"),
        ("python3.9", True, "==3.9.*"),
        ("tensorflow==2..1", False, ""),
        ("tensorflow>=2.4,<2.11;python_version<'3.11'", False, ">=2.4,<2.11"),
    ],
)
def test_specifiers(text: str, conda: bool, spec: str) -> None:
    package = package_of(text, 0, len(text), conda=conda)
    assert package is not None
    assert package.spec == spec


@pytest.mark.parametrize("text", ["https://x.example/a.whl", "./folder", "-e", "=="])
def test_what_is_no_requirement(text: str) -> None:
    assert package_of(text, 0, len(text), conda=False) is None
