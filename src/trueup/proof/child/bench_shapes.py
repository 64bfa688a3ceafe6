"""What both frameworks are asked, so that their figures mean the same."""

from typing import Any, Callable, Dict, Tuple

import numpy as np

from .timing import sized

PRODUCTS = {"gpu": ("fp32", "tf32", "fp16", "bf16"), "cpu": ("numpy", "fp32", "bf16", "fp16")}
SIDES = {"gpu": (1024, 2048, 4096, 8192), "cpu": (128, 256, 512, 1024, 2048)}
TARGET = {"gpu": 0.008, "cpu": 0.03}  # seconds of one run
MEMORY_SIZES = {"gpu": (1 << 24, 1 << 26, 1 << 27), "cpu": (1 << 22, 1 << 24, 1 << 25)}
# Side of the pictures, channels in and out, batches; 3 x 3 filters: a middle block of a residual network.
CONV = {"gpu": (56, 64, (32, 128, 256)), "cpu": (56, 64, (1, 2, 4, 8))}
COPY_BYTES = 1 << 27
DISK_SIDE = 256


def numpy_product(wait: Callable[[Any], None]) -> Tuple[Callable[[], Any], float, Dict[str, str]]:
    """Return numpy's own matrix product in FP32: what this processor does without the framework."""

    def make(side: int) -> Callable[[], Any]:
        left = np.ones((side, side), "float32")
        return lambda: left @ left

    side, run = sized(SIDES["cpu"], TARGET["cpu"], make, wait)
    return run, 2.0 * side**3, {"side": str(side)}
