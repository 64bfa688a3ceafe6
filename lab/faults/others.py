"""PyTorch, JAX, ONNX Runtime and Paddle, on the same NVIDIA wheels as TensorFlow 2.18 or 2.10."""

from __future__ import annotations

from changes import installed, overwritten, removed, unpacked
from faults.tf210 import ALL_LIBRARIES, CUDA11, NO_MODULE
from faults.tf_early import CUDNN
from model import Fault, Place

CUDA12 = (
    "nvidia-cublas-cu12==12.5.3.2",
    "nvidia-cuda-cupti-cu12==12.5.82",
    "nvidia-cuda-nvcc-cu12==12.5.82",
    "nvidia-cuda-nvrtc-cu12==12.5.82",
    "nvidia-cuda-runtime-cu12==12.5.82",
    "nvidia-cudnn-cu12==9.3.0.75",
    "nvidia-cufft-cu12==11.2.3.61",
    "nvidia-curand-cu12==10.3.6.82",
    "nvidia-cusolver-cu12==11.6.3.83",
    "nvidia-cusparse-cu12==12.5.1.3",
    "nvidia-nccl-cu12==2.21.5",
    "nvidia-nvjitlink-cu12==12.5.82",
)
TORCH = Place(
    "torch24",
    "3.12",
    (
        ("--no-deps", "torch==2.4.1", *CUDA12, "nvidia-nvtx-cu12==12.1.105"),
        (
            "filelock",
            "typing-extensions",
            "sympy",
            "networkx",
            "jinja2",
            "fsspec",
            "numpy<2.3",
            "setuptools<80",
        ),
    ),
    "torch",
)
TORCH22 = Place(
    "torch22",
    "3.12",
    (
        (
            "--no-deps",
            "torch==2.2.2",
            *(one for one in CUDA12 if "cudnn" not in one),
            "nvidia-cudnn-cu12==8.9.7.29",
            "nvidia-nvtx-cu12==12.1.105",
        ),
        ("filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec", "numpy==2.1.3"),
    ),
    "torch",
)
JAX = Place(
    "jax0430",
    "3.12",
    (
        (
            "--no-deps",
            "jax==0.4.30",
            "jaxlib==0.4.30",
            "jax-cuda12-plugin==0.4.30",
            "jax-cuda12-pjrt==0.4.30",
            *CUDA12,
        ),
        ("ml-dtypes", "numpy<2.3", "opt-einsum", "scipy"),
    ),
    "jax",
)
ORT = Place(
    "ort120",
    "3.12",
    (
        ("--no-deps", "onnxruntime-gpu==1.20.2", *CUDA12),
        ("coloredlogs", "flatbuffers", "numpy<2.3", "packaging", "protobuf", "sympy", "onnx==1.17.0"),
    ),
    "onnxruntime-gpu",
)
PADDLE = Place(
    "paddle26",
    "3.10",
    (("paddlepaddle-gpu==2.6.2", "numpy<2", "setuptools<80"), ("--no-deps", *CUDA11, CUDNN)),
    "paddlepaddle-gpu",
)

TORCH_CODE = "import torch\n\nprint(torch.__version__, torch.version.cuda, torch.cuda.is_available())\n"
TORCH_RUN = TORCH_CODE + "x = torch.ones(3, device='cuda')\nprint(x)\n"
TORCH_CUDNN = TORCH_CODE + "print(torch.backends.cudnn.version())\n"
JAX_CODE = "import jax\n\nprint(jax.__version__, jax.devices())\n"
ORT_CODE = """import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1]) for n in 'xy']
graph = helper.make_graph([helper.make_node('Relu', ['x'], ['y'])], 'g', value[:1], value[1:])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=9)
print(ort.__version__, ort.get_available_providers())
session = ort.InferenceSession(model.SerializeToString(), providers=['CUDAExecutionProvider', 'CPUExecutionProvider'])
print(session.get_providers())
"""
PADDLE_CODE = (
    "import paddle\n\nprint(paddle.__version__)\npaddle.set_device('gpu')\nprint(paddle.ones([2]))\n"
)
NO_LIBRARY = {"LD_LIBRARY_PATH": "-", "NVCUDA_NAME": "-", "NVML_DRIVER": "-"}
OLD_DRIVER = {"NVCUDA_DRIVER": "11040", "NVML_DRIVER": "470.223.02"}
WHEELS = {"LD_LIBRARY_PATH": "{driver}:{nvidia}"}

