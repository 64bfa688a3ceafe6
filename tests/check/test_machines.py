"""Recorded machines: a folder's name is the expected answer, a cause's id or an outcome, then what is special."""

from __future__ import annotations

import re

import pytest
from examined import NAMES, answer, examined, replayed

from trueup.report.check import verdict_lines


@pytest.mark.parametrize("name", NAMES)
def test_a_machine_gets_the_answer_in_its_name(name: str) -> None:
    checkup, _ = examined(name)
    assert answer(checkup) == name.partition("--")[0]
    if checkup.cause is not None:
        assert checkup.cause.remedies, "a cause without a way out"


@pytest.mark.parametrize("name", NAMES)
def test_a_replayed_recording_answers_the_same(name: str) -> None:
    checkup, document = examined(name)
    again = replayed(document)
    assert answer(again) == answer(checkup)
    assert [one.id for one in again.findings] == [one.id for one in checkup.findings]


@pytest.mark.parametrize("name", NAMES)
def test_each_verdict_is_said_in_chinese_with_the_same_commands(name: str) -> None:
    checkup, _ = examined(name)
    english, chinese = "\n".join(verdict_lines(checkup, "en")), "\n".join(verdict_lines(checkup, "zh_CN"))
    assert re.search("[\u4e00-\u9fff]", chinese)
    commands = [one.command for one in checkup.cause.remedies] if checkup.cause else []
    for command in commands:
        assert command is None or (command in english and command in chinese)


def test_there_are_enough_machines() -> None:
    assert len(NAMES) >= 40


# what people ask, twenty rows: a machine for each
ASKED = {
    "no GPU after 2.10": "tf-windows-gpu-ended-at-2-10",
    "silent CPU": "cuda-library-missing",
    "DLL load failed": "vc-runtime-missing--windows-dll-load-failed",
    "WSL libcuda": "wsl-linux-driver-installed--libcuda",
    "card too new": "gpu-arch-newer-than-build",
    "card too old": "gpu-arch-too-old",
    "Python too new": "python-too-new-for-release",
    "installed but not found": "wrong-interpreter--windows-tensorflow",
    "two cuDNN": "cudnn-shadowed-by-another-copy",
    "NumPy 2": "numpy-2-abi",
    "CPU wheel": "cpu-only-build-installed",
    "32-bit": "python-32bit",
    "Store Python": "store-python-dll-search",
    "wrong pip": "wrong-interpreter--windows-pip",
    "conda not activated": "conda-env-not-activated",
    "left-overs": "broken-or-leftover-install",
    "CUDA_VISIBLE_DEVICES": "cuda-visible-devices-hides-gpu",
    "driver too old": "driver-too-old-for-cuda",
    "driver/library mismatch": "driver-userspace-kernel-mismatch",
    "page file": "ready--windows-no-page-file",
    "long path": "long-path",
}


@pytest.mark.parametrize("question", ASKED)
def test_what_people_ask_most_has_a_machine(question: str) -> None:
    assert any(name.startswith(ASKED[question]) for name in NAMES)
