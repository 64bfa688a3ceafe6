"""TensorFlow 2.10 with NVIDIA's CUDA 11.8 wheels on the search path: the classic, with all that can lack."""

from __future__ import annotations

from changes import installed, library, overwritten, removed, truncated, unpacked_site, written
from model import HARMLESS, Fault, Place

CUDA11 = (
    "nvidia-cuda-runtime-cu11==11.8.89",
    "nvidia-cublas-cu11==11.11.3.6",
    "nvidia-cufft-cu11==10.9.0.58",
    "nvidia-curand-cu11==10.3.0.86",
    "nvidia-cusolver-cu11==11.4.1.48",
    "nvidia-cusparse-cu11==11.7.5.86",
    "nvidia-cuda-nvcc-cu11==11.8.89",
)
OLD = ("numpy<2", "protobuf<3.20", "setuptools<80")
TF210 = Place(
    "tf210", "3.10", (("tensorflow==2.10.1", *OLD, *CUDA11, "nvidia-cudnn-cu11==8.6.0.163"),), "tensorflow"
)
STUB = "int cuInit(unsigned f) { return 34; }\nint cuDriverGetVersion(int *v) { *v = 11080; return 34; }\n"
ALL_LIBRARIES = {"LD_LIBRARY_PATH": "{driver}:{nvidia}"}

NO_DRIVER = {"LD_LIBRARY_PATH": "{nvidia}", "NVCUDA_NAME": "-", "NVML_DRIVER": "-"}
NO_MODULE = removed("/proc/driver/nvidia")
CODE = "import numpy as np\nimport tensorflow as tf\n\nprint('TensorFlow', tf.__version__)\n"
OWN = "import tensorflow as tf\n\nx = tf.constant([1.0, 2.0])\nprint(x)\n"
GROWTH = (
    CODE
    + """gpus = tf.config.list_physical_devices('GPU')
print(gpus)
x = np.random.rand(256, 8).astype('float32')
model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation='relu'), tf.keras.layers.Dense(1)])
model.compile('adam', 'mse')
model.fit(x, x.sum(1), epochs=2, verbose=2)
"""
)
HALF = ("cufft", "curand", "cusolver", "cusparse")

