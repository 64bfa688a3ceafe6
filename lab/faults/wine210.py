"""TensorFlow 2.10.1 for Windows, the last with a GPU there, on Windows Python under Wine."""

from __future__ import annotations

from changes import overwritten, removed, written
from faults.tf210 import CODE, OWN
from model import HARMLESS, Fault, Place

WIN = Place("wine-tf210", "3.10", (), "tensorflow-gpu", "windows-native")
FOUND = {"WINEPATH": "{driver};{nvidia}"}
WHEELS = {
    "install": "pip, with the nvidia-*-cu11 wheels",
    "cuda": "11.8 (pip wheels)",
    "cudnn": "8.9.5 (pip wheel)",
}
NVIDIA = ("nvidia", "nvidia_*")

FAULTS = (
    Fault(
        "wine-healthy",
        WIN,
        (HARMLESS,),
        "nothing: every library is on PATH",
        variables=FOUND,
        seconds=1200,
    ),
    Fault(
        "wine-no-path",
        WIN,
        ("cuda-libs-not-on-path",),
        "NVIDIA's wheels are installed, PATH names none of them",
        given=WHEELS,
    ),
    Fault(
        "wine-nothing-installed",
        WIN,
        ("cuda-toolkit-missing",),
        "TensorFlow alone, no CUDA anywhere",
        changes=(removed(*NVIDIA),),
    ),
    Fault(
        "wine-no-cudnn",
        WIN,
        ("cudnn-missing",),
        "cuDNN was never copied",
        changes=(removed("nvidia/cudnn", "nvidia_cudnn*"),),
        variables=FOUND,
    ),
    Fault(
        "wine-no-driver",
        WIN,
        ("driver-missing",),
        "no nvcuda.dll",
        variables={"WINEPATH": "{nvidia}", "NVML_INIT": "9"},
        given={"driver": ""},
    ),
    Fault(
        "wine-capability-3.0",
        WIN,
        ("gpu-arch-too-old",),
        "the card answers capability 3.0",
        variables={
            **FOUND,
            "NVCUDA_CC": "3.0",
            "NVCUDA_NAME": "NVIDIA GeForce GTX 660",
            "NVCUDA_DRIVER": "11040",
            "NVML_DRIVER": "474.30",
        },
    ),
    Fault(
        "wine-capability-12.0",
        WIN,
        ("gpu-arch-newer-than-build",),
        "the card answers capability 12.0",
        variables={
            **FOUND,
            "NVCUDA_CC": "12.0",
            "NVCUDA_NAME": "NVIDIA GeForce RTX 5070",
            "NVCUDA_DRIVER": "12080",
            "NVML_DRIVER": "572.16",
        },
    ),
    Fault(
        "wine-no-vc-runtime",
        WIN,
        ("vc-runtime-missing",),
        "msvcp140_1.dll is not there",
        variables={**FOUND, "WINEDLLOVERRIDES": "mscoree,mshtml=;msvcp140_1="},
    ),
    Fault(
        "wine-hidden",
        WIN,
        ("cuda-visible-devices-hides-gpu",),
        "CUDA_VISIBLE_DEVICES=-1",
        variables={**FOUND, "CUDA_VISIBLE_DEVICES": "-1", "NVCUDA_INIT": "100"},
        given={"env": "CUDA_VISIBLE_DEVICES=-1"},
    ),
    Fault(
        "wine-cuda-12-only",
        WIN,
        ("cuda-version-mismatch",),
        "only CUDA 12's runtime is on PATH",
        changes=(
            removed(*NVIDIA),
            written("site/nvidia/cuda_runtime/bin/cudart64_12.dll", b"MZ" + b"\0" * 100),
        ),
        variables=FOUND,
        given={"cuda": "12.2", "cudnn": "8.9"},
    ),
    Fault(
        "wine-own-script",
        WIN,
        ("script-shadows-package",),
        "the user's program is called tensorflow.py",
        program="",
        command=("{python}", "tensorflow.py"),
        changes=(written("tensorflow.py", OWN),),
        variables=FOUND,
    ),
    Fault(
        "wine-intel-leftover",
        WIN,
        ("broken-or-leftover-install",),
        "tensorflow-intel 2.15 of another try lies over tensorflow-gpu 2.10",
        changes=(overwritten("tensorflow-intel==2.15.1"),),
        variables=FOUND,
        given={"packages": "protobuf 3.19.6, tensorflow-gpu 2.10.1, tensorflow-intel 2.15.1"},
    ),
    Fault(
        "wine-tf1-code",
        WIN,
        ("tf1-code-on-tf2",),
        "code of TensorFlow 1",
        program=CODE + "x = tf.placeholder(tf.float32)\n",
        variables=FOUND,
        seconds=1200,
    ),
)