FAULTS = (
    Fault(
        "torch24-no-driver",
        TORCH,
        ("driver-missing",),
        "no driver: no library, no kernel module",
        program=TORCH_RUN,
        changes=(NO_MODULE,),
        variables=NO_LIBRARY,
        given={"gpu": "NVIDIA GeForce RTX 3060"},
    ),
    Fault(
        "torch24-old-driver",
        TORCH,
        ("driver-too-old-for-cuda",),
        "the driver knows CUDA 11.4 only",
        program=TORCH_RUN,
        variables=OLD_DRIVER,
    ),
    Fault(
        "torch24-older-cudnn-first",
        TORCH,
        ("cudnn-shadowed-by-another-copy",),
        "LD_LIBRARY_PATH names cuDNN 9.0.0, older than the one it was built with",
        program=TORCH_CUDNN,
        changes=(unpacked("nvidia-cudnn-cu12==9.0.0.312", "cudnn-9.0", "3.12"),),
        variables={"LD_LIBRARY_PATH": "{home}/cudnn-9.0/nvidia/cudnn/lib:{driver}"},
    ),
    Fault(
        "torch24-older-nvjitlink-first",
        TORCH,
        ("shadowed-nvjitlink",),
        "LD_LIBRARY_PATH names CUDA 12.0's libnvJitLink",
        program=TORCH_CODE,
        changes=(unpacked("nvidia-nvjitlink-cu12==12.0.140", "cuda-12.0", "3.12"),),
        variables={"LD_LIBRARY_PATH": "{home}/cuda-12.0/nvidia/nvjitlink/lib:{driver}"},
    ),
    Fault(
        "torch24-no-cudnn",
        TORCH,
        ("cudnn-missing",),
        "cuDNN's wheel was uninstalled",
        program=TORCH_CODE,
        changes=(removed("nvidia/cudnn", "nvidia_cudnn*"),),
    ),
    Fault(
        "torch24-hidden",
        TORCH,
        ("cuda-visible-devices-hides-gpu",),
        "CUDA_VISIBLE_DEVICES=-1",
        program=TORCH_RUN,
        variables={"CUDA_VISIBLE_DEVICES": "-1", "NVCUDA_INIT": "100"},
        given={"env": "CUDA_VISIBLE_DEVICES=-1"},
    ),
    Fault(
        "torch24-after-suspend",
        TORCH,
        ("driver-broken-after-suspend",),
        "cuInit answers 999, as after a suspend",
        program=TORCH_RUN,
        variables={"NVCUDA_INIT": "999"},
        given={"symptom": "worked until the laptop was suspended"},
    ),
    Fault(
        "torch22-numpy-2",
        TORCH22,
        ("numpy-2-abi",),
        "NumPy 2 beside a torch that was compiled for NumPy 1",
        program=TORCH_CODE + "import numpy as np\n\nprint(torch.from_numpy(np.ones(3)))\n",
        variables=WHEELS,
        given={"numpy": "2.1.3"},
    ),
    Fault("torch22-healthy", TORCH22, (), "nothing: NumPy is not used", TORCH_CODE, variables=WHEELS),
    Fault(
        "jax-plugin-older",
        JAX,
        ("jax-plugin-version-mismatch",),
        "the CUDA plugin is of another release than jaxlib",
        program=JAX_CODE,
        changes=(installed("jax-cuda12-plugin==0.4.28", "jax-cuda12-pjrt==0.4.28"),),
        variables=WHEELS,
    ),
    Fault(
        "jax-cpu-only",
        JAX,
        ("cpu-only-build-installed",),
        "jax without its CUDA plugin",
        program=JAX_CODE,
        changes=(removed("jax_cuda12*", "jax_plugins", "nvidia", "nvidia_*"),),
        given={"install": "pip install jax"},
    ),
    Fault(
        "ort-no-path",
        ORT,
        ("cuda-libs-not-on-path",),
        "NVIDIA's wheels are installed, LD_LIBRARY_PATH names none of them",
        program=ORT_CODE,
        given={
            "install": "pip, with the nvidia-*-cu12 wheels",
            "cuda": "12.5 (pip wheels)",
            "cudnn": "9.3 (pip wheel)",
        },
    ),
    Fault(
        "ort-nothing-installed",
        ORT,
        ("cuda-toolkit-missing",),
        "ONNX Runtime alone, no CUDA anywhere",
        program=ORT_CODE,
        changes=(removed("nvidia", "nvidia_*"),),
    ),
    Fault(
        "ort-no-cudnn",
        ORT,
        ("cudnn-missing",),
        "cuDNN's wheel was uninstalled, CUDA is on the path",
        program=ORT_CODE,
        changes=(removed("nvidia/cudnn", "nvidia_cudnn*"),),
        variables=WHEELS,
        given={"cuda": "12.5"},
    ),
    Fault(
        "ort-cudnn-8",
        ORT,
        ("cudnn-major-mismatch",),
        "cuDNN 8 is installed where it wants cuDNN 9",
        program=ORT_CODE,
        changes=(installed("nvidia-cudnn-cu12==8.9.7.29"),),
        variables=WHEELS,
        given={"cuda": "12.5", "cudnn": "8.9.7"},
    ),
    Fault(
        "ort-both",
        ORT,
        ("onnxruntime-cpu-and-gpu-both",),
        "the CPU package was installed over the GPU one",
        program=ORT_CODE,
        changes=(overwritten("onnxruntime==1.20.1"),),
        variables=WHEELS,
        given={
            "install": "pip install onnxruntime-gpu onnxruntime",
            "framework": "onnxruntime 1.20.1, onnxruntime-gpu 1.20.1",
        },
    ),
    Fault(
        "paddle-no-path",
        PADDLE,
        ("cuda-libs-not-on-path",),
        "NVIDIA's wheels are installed, LD_LIBRARY_PATH names none of them",
        program=PADDLE_CODE,
        given={
            "install": "pip, with the nvidia-*-cu11 wheels",
            "cuda": "11.8 (pip wheels)",
            "cudnn": "8.6.0 (pip wheel)",
        },
    ),
    Fault(
        "paddle-no-cudnn",
        PADDLE,
        ("cudnn-missing",),
        "cuDNN's wheel was uninstalled, CUDA is on the path",
        program=PADDLE_CODE,
        changes=(removed("nvidia/cudnn", "nvidia_cudnn*"),),
        variables=ALL_LIBRARIES,
        given={"cuda": "11.8"},
    ),
    Fault(
        "paddle-old-driver",
        PADDLE,
        ("driver-too-old-for-cuda",),
        "the driver knows CUDA 10.2 only",
        program=PADDLE_CODE,
        variables={**ALL_LIBRARIES, "NVCUDA_DRIVER": "10020", "NVML_DRIVER": "440.33.01"},
    ),
    Fault(
        "ort-healthy",
        ORT,
        (),
        "nothing: the program asks for the CPU alone",
        program=ORT_CODE.replace("'CUDAExecutionProvider', ", ""),
        variables=WHEELS,
    ),
)
