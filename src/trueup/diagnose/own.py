"""Errors that are the program's own or its data's, not of the stack below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.diagnose.model import Observation

# Modules whose absence may be a fault of the stack; that of any other is a package to install or a file of the program.
STACK = frozenset((
    "tensorflow", "tensorflow_core", "tensorflow_io", "torch", "torchvision", "torchaudio", "jax",
    "jaxlib", "jax_plugins", "keras", "tf_keras", "numpy", "onnxruntime", "paddle", "cupy", "numba",
    "triton", "xformers", "flash_attn", "bitsandbytes", "tensorrt", "torch_directml", "google",
    "ctranslate2", "nvidia", "pip", "setuptools", "pkg_resources", "distutils", "encodings", "six",
    "wrapt", "h5py", "absl", "protobuf", "ml_dtypes",
))  # fmt: skip


def unexplained(seen: Iterable[Observation]) -> tuple[Observation, ...]:
    """Return the errors and crashes that no line of a harmless kind accounts for."""
    rows = tuple(seen)
    quiet = _quiet(rows)
    return tuple(
        one for one in rows if one.signal.startswith("error-") and one.line and one.line not in quiet
    )


def own(seen: Iterable[Observation]) -> tuple[Observation, ...]:
    """Return the lines that tell of the program's own errors."""
    rows = tuple(seen)
    quiet = _quiet(rows)
    return tuple(one for one in rows if one.line and one.line not in quiet and _is_own(one))


def _quiet(rows: Iterable[Observation]) -> frozenset[int]:
    return frozenset(one.line for one in rows if one.signal.startswith("harmless-"))


def _is_own(one: Observation) -> bool:
    module = one.values.get("module")
    if module is not None:
        return module.partition(".")[0] not in STACK and not module.startswith("_")
    return one.signal.startswith("own-")