FAULTS = (
    Fault("tf210-healthy", TF210, (HARMLESS,), "nothing: every library is found", variables=ALL_LIBRARIES),
    Fault(
        "tf210-no-path",
        TF210,
        ("cuda-libs-not-on-path",),
        "NVIDIA's wheels are installed, LD_LIBRARY_PATH names none of them",
        given={
            "install": "pip, with the nvidia-*-cu11 wheels",
            "cuda": "11.8 (pip wheels)",
            "cudnn": "8.6.0 (pip wheel)",
        },
    ),
    Fault(
        "tf210-nothing-installed",
        TF210,
        ("cuda-toolkit-missing",),
        "TensorFlow from PyPI alone, no CUDA anywhere",
        changes=(removed("nvidia", "nvidia_*"),),
    ),
    *(
        Fault(
            f"tf210-no-{name}",
            TF210,
            (cause,),
            f"{name}'s wheel is not installed, the others are",
            changes=(removed(f"nvidia/{name}", f"nvidia_{package}_cu11*"),),
            variables=ALL_LIBRARIES,
        )
        for name, package, cause in (
            ("cudnn", "cudnn", "cudnn-missing"),
            ("cusolver", "cusolver", "cuda-toolkit-missing"),
            ("cublas", "cublas", "cuda-toolkit-missing"),
            ("cuda_runtime", "cuda_runtime", "cuda-toolkit-missing"),
            ("cufft", "cufft", "cuda-toolkit-missing"),
        )
    ),
    Fault(
        "tf210-cusparse-cut",
        TF210,
        (),
        "libcusparse.so.11 is cut after 1 MB, as a broken copy leaves it: the process ends by a signal and says nothing",
        changes=(truncated("nvidia/cusparse/lib/libcusparse.so.11", 1 << 20),),
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf210-half-copied-toolkit",
        TF210,
        ("cuda-toolkit-missing",),
        "cuFFT, cuRAND, cuSOLVER and cuSPARSE were not copied with the rest of the toolkit",
        changes=(removed(*(f"nvidia/{name}" for name in HALF), *(f"nvidia_{name}_cu11*" for name in HALF)),),
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf210-cpu-over-gpu",
        TF210,
        ("cpu-only-build-installed",),
        "tensorflow-cpu was installed over tensorflow",
        changes=(overwritten("tensorflow-cpu==2.10.1"),),
        variables=ALL_LIBRARIES,
        given={"install": "pip install tensorflow, then a package that wants tensorflow-cpu"},
    ),
    Fault(
        "tf210-cudnn9-only",
        TF210,
        ("cudnn-major-mismatch",),
        "cuDNN 9 for CUDA 11 is installed where TensorFlow wants cuDNN 8",
        changes=(installed("nvidia-cudnn-cu11==9.4.0.58"),),
        variables=ALL_LIBRARIES,
        given={"cuda": "11.8", "cudnn": "9.4.0"},
    ),
    Fault(
        "tf210-cuda12-only",
        TF210,
        ("cuda-version-mismatch",),
        "only CUDA 12's wheels are installed",
        changes=(
            removed("nvidia", "nvidia_*"),
            unpacked_site(
                "nvidia-cuda-runtime-cu12==12.2.140",
                "nvidia-cublas-cu12==12.2.5.6",
                "nvidia-cudnn-cu12==8.9.7.29",
            ),
        ),
        variables=ALL_LIBRARIES,
        given={"cuda": "12.2", "cudnn": "8.9.7"},
    ),
    Fault(
        "tf210-capability-3.0",
        TF210,
        ("gpu-arch-too-old",),
        "the card answers capability 3.0",
        variables={
            **ALL_LIBRARIES,
            "NVCUDA_CC": "3.0",
            "NVCUDA_NAME": "NVIDIA GeForce GTX 660",
            "NVCUDA_DRIVER": "11040",
            "NVML_DRIVER": "470.223.02",
        },
    ),
    Fault(
        "tf210-capability-12.0",
        TF210,
        ("gpu-arch-newer-than-build",),
        "the card answers capability 12.0",
        variables={
            **ALL_LIBRARIES,
            "NVCUDA_CC": "12.0",
            "NVCUDA_NAME": "NVIDIA GeForce RTX 5070",
            "NVCUDA_DRIVER": "12080",
            "NVML_DRIVER": "570.86.16",
        },
    ),
    Fault(
        "tf210-no-libcuda",
        TF210,
        ("driver-missing",),
        "no NVIDIA driver: no library, no kernel module; the card is in its slot",
        changes=(NO_MODULE,),
        variables=NO_DRIVER,
        given={"gpu": "NVIDIA GeForce RTX 3060"},
    ),
    Fault(
        "tf210-module-not-loaded",
        TF210,
        ("kernel-driver-not-loaded",),
        "the driver's libraries are there, its kernel module is not loaded",
        changes=(NO_MODULE,),
        variables={**ALL_LIBRARIES, "NVCUDA_INIT": "100", "NVML_INIT": "9"},
    ),
    Fault(
        "tf210-module-mismatch",
        TF210,
        ("driver-userspace-kernel-mismatch",),
        "the loaded kernel module is 535.104.05, the driver's libraries are 535.129.03",
        changes=(
            written(
                "/proc/driver/nvidia/version",
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n",
            ),
        ),
        variables={**ALL_LIBRARIES, "NVCUDA_INIT": "803", "NVML_INIT": "18"},
    ),
    Fault(
        "tf210-after-suspend",
        TF210,
        ("driver-broken-after-suspend",),
        "cuInit answers 999, as after a suspend; NVML still answers",
        variables={**ALL_LIBRARIES, "NVCUDA_INIT": "999"},
        given={"symptom": "worked until the laptop was suspended"},
    ),
    Fault(
        "tf210-forward-compat",
        TF210,
        ("driver-too-old-forward-compat",),
        "cuInit answers 804: a compat libcuda on a GeForce card",
        variables={
            **ALL_LIBRARIES,
            "NVCUDA_INIT": "804",
            "NVML_DRIVER": "470.82.01",
            "NVCUDA_DRIVER": "11040",
        },
    ),
    Fault(
        "tf210-stub-libcuda",
        TF210,
        ("libcuda-stub-loaded",),
        "LD_LIBRARY_PATH names the toolkit's stubs first: cuInit answers 34",
        changes=(library("/usr/local/cuda-11.8/lib64/stubs/libcuda.so.1", STUB),),
        variables={"LD_LIBRARY_PATH": "/usr/local/cuda-11.8/lib64/stubs:{driver}:{nvidia}"},
    ),
    Fault(
        "tf210-driver-too-old",
        TF210,
        ("driver-too-old-for-cuda",),
        "the driver knows CUDA 10.2 only",
        program=GROWTH,
        variables={**ALL_LIBRARIES, "NVCUDA_DRIVER": "10020", "NVML_DRIVER": "440.33.01"},
    ),
    Fault(
        "tf210-hidden",
        TF210,
        ("cuda-visible-devices-hides-gpu",),
        "CUDA_VISIBLE_DEVICES=-1",
        variables={**ALL_LIBRARIES, "CUDA_VISIBLE_DEVICES": "-1", "NVCUDA_INIT": "100"},
        given={"env": "CUDA_VISIBLE_DEVICES=-1"},
    ),
    Fault(
        "tf210-numpy2",
        TF210,
        ("numpy-2-abi",),
        "NumPy 2 is installed beside it",
        changes=(installed("numpy==2.0.2"),),
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf210-protobuf4",
        TF210,
        ("protobuf-4-descriptors",),
        "protobuf 4 is installed beside it",
        changes=(installed("protobuf==4.25.3"),),
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf210-own-script",
        TF210,
        ("script-shadows-package",),
        "the user's program is called tensorflow.py",
        program="",
        command=("{python}", "tensorflow.py"),
        changes=(written("tensorflow.py", OWN),),
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf210-half-uninstalled",
        TF210,
        ("broken-or-leftover-install",),
        "an interrupted pip run left tensorflow/ without its Python part",
        changes=(removed("tensorflow/__init__.py", "tensorflow/python/__init__.py", "tensorflow/_api"),),
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf210-tf1-code",
        TF210,
        ("tf1-code-on-tf2",),
        "code of TensorFlow 1",
        program="import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\nwith tf.Session() as s:\n    print(s.run(x, {x: 1}))\n",
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf210-config-too-late",
        TF210,
        ("gpu-config-after-init",),
        "devices are configured after the first operation",
        program=CODE
        + "tf.constant(1.0) + 1.0\nfor device in tf.config.list_physical_devices('CPU'):\n"
        + "    tf.config.set_logical_device_configuration(device, [tf.config.LogicalDeviceConfiguration()])\n",
        changes=(NO_MODULE, removed("/sys/bus/pci/devices/0000:01:00.0"), removed("nvidia", "nvidia_*")),
        variables=NO_DRIVER,
        given={"gpu": "none"},
    ),
    Fault(
        "tf210-cpu-only-machine",
        TF210,
        (HARMLESS,),
        "a machine without any NVIDIA card trains on its CPU",
        program=GROWTH,
        changes=(NO_MODULE, removed("/sys/bus/pci/devices/0000:01:00.0"), removed("nvidia", "nvidia_*")),
        variables=NO_DRIVER,
        given={"gpu": "none"},
    ),
)
