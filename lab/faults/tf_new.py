"""TensorFlow 2.15 to 2.21 with the CUDA 12 wheels of their own extra."""

from __future__ import annotations

from changes import installed, library, overwritten, removed
from faults.tf210 import CODE, GROWTH, NO_MODULE, STUB
from model import HARMLESS, Fault, Place

TF215 = Place("tf215", "3.11", (("tensorflow[and-cuda]==2.15.1", "setuptools<80"),), "tensorflow")
TF216 = Place("tf216", "3.11", (("tensorflow[and-cuda]==2.16.1", "setuptools<80"),), "tensorflow")
TF218 = Place("tf218", "3.12", (("tensorflow[and-cuda]==2.18.0", "setuptools<80"),), "tensorflow")
TF221 = Place("tf221", "3.13", (("tensorflow[and-cuda]==2.21.0",),), "tensorflow")
AND_CUDA = {"install": "pip install tensorflow[and-cuda]"}
ALONE = {"install": "pip install tensorflow"}
NVIDIA = ("nvidia", "nvidia_*")
JIT = CODE + "@tf.function(jit_compile=True)\ndef f(x):\n    return tf.math.sin(x)\nprint(f(tf.ones(4)))\n"
KERAS2 = CODE + "from tensorflow.keras.layers.experimental import preprocessing\nprint(preprocessing)\n"

