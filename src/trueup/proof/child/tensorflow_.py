"""The network of the guides in TensorFlow, 2.4 to the newest, Keras 2 and 3."""

from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np
import tensorflow as tf

HEAVY = ("Conv", "MatMul", "Xla")
Progress = Callable[[int, int, float, float], None]


class Network:
    """Knows TensorFlow so that the course need not. Devices are TensorFlow's names, "/GPU:0"."""

    CPU = "/CPU:0"
    GPU = "/GPU:0"

    def __init__(self, seed: int, batch: int) -> None:
        self._batch = batch
        self._model: Any = None
        self._device = self.CPU
        self._seed = seed

    def versions(self) -> Dict[str, str]:
        keras = getattr(tf.keras, "__version__", None) or getattr(tf.keras, "version", lambda: "")()
        found = {"tensorflow": tf.__version__, "numpy": np.__version__, "keras": str(keras)}
        return {name: version for name, version in found.items() if version}

    def gpus(self) -> List[str]:
        """Return a line for each GPU that TensorFlow itself lists."""
        return [_describe(device) for device in tf.config.list_physical_devices("GPU")]

    def directml(self) -> List[str]:
        """Return a line for each GPU of a plugin. A TensorFlow that was built with CUDA lists its own instead."""
        return [] if tf.test.is_built_with_cuda() else self.gpus()

    def build(self) -> Dict[str, str]:
        info = dict(getattr(tf.sysconfig, "get_build_info", dict)())
        named = {k: str(info[k]) for k in ("cuda_version", "cudnn_version") if info.get(k)}
        return dict(named, cuda=str(bool(tf.test.is_built_with_cuda())))

    def prepare(self, expected: str) -> None:
        """Take no more of the card's memory than is used; where the CPU is proven, leave the card alone."""
        tf.random.set_seed(self._seed)
        gpus = tf.config.list_physical_devices("GPU")
        if expected == "cpu":
            tf.config.set_visible_devices([], "GPU")
        elif expected == "gpu":
            for gpu in gpus:
                tf.config.experimental.set_memory_growth(gpu, True)

    def mnist(self) -> Any:
        train, test = tf.keras.datasets.mnist.load_data()
        return tuple((x[..., None].astype("float32") / 255, y.astype("int64")) for x, y in (train, test))

    def build_on(self, device: str) -> None:
        layers = tf.keras.layers
        self._device = device
        with tf.device(device):
            self._model = tf.keras.Sequential(
                [
                    tf.keras.Input(shape=(28, 28, 1)),
                    layers.Conv2D(32, (3, 3), activation="relu"),
                    layers.MaxPooling2D(2),
                    layers.Flatten(),
                    layers.Dense(128, activation="relu"),
                    layers.Dense(10, activation="softmax"),
                ]
            )
            self._model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])

    def placement(self, train: Any, device: str) -> Dict[str, List[str]]:
        """Return where the variables, the kernels of one traced step and its results really are.

        A device that is asked for is a wish: what has no kernel there goes elsewhere without a word.
        """
        with tf.device(device):
            pictures, labels = (tf.constant(part[: self._batch]) for part in train)
        model, loss = self._model, tf.keras.losses.SparseCategoricalCrossentropy()

        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                value = loss(y, model(x, training=True))
            return tape.gradient(value, model.trainable_variables)

        with tf.device(device):
            results, kernels = _traced(tf.function(step), pictures, labels)
        return {
            "variables": sorted({_short(_plain(v).device) for v in model.trainable_variables}),
            "results": sorted({_short(r.device) for r in results}),
            "kernels": kernels,
        }

    def epoch(self, train: Any, epoch: int, progress: Progress) -> None:
        class Told(tf.keras.callbacks.Callback):  # type: ignore[misc]
            def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
                values = logs or {}
                progress(epoch, batch + 1, float(values.get("loss", 0)), float(values.get("accuracy", 0)))

        with tf.device(self._device):
            self._model.fit(
                train[0], train[1], batch_size=self._batch, epochs=1, verbose=0, callbacks=[Told()]
            )

    def accuracy(self, test: Any) -> float:
        with tf.device(self._device):
            return float(self._model.evaluate(test[0], test[1], batch_size=500, verbose=0)[1])

    def peak_mb(self, device: str) -> Any:
        """Return the most memory that was in use on a GPU, in units of 10^6 bytes; None where nobody counts it."""
        count = getattr(tf.config.experimental, "get_memory_info", None)
        if count is None or device == self.CPU:
            return None
        try:
            return round(count(device.strip("/"))["peak"] / 1e6, 1)
        except (ValueError, RuntimeError, tf.errors.OpError):  # a plugin's device counts nothing
            return None

    def differences(self, device: str) -> Iterator[Tuple[str, float]]:
        """Yield how far one convolution and one matrix product are from the CPU's, of its largest value."""
        tf.config.experimental.enable_tensor_float_32_execution(False)
        random = np.random.RandomState(self._seed)
        pictures = random.normal(size=(32, 28, 28, 32)).astype("float32")
        filters = random.normal(size=(3, 3, 32, 64)).astype("float32")
        left, right = (random.normal(size=(512, 512)).astype("float32") for _ in range(2))
        yield "conv2d", self._difference(device, lambda: tf.nn.conv2d(pictures, filters, 1, "SAME"))
        yield "matmul", self._difference(device, lambda: tf.matmul(left, right))

    def _difference(self, device: str, compute: Callable[[], Any]) -> float:
        answers = []
        for where in (device, self.CPU):
            with tf.device(where):
                answers.append(compute().numpy().astype("float64"))
        other, cpu = answers
        return float(np.max(np.abs(other - cpu)) / np.max(np.abs(cpu)))


def _describe(device: Any) -> str:
    ask = getattr(tf.config.experimental, "get_device_details", None)
    try:
        details: Dict[str, Any] = ask(device) if ask else {}
    except (ValueError, RuntimeError, tf.errors.OpError):  # a plugin's device may have none to tell
        details = {}
    capability = details.get("compute_capability")
    name = details.get("device_name", device.name)
    return "{} ({}.{})".format(name, *capability) if capability else str(name)


def _traced(step: Any, *inputs: Any) -> Tuple[List[Any], List[str]]:
    """Run a function for the first time; return its results and "operation on device" of its heavy kernels.

    The run's metadata holds the graph as it was placed and optimized. Its door is not public, so a release
    without it leaves the list empty and the results' own devices have to do.
    """
    try:
        from tensorflow.python.eager import context

        here = context.context()
        here.enable_run_metadata()
    except (ImportError, AttributeError):
        return step(*inputs), []
    try:
        results = step(*inputs)
        graphs = here.export_run_metadata().partition_graphs
    finally:
        here.disable_run_metadata()
    nodes = [node for graph in graphs for node in graph.node if any(h in node.op for h in HEAVY)]
    return results, sorted({"{} on {}".format(node.op, _short(node.device)) for node in nodes})


def _plain(variable: Any) -> Any:
    """Return TensorFlow's own variable: Keras 3 wraps it."""
    value = getattr(variable, "value", variable)
    return variable if callable(value) else value


def _short(device: str) -> str:
    """Return "GPU:0" of "/job:localhost/replica:0/task:0/device:GPU:0"."""
    return device.rpartition("device:")[2]
