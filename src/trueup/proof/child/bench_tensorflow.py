"""What is measured of TensorFlow, 2.4 to the newest. Eager, so that no optimizer removes what is to be timed."""

import os
from functools import partial
from typing import Any, Callable, Dict, Iterator, Tuple

import numpy as np
import tensorflow as tf

from .bench_shapes import CONV, COPY_BYTES, DISK_SIDE, MEMORY_SIZES, PRODUCTS, SIDES, TARGET, numpy_product
from .timing import NotOffered, sized

Run = Callable[[], Any]
Made = Tuple[Run, float, Dict[str, str]]


class Bench:
    """`figures()` yields a name, a unit and what makes the run; nothing is made before it is asked for."""

    def __init__(self, device: str, folder: str) -> None:
        self._device, self._folder = device, folder
        self._gpu = "GPU" in device
        self._kind = "gpu" if self._gpu else "cpu"

    def tf32(self) -> str:
        """Return whether this framework's own default uses TF32."""
        return "on" if tf.config.experimental.tensor_float_32_execution_enabled() else "off"

    def wait(self, result: Any) -> None:
        """Wait until a device is done: one number of the last result is fetched."""
        if isinstance(result, tf.Tensor):
            tf.reshape(result, [-1])[:1].numpy()

    def out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, (tf.errors.ResourceExhaustedError, MemoryError))

    def figures(self) -> Iterator[Tuple[str, str, Callable[[], Made]]]:
        for name in PRODUCTS[self._kind]:
            yield "matmul-" + name, "flop", partial(self._product, name)
        yield "memory", "byte", self._memory
        for kind in ("forward", "backward"):
            for name in ("fp32", "fp16") if self._gpu else ("fp32",):
                yield "conv-" + kind + "-" + name, "flop", partial(self._convolution, kind, name)
        yield "copy-to-pageable", "byte", self._to_device
        yield "copy-from-pageable", "byte", self._from_device
        yield "copy-to-pinned", "byte", self._no_pinned
        yield "pipeline-memory", "image", self._from_memory
        yield "pipeline-disk", "image", self._from_disk

    def _tf32_for(self, name: str) -> None:
        tf.config.experimental.enable_tensor_float_32_execution(name == "tf32")

    def _product(self, name: str) -> Made:
        if name == "numpy":
            return numpy_product(self.wait)
        self._refuse(name)
        self._tf32_for(name)

        def make(side: int) -> Run:
            left, right = (self._random((side, side), name) for _ in range(2))
            return lambda: tf.matmul(left, right)

        with tf.device(self._device):
            side, run = sized(SIDES[self._kind], TARGET[self._kind], make, self.wait)
        return self._here(run), 2.0 * side**3, {"side": str(side)}

    def _refuse(self, name: str) -> None:
        if name != "tf32":
            return
        details: Any = getattr(tf.config.experimental, "get_device_details", lambda _: {})
        found = details(tf.config.list_physical_devices("GPU")[0]).get("compute_capability")
        if found and tuple(found) < (8, 0):
            raise NotOffered("no-hardware")

    def _memory(self) -> Made:
        def make(count: int) -> Run:
            numbers = tf.ones([count], "float32")
            return lambda: tf.negative(numbers)

        with tf.device(self._device):
            count, run = sized(MEMORY_SIZES[self._kind], TARGET[self._kind] / 4, make, self.wait)
        return self._here(run), 8.0 * count, {"megabytes": str(round(count * 4 / 1e6))}

    def _convolution(self, kind: str, name: str) -> Made:
        self._tf32_for(name)
        side, channels, batches = CONV[self._kind]

        def make(batch: int) -> Run:
            pictures = self._random((batch, side, side, channels), name)
            filters = self._random((3, 3, channels, channels), name)
            same = {"strides": [1, 1, 1, 1], "padding": "SAME"}
            if kind == "forward":
                return lambda: tf.raw_ops.Conv2D(input=pictures, filter=filters, **same)
            wrong = self._random((batch, side, side, channels), name)
            sizes = (tf.constant(list(pictures.shape)), tf.constant(list(filters.shape)))

            def back() -> Any:
                tf.raw_ops.Conv2DBackpropInput(
                    input_sizes=sizes[0], filter=filters, out_backprop=wrong, **same
                )
                return tf.raw_ops.Conv2DBackpropFilter(
                    input=pictures, filter_sizes=sizes[1], out_backprop=wrong, **same
                )

            return back

        with tf.device(self._device):
            batch, run = sized(batches, TARGET[self._kind], make, self.wait)
        work = 2.0 * batch * side**2 * 9 * channels**2 * (2 if kind == "backward" else 1)
        return self._here(run), work, {"batch": str(batch), "side": str(side), "channels": str(channels)}

    def _to_device(self) -> Made:
        self._needs_gpu()
        with tf.device("/CPU:0"):
            numbers = tf.constant(np.ones(COPY_BYTES // 4, "float32"))

        def run() -> Any:
            with tf.device("/CPU:0"):
                fresh = tf.identity(numbers)  # a handle of its own: a copy that is there already is not made
            with tf.device(self._device):
                return tf.identity(fresh)

        return run, float(COPY_BYTES), {"megabytes": str(round(COPY_BYTES / 1e6))}

    def _from_device(self) -> Made:
        self._needs_gpu()
        with tf.device(self._device):
            numbers = tf.ones([COPY_BYTES // 4], "float32")

        def run() -> Any:
            with tf.device(self._device):
                fresh = tf.identity(numbers)
            with tf.device("/CPU:0"):
                return tf.identity(fresh)

        return run, float(COPY_BYTES), {"megabytes": str(round(COPY_BYTES / 1e6))}

    def _no_pinned(self) -> Made:
        self._needs_gpu()
        raise NotOffered("not-offered")

    def _needs_gpu(self) -> None:
        if not self._gpu:
            raise NotOffered("no-device")

    def _from_memory(self) -> Made:
        pictures = np.random.RandomState(0).randint(0, 255, (4096, 28, 28, 1)).astype("uint8")
        many = tf.data.Dataset.from_tensor_slices((pictures, np.arange(4096) % 10)).shuffle(4096)
        ready = many.map(lambda x, y: (tf.cast(x, "float32") / 255, y), tf.data.experimental.AUTOTUNE)
        ready = ready.batch(128).prefetch(tf.data.experimental.AUTOTUNE)
        return lambda: _drained(ready), 4096.0, {"side": "28", "batch": "128"}

    def _from_disk(self) -> Made:
        folder = os.path.join(self._folder, "pictures")
        os.makedirs(folder, exist_ok=True)
        random = np.random.RandomState(0)
        coarse = random.randint(0, 255, (256, DISK_SIDE // 8, DISK_SIDE // 8, 3)).astype("uint8")
        for number, picture in enumerate(coarse):
            large = np.repeat(np.repeat(picture, 8, 0), 8, 1)
            tf.io.write_file(
                os.path.join(folder, "{}.jpg".format(number)), tf.io.encode_jpeg(large, quality=90)
            )
        names = [os.path.join(folder, "{}.jpg".format(number)) for number in range(256)]

        def read(name: Any) -> Any:
            picture = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
            return tf.image.resize(picture, [128, 128]) / 255

        automatic = tf.data.experimental.AUTOTUNE
        ready = tf.data.Dataset.from_tensor_slices(names).map(read, automatic).batch(32).prefetch(automatic)
        return lambda: _drained(ready), 256.0, {"side": str(DISK_SIDE), "kind": "JPEG", "batch": "32"}

    def _random(self, shape: Tuple[int, ...], name: str) -> Any:
        kinds = {"fp16": tf.float16, "bf16": tf.bfloat16}
        return tf.cast(tf.random.normal(shape), kinds.get(name, tf.float32))

    def _here(self, run: Run) -> Run:
        def placed() -> Any:
            with tf.device(self._device):
                return run()

        return placed


def _drained(batches: Any) -> None:
    for _ in batches:
        pass