FAULTS = (
    Fault("tf215-healthy", TF215, (HARMLESS,), "nothing: the GPU is listed", given=AND_CUDA),
    Fault(
        "tf215-no-extra",
        TF215,
        ("cuda-toolkit-missing",),
        "installed without [and-cuda], no CUDA anywhere",
        changes=(removed(*NVIDIA),),
        given=ALONE,
    ),
    Fault(
        "tf215-cudnn9",
        TF215,
        ("cudnn-major-mismatch",),
        "cuDNN 9 was installed over the cuDNN 8 that it wants",
        changes=(installed("nvidia-cudnn-cu12==9.3.0.75"),),
        given={**AND_CUDA, "cudnn": "9.3.0"},
    ),
    Fault(
        "tf215-cpu-over-gpu",
        TF215,
        ("cpu-only-build-installed",),
        "tensorflow-cpu was installed over it",
        changes=(overwritten("tensorflow-cpu==2.15.1"),),
        given={"install": "pip install tensorflow[and-cuda], then a package that wants tensorflow-cpu"},
    ),
    Fault(
        "tf215-no-libcuda",
        TF215,
        ("driver-missing",),
        "no driver: no library, no kernel module; the card is in its slot",
        changes=(NO_MODULE,),
        variables={"LD_LIBRARY_PATH": "-", "NVCUDA_NAME": "-", "NVML_DRIVER": "-"},
        given={**AND_CUDA, "gpu": "NVIDIA GeForce RTX 3060", "driver": "none"},
    ),
    Fault(
        "tf215-numpy-2",
        TF215,
        ("numpy-2-abi",),
        "NumPy 2 is installed beside it",
        changes=(installed("numpy==2.1.3"),),
        given=AND_CUDA,
    ),
    Fault(
        "tf216-own-fault",
        TF216,
        ("tf-2.16-pip-nvidia-libs-not-found",),
        "nothing: 2.16.1 does not find its own wheels",
        given=AND_CUDA,
    ),
    Fault(
        "tf216-keras-3",
        TF216,
        ("keras-3-api",),
        "code that was written for Keras 2",
        program=KERAS2,
        variables={"LD_LIBRARY_PATH": "{driver}:{nvidia}"},
        given=AND_CUDA,
    ),
    Fault(
        "tf216-healthy",
        TF216,
        (HARMLESS,),
        "nothing: LD_LIBRARY_PATH names the wheels",
        variables={"LD_LIBRARY_PATH": "{driver}:{nvidia}"},
        given=AND_CUDA,
    ),
    Fault(
        "tf216-hidden",
        TF216,
        ("cuda-visible-devices-hides-gpu",),
        "CUDA_VISIBLE_DEVICES=-1 is left in the profile",
        variables={
            "LD_LIBRARY_PATH": "{driver}:{nvidia}",
            "CUDA_VISIBLE_DEVICES": "-1",
            "NVCUDA_INIT": "100",
        },
        given={**AND_CUDA, "env": "CUDA_VISIBLE_DEVICES=-1"},
    ),
    Fault(
        "tf218-h5py-of-numpy-1",
        TF218,
        ("numpy-2-abi",),
        "h5py 3.10, compiled for NumPy 1, beside NumPy 2",
        changes=(installed("h5py==3.10.0"),),
        given={**AND_CUDA, "numpy": "2.0.2"},
    ),
    Fault("tf218-healthy", TF218, (HARMLESS,), "nothing: the GPU is listed", given=AND_CUDA),
    Fault(
        "tf218-no-cudnn",
        TF218,
        ("cudnn-missing",),
        "cuDNN's wheel is not installed, all of CUDA is",
        changes=(removed("nvidia/cudnn", "nvidia_cudnn*"),),
        given={
            **AND_CUDA,
            "packages": "tensorflow 2.18.0, nvidia-cublas-cu12 12.5.3.2, nvidia-cuda-runtime-cu12 12.5.82, nvidia-cusolver-cu12 11.6.3.83",
        },
    ),
    Fault(
        "tf218-cudnn-8",
        TF218,
        ("cudnn-major-mismatch",),
        "cuDNN 8 was installed over the cuDNN 9 that it wants",
        changes=(installed("nvidia-cudnn-cu12==8.9.7.29"),),
        given={**AND_CUDA, "cudnn": "8.9.7"},
    ),
    Fault(
        "tf218-system-error-802",
        TF218,
        ("fabric-manager-not-running",),
        "cuInit answers 802 on a machine with NVSwitch",
        variables={
            "NVCUDA_INIT": "802",
            "NVCUDA_NAME": "NVIDIA H100 80GB HBM3",
            "NVCUDA_CC": "9.0",
            "NVCUDA_COUNT": "8",
        },
        given=AND_CUDA,
    ),
    Fault(
        "tf218-stub",
        TF218,
        ("libcuda-stub-loaded",),
        "LD_LIBRARY_PATH names the toolkit's stubs first",
        changes=(library("/usr/local/cuda/lib64/stubs/libcuda.so.1", STUB),),
        variables={"LD_LIBRARY_PATH": "/usr/local/cuda/lib64/stubs:{driver}"},
        given=AND_CUDA,
    ),
    Fault(
        "tf218-blackwell",
        TF218,
        ("gpu-arch-newer-than-build",),
        "the card answers capability 12.0",
        variables={
            "NVCUDA_CC": "12.0",
            "NVCUDA_NAME": "NVIDIA GeForce RTX 5070",
            "NVCUDA_DRIVER": "12080",
            "NVML_DRIVER": "570.86.16",
        },
        given=AND_CUDA,
    ),
    Fault(
        "tf218-kepler",
        TF218,
        ("gpu-arch-too-old",),
        "the card answers capability 3.0",
        variables={
            "NVCUDA_CC": "3.0",
            "NVCUDA_NAME": "NVIDIA GeForce GTX 660",
            "NVCUDA_DRIVER": "11040",
            "NVML_DRIVER": "470.223.02",
        },
        given=AND_CUDA,
    ),
    Fault(
        "tf218-old-driver",
        TF218,
        ("driver-too-old-for-cuda",),
        "the driver knows CUDA 11.4 only",
        program=GROWTH,
        variables={"NVCUDA_DRIVER": "11040", "NVML_DRIVER": "470.223.02"},
        given=AND_CUDA,
    ),
    Fault(
        "tf221-as-installed",
        TF221,
        ("cuda-libs-not-on-path",),
        "nothing: the RUNPATH of 2.21.0 lacks the folder of cuSOLVER, so that it does not find its own wheel",
        variables={"NVCUDA_DRIVER": "12080", "NVML_DRIVER": "570.86.16"},
        given=AND_CUDA,
    ),
    Fault(
        "tf221-healthy",
        TF221,
        (HARMLESS,),
        "nothing: LD_LIBRARY_PATH names the wheels",
        variables={
            "LD_LIBRARY_PATH": "{driver}:{nvidia}",
            "NVCUDA_DRIVER": "12080",
            "NVML_DRIVER": "570.86.16",
        },
        given=AND_CUDA,
    ),
    Fault(
        "tf221-no-cudnn",
        TF221,
        ("cudnn-missing",),
        "cuDNN's wheel is not installed, LD_LIBRARY_PATH names all of CUDA",
        changes=(removed("nvidia/cudnn", "nvidia_cudnn*"),),
        variables={
            "LD_LIBRARY_PATH": "{driver}:{nvidia}",
            "NVCUDA_DRIVER": "12080",
            "NVML_DRIVER": "570.86.16",
        },
        given={**AND_CUDA, "packages": "tensorflow 2.21.0, nvidia-cublas-cu12, nvidia-cuda-runtime-cu12"},
    ),
    Fault(
        "tf221-no-extra",
        TF221,
        ("cuda-toolkit-missing",),
        "installed without [and-cuda], no CUDA anywhere",
        changes=(removed(*NVIDIA),),
        variables={"NVCUDA_DRIVER": "12080", "NVML_DRIVER": "570.86.16"},
        given=ALONE,
    ),
    Fault(
        "tf221-no-libcuda",
        TF221,
        ("driver-missing",),
        "no driver: no library, no kernel module",
        changes=(NO_MODULE,),
        variables={"LD_LIBRARY_PATH": "-", "NVCUDA_NAME": "-", "NVML_DRIVER": "-"},
        given={**AND_CUDA, "gpu": "NVIDIA GeForce RTX 3060"},
    ),
    Fault(
        "tf221-cpu-xla",
        TF221,
        (HARMLESS,),
        "nothing: XLA compiles for the CPU, no card is there",
        program=JIT,
        changes=(NO_MODULE, removed("/sys/bus/pci/devices/0000:01:00.0"), removed(*NVIDIA)),
        variables={"LD_LIBRARY_PATH": "-", "NVCUDA_NAME": "-", "NVML_DRIVER": "-"},
        given={**ALONE, "gpu": "none"},
    ),
)
