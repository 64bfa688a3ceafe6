"""The real child where TensorFlow's second logical CPU plays the GPU: the whole course of a GPU without a card."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

CHILD = Path(__file__).parents[2] / "src" / "trueup" / "proof" / "child"


def load() -> Any:
    spec = importlib.util.spec_from_file_location("child_main", CHILD / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def split() -> None:
    import tensorflow as tf

    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], two)


def main() -> int:
    package: Any = load().package()
    network = importlib.import_module(package.__name__ + ".tensorflow_").Network
    network.GPU = "/CPU:1"
    network.gpus = lambda _: ["second CPU"]
    split()
    return int(importlib.import_module(package.__name__ + ".course").run(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
