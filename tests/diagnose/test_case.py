"""Facts as people state them."""

from __future__ import annotations

import pytest
from packaging.version import Version

from trueup.diagnose import cards, eras
from trueup.diagnose.case import read_given
from trueup.diagnose.relate import relate


def stated(name: str, **given: object) -> list[str]:
    return [str(one) for one in read_given(given, "linux").versions.get(name, ())]


@pytest.mark.parametrize(
    ("given", "name", "want"),
    [
        ({"cudnn": "8.6"}, "cudnn", ["8.6"]),
        ({"cuda": "11.2 / 8.1"}, "cuda", ["11.2", "8.1"]),
        ({"tensorflow": "tensorflow-gpu 2.18.0 (conda-forge)"}, "tf", ["2.18.0"]),
        ({"tensorflow": "1.8-1.11"}, "tf", ["1.8", "1.11"]),
        ({"tensorflow": 2.1}, "tf", ["2.1"]),
        ({"framework": "torch 2.1.0+cu118"}, "torch", ["2.1.0"]),
        ({"framework": "torch 2.1.0+cu118"}, "built-cuda", ["11.8"]),
        ({"framework": "paddlepaddle-gpu 2.3.2.post116"}, "built-cuda", ["11.6"]),
        ({"framework": "onnxruntime-gpu 1.17.1"}, "ort", ["1.17.1"]),
        ({"python": "3.7.4, folder Python37-32"}, "python", ["3.7.4"]),
        ({"driver": "550.54.14"}, "driver", ["550.54.14"]),
        ({"driver": "2024 release"}, "driver", []),
        ({"gpu": "GTX 960M (cc 5.0)"}, "cap", ["5.0"]),
        ({"gpu_compute_capability": "8.6"}, "cap", ["8.6"]),
        ({"cuda_smi": "12.4"}, "driver-cuda", ["12.4"]),
        ({"packages": ["numpy 2.0.0", "torch 2.2.0"]}, "numpy", ["2.0.0"]),
    ],
)
def test_words_to_versions(given: dict[str, object], name: str, want: list[str]) -> None:
    assert stated(name, **given) == want


@pytest.mark.parametrize(
    ("words", "want"),
    [
        ("RTX 3060 Laptop", ["8.6"]),
        ("GTX1080 8GB, two GPUs", ["6.1"]),
        ("2x A10, 2x T4", ["8.6", "7.5"]),
        ("GeForce 960M", ["5.0"]),
        ("AMD Radeon RX 580 8GB", []),
        ("none", []),
        ("", []),
    ],
)
def test_words_to_capabilities(words: str, want: list[str]) -> None:
    assert [str(one) for one in cards.capabilities(words)] == want


@pytest.mark.parametrize(
    ("name", "family", "number", "cuda"),
    [
        ("cudart64_110.dll", "cudart", "110", "11"),
        ("cudart64_101.dll", "cudart", "101", "10.1"),
        ("libcudart.so.10.1", "cudart", "10", "10.1"),
        ("libcublas.so.12", "cublas", "12", "12"),
        ("cublasLt64_11.dll", "cublaslt", "11", "11"),
        ("libcudnn_ops_infer.so.8", "cudnn", "8", None),
        ("cudnn64_8.dll", "cudnn", "8", None),
        (r"C:\Windows\System32\nvcuda.dll", "nvcuda", "", None),
    ],
)
def test_library_names(name: str, family: str, number: str, cuda: str | None) -> None:
    one = eras.library(name.lower())
    assert one is not None
    assert (one.family, one.number) == (family, number)
    assert (str(one.cuda) if one.cuda else None) == cuda


def test_other_names_are_no_libraries() -> None:
    assert eras.library("kernel32.dll") is None
    assert eras.library("cudart_something_else.txt") is None


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"tensorflow": "2.4", "cuda": "10.1"}, "cuda:other"),
        ({"tensorflow": "2.10", "cuda": "11.8"}, "cuda:right"),
        ({"tensorflow": "2.3", "cuda": "10.1", "cudnn": "8.0"}, "cudnn:newer-major"),
        ({"tensorflow": "2.5", "cudnn": "8.0.5"}, "cudnn:too-old"),
        ({"framework": "torch 2.0.1+cu118", "gpu": "RTX 5090"}, "card:newer-than-build"),
        ({"framework": "torch 2.8.0+cu129", "gpu": "GTX 1080"}, "card:older-than-build"),
        ({"framework": "torch 2.5.1+cu124", "driver": "470.82"}, "driver:too-old"),
        ({"tensorflow": "2.10", "python": "3.12"}, "python:too-new"),
        ({"tensorflow": "2.16", "python": "3.8"}, "python:too-old"),
    ],
)
def test_relations(given: dict[str, object], name: str) -> None:
    assert name in relate(read_given(given, "linux"), ()).names


def test_nothing_stated_is_unknown_and_no_relation() -> None:
    at = relate(read_given({}, "unknown"), ())
    assert {"cuda:unstated", "cudnn:unstated", "card:unknown"} <= at.names
    assert not any(name.startswith(("driver:", "python:", "loaded:")) for name in at.names)


def test_a_version_is_never_a_float() -> None:
    assert Version("2.10") > Version("2.9")
    assert "cuda:right" in relate(read_given({"tensorflow": "2.10", "cuda": "11.2"}, "linux"), ()).names


@pytest.mark.parametrize(
    ("given", "name", "number"),
    [
        ({"CUDA/cuDNN version": "11.1 / 8.0.5"}, "cuda", "11.1"),
        ({"cuda_cudnn": "11.2 / 8.1"}, "cudnn", "8.1"),
        ({"Python version": "3.9"}, "python", "3.9"),
        ({"tensorflow-gpu": "2.3"}, "tf", "2.3"),
        ({"onnxruntime-gpu": "1.16"}, "ort", "1.16"),
        ({"driver_version": "531.2"}, "driver", "531.2"),
        ({"GPU model": "8.6"}, "cap", "8.6"),
    ],
)
def test_the_name_of_a_fact_may_vary(given: dict[str, object], name: str, number: str) -> None:
    assert read_given(given, "linux").versions[name] == (Version(number),)
