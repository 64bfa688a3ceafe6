"""TensorFlow 2.4 to 2.12 on the CUDA 11 wheels: what changed from release to release."""

from __future__ import annotations

from changes import installed, removed, written
from faults.tf210 import ALL_LIBRARIES, CODE, CUDA11, NO_DRIVER, NO_MODULE, OLD
from model import HARMLESS, Fault, Place

CUDNN = "nvidia-cudnn-cu11==8.6.0.163"
TF24 = Place(
    "tf24", "3.8", (("tensorflow==2.4.4", "protobuf<3.21", *CUDA11, CUDNN, "setuptools<80"),), "tensorflow"
)
TF26 = Place(
    "tf26",
    "3.9",
    (("tensorflow==2.6.5", "keras==2.6.0", "tensorflow-estimator==2.6.0", *OLD, *CUDA11, CUDNN),),
    "tensorflow",
)
TF28 = Place("tf28", "3.9", (("tensorflow==2.8.4", *OLD, *CUDA11, CUDNN),), "tensorflow")
TF212 = Place("tf212", "3.9", (("tensorflow==2.12.1", "setuptools<80", *CUDA11, CUDNN),), "tensorflow")
SESSION = (
    CODE
    + "config = tf.ConfigProto()\nconfig.gpu_options.allow_growth = True\nsession = tf.Session(config=config)\n"
)

FAULTS = (
    Fault(
        "tf24-cuda-11.8",
        TF24,
        ("cuda-minor-version-mismatch",),
        "CUDA 11.8's wheels beside TensorFlow 2.4, which wants libcusolver.so.10 of CUDA 11.0",
        variables=ALL_LIBRARIES,
        given={"cuda": "11.8", "cudnn": "8.6"},
    ),
    Fault(
        "tf24-no-libcuda",
        TF24,
        ("driver-missing",),
        "no driver: no library, no kernel module",
        changes=(NO_MODULE,),
        variables=NO_DRIVER,
        given={"gpu": "NVIDIA GeForce RTX 3060"},
    ),
    Fault(
        "tf24-numpy-1.24",
        TF24,
        ("numpy-abi-mismatch",),
        "NumPy 1.24, which took np.object and np.bool away",
        changes=(installed("numpy==1.24.4"),),
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf24-protobuf-5",
        TF24,
        ("protobuf-4-descriptors",),
        "protobuf 5 beside TensorFlow 2.4",
        changes=(installed("protobuf==5.29.5"),),
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf24-no-pkg-resources",
        TF24,
        ("pkg-resources-removed",),
        "setuptools is away: TensorBoard 2.11 wants pkg_resources",
        changes=(removed("pkg_resources", "setuptools", "setuptools-*"),),
        variables=ALL_LIBRARIES,
        command=("{env}/bin/tensorboard", "--logdir", "{home}/runs", "--version"),
        program="",
    ),
    Fault("tf26-healthy", TF26, (HARMLESS,), "nothing: every library is found", variables=ALL_LIBRARIES),
    Fault(
        "tf26-newer-keras",
        TF26,
        ("broken-or-leftover-install",),
        "keras 2.13 of another release beside TensorFlow 2.6",
        changes=(installed("keras==2.13.1"),),
        program=CODE + "from tensorflow.keras.layers import Dense\nprint(Dense)\n",
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf26-capability-9.0",
        TF26,
        ("gpu-arch-newer-than-build",),
        "the card answers capability 9.0",
        variables={**ALL_LIBRARIES, "NVCUDA_CC": "9.0", "NVCUDA_NAME": "NVIDIA H100 PCIe"},
    ),
    Fault(
        "tf26-no-device",
        TF26,
        ("no-gpu-allocated-by-scheduler",),
        "a job on a GPU node without an allocated GPU: the scheduler left CUDA_VISIBLE_DEVICES empty",
        variables={**ALL_LIBRARIES, "NVCUDA_INIT": "100", "CUDA_VISIBLE_DEVICES": "", "SLURM_JOB_ID": "4711"},
        given={"env": "SLURM job, CUDA_VISIBLE_DEVICES is empty"},
    ),
    Fault(
        "tf28-hidden-5",
        TF28,
        ("cuda-visible-devices-hides-gpu",),
        "CUDA_VISIBLE_DEVICES=5 on a machine with one card",
        variables={**ALL_LIBRARIES, "CUDA_VISIBLE_DEVICES": "5", "NVCUDA_INIT": "100"},
        given={"env": "CUDA_VISIBLE_DEVICES=5"},
    ),
    Fault(
        "tf28-old-cpu-libraries",
        TF28,
        ("cudnn-missing",),
        "cuDNN is away, all of CUDA is there",
        changes=(removed("nvidia/cudnn", "nvidia_cudnn*"),),
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf28-session-code",
        TF28,
        ("tf1-code-on-tf2",),
        "tf.ConfigProto and tf.Session",
        program=SESSION,
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf28-mig",
        TF28,
        (HARMLESS,),
        "nothing: the card is a MIG slice",
        variables={**ALL_LIBRARIES, "NVCUDA_NAME": "NVIDIA A100-SXM4-40GB MIG 3g.20gb", "NVCUDA_CC": "8.0"},
    ),
    Fault(
        "tf28-maxwell",
        TF28,
        (HARMLESS,),
        "nothing: a GTX 960 of capability 5.2 is still served",
        variables={
            **ALL_LIBRARIES,
            "NVCUDA_NAME": "NVIDIA GeForce GTX 960",
            "NVCUDA_CC": "5.2",
            "NVCUDA_MEMORY": "2147483648",
        },
    ),
    Fault("tf212-healthy", TF212, (HARMLESS,), "nothing: every library is found", variables=ALL_LIBRARIES),
    Fault(
        "tf212-no-path",
        TF212,
        ("cuda-libs-not-on-path",),
        "NVIDIA's wheels are installed, LD_LIBRARY_PATH names none of them",
        given={
            "install": "pip, with the nvidia-*-cu11 wheels",
            "cuda": "11.8 (pip wheels)",
            "cudnn": "8.6.0 (pip wheel)",
        },
    ),
    Fault(
        "tf212-numpy-1.21",
        TF212,
        ("numpy-abi-mismatch",),
        "NumPy 1.19, older than the one that TensorFlow was compiled against",
        changes=(installed("numpy==1.19.5"),),
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf212-protobuf-6",
        TF212,
        (HARMLESS,),
        "nothing: protobuf 6 beside TensorFlow 2.12, which starts all the same",
        changes=(installed("protobuf==6.31.1"),),
        variables=ALL_LIBRARIES,
    ),
    Fault(
        "tf212-leftover",
        TF212,
        ("broken-or-leftover-install",),
        "an interrupted upgrade left ~ensorflow and half a tensorflow",
        changes=(
            removed("tensorflow/__init__.py", "tensorflow/_api"),
            written("site/~ensorflow/__init__.py", ""),
        ),
        variables=ALL_LIBRARIES,
    ),
)
