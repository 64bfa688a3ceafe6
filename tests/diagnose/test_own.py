"""Errors of the program itself: no cause is named for them, and nothing is called fine either."""

from __future__ import annotations

import pytest

from trueup.diagnose import diagnose

OWN = (
    "ValueError: Shapes (None, 3) and (None, 1, 3) are incompatible",
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (16x128 and 64x10)",
    "KeyError: 'cudnn_version'",
    "ModuleNotFoundError: No module named 'helpers.loader'",
    "ModuleNotFoundError: No module named 'cv2'",
    "FileNotFoundError: [Errno 2] No such file or directory: 'runs/best.pt'",
    "PermissionError: [Errno 13] Permission denied: 'data/labels.csv'",
    "12/400 [....] - ETA: 9:03 - loss: nan - accuracy: 0.1000",
    "Corrupt JPEG data: premature end of data segment",
    "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    "RuntimeError: CUDA error: device-side assert triggered",
    "RuntimeError: Error(s) in loading state_dict for Net: size mismatch for fc.weight",
    "TypeError: forward() takes 2 positional arguments but 3 were given",
    "IndexError: list index out of range",
    "MemoryError: Unable to allocate 3.1 GiB for an array with shape (9000, 224, 224, 3) and data type float64",
    "OSError: [Errno 13] Unable to create file (unable to open file: name = 'out/net.h5', errno = 13)",
    "cv2.error: OpenCV(4.8.0) error: (-215:Assertion failed) !_src.empty() in function 'cvtColor'",
)
TALK = "2026-03-04 05:06:07: I tensorflow/core/util/port.cc:153] oneDNN custom operations are on."
FACTS = {"tensorflow": "2.15", "python": "3.10", "gpu": "RTX 3060", "cuda": "11.8", "cudnn": "8.6"}


@pytest.mark.parametrize("line", OWN)
@pytest.mark.parametrize("system", ["windows-native", "linux", "unknown"])
def test_an_error_of_the_program_has_no_cause_in_the_stack(line: str, system: str) -> None:
    for given in ({}, FACTS):
        for log in (line, f"{TALK}\nTraceback (most recent call last):\n{line}"):
            answer = diagnose(log, given, system)
            assert not answer.causes, [(one.cause, one.confidence) for one in answer.causes]
            assert any(line in one.text for one in answer.own)


@pytest.mark.parametrize(
    "end",
    ["Aborted (core dumped)", "Segmentation fault (core dumped)", "TypeError: bad operand", "loss: nan"],
)
def test_a_crash_after_harmless_lines_is_not_called_harmless(end: str) -> None:
    answer = diagnose(f"{TALK}\n{end}", {}, "linux")
    assert not answer.causes or answer.causes[0].cause != "harmless-warnings-only"
    assert answer.harmless


def test_a_module_of_the_stack_is_not_the_programs_own() -> None:
    assert not diagnose("ModuleNotFoundError: No module named 'tensorflow'", {}, "linux").own


def test_a_fault_of_the_stack_beside_an_own_error_is_told() -> None:
    log = "KeyError: 'x'\nRuntimeError: CUDA error: invalid device ordinal"
    assert diagnose(log, {}, "linux").causes[0].cause == "device-index-out-of-range"


def test_a_version_of_another_framework_is_not_asked_for() -> None:
    answer = diagnose(
        'OSError: [WinError 126] Error loading "D:\\e\\torch\\lib\\shm.dll"', {}, "windows-native"
    )
    assert "tf" not in {ask.fact for ask in answer.unknown}
