"""A notebook cell that shows which Python and which GPU it really has. It needs nothing of trueup."""

from typing import Final

CELL: Final = """\
# Which Python and which GPU does this notebook have? / 这个笔记本用的是哪个 Python、哪块 GPU？
import importlib.util, sys
print("Python / 解释器:", sys.version.split()[0], sys.executable)
found = [n for n in ("tensorflow", "torch", "jax") if importlib.util.find_spec(n)]
print("Frameworks / 框架:", ", ".join(found) or "none / 没有")
if "tensorflow" in found:
    import tensorflow as tf
    gpus = tf.config.list_physical_devices("GPU")
    print("TensorFlow", tf.__version__, "GPU:", [g.name for g in gpus] or "none / 没有")
    with tf.device("/GPU:0" if gpus else "/CPU:0"):
        print("  computed on / 实际计算于:", tf.matmul(tf.ones((64, 64)), tf.ones((64, 64))).device)
if "torch" in found:
    import torch
    name = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "none / 没有"
    print("PyTorch", torch.__version__, "GPU:", name)
    x = torch.ones(64, 64, device="cuda" if torch.cuda.is_available() else "cpu")
    print("  computed on / 实际计算于:", (x @ x).device)
if "jax" in found:
    import jax
    print("JAX", jax.__version__, "devices / 设备:", jax.devices())
    print("  computed on / 实际计算于:", (jax.numpy.ones((64, 64)) @ jax.numpy.ones((64, 64))).devices())
"""
