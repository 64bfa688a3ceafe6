"""ONNX Runtime says what it was built for in a file that its wheels have only from 1.21 on."""

from __future__ import annotations

import pytest
from world import World

from trueup.machine.inventory.builds import read_builds
from trueup.machine.inventory.model import Package
from trueup.machine.model import NOT_READ
from trueup.values import Unknown

SITE = "/env/lib/python3.11/site-packages"
CAPI = f"{SITE}/onnxruntime/capi"
WHOLE = {f"{CAPI}/_pybind_state.py": "", f"{CAPI}/__init__.py": ""}


def cuda(name: str, files: dict[str, str]) -> str | Unknown | None:
    world = World({"platform": "linux", "files": files})
    [build] = read_builds(world, (Package(name, "1.17.0", SITE),))
    return build.cuda


@pytest.mark.parametrize(("name", "told"), [("onnxruntime", None), ("onnxruntime-gpu", NOT_READ)])
def test_an_older_whole_one_is_not_taken_for_a_broken_one(name: str, told: Unknown | None) -> None:
    assert cuda(name, WHOLE) == told


def test_a_broken_one_is() -> None:
    found = cuda("onnxruntime", {f"{CAPI}/libonnxruntime.so": ""})
    assert isinstance(found, Unknown)
    assert found.why.code == "machine.file-missing"
