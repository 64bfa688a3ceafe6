"""A status by itself: what decides is named; where nothing decides, no cause is made up."""

from __future__ import annotations

import pytest

from trueup.diagnose import diagnose


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("CUDNN_STATUS_EXECUTION_FAILED", {"cap", "tf"}),
        ("CUDNN_STATUS_INTERNAL_ERROR", {"cap", "tf", "cudnn"}),
        ("CUDNN_STATUS_ARCH_MISMATCH", {"cap"}),
        ("CUBLAS_STATUS_NOT_SUPPORTED", {"cap", "tf"}),
        ("CUDA_ERROR_UNKNOWN", {"os"}),
        ("cudaErrorInvalidDeviceFunction", {"cap"}),
    ],
)
def test_the_fact_that_decides_is_named(text: str, asked: set[str]) -> None:
    answer = diagnose(text)
    assert {ask.fact for ask in answer.unknown} >= asked
    assert not answer.causes or answer.causes[0].confidence <= 0.6


@pytest.mark.parametrize(
    "text",
    ["CUDNN_STATUS_BAD_PARAM", "CUBLAS_STATUS_INVALID_VALUE", "CUDA_ERROR_INVALID_VALUE", "GPU not detected"],
)
def test_nothing_is_made_up(text: str) -> None:
    assert not diagnose(text).causes


@pytest.mark.parametrize(
    ("card", "release", "cause"),
    [("GeForce GTX 680", "2.10", "gpu-arch-too-old"), ("RTX 3080", "2.3", "gpu-arch-newer-than-build")],
)
def test_the_card_decides(card: str, release: str, cause: str) -> None:
    found = diagnose("CUBLAS_STATUS_ARCH_MISMATCH", {"gpu": card, "tensorflow": release}).causes
    assert found[0].cause == cause
