"""One trial of a batch in TensorFlow, 2.4 to the newest, Keras 2 and 3."""

from typing import Any, Dict, List

import tensorflow as tf


class Trial:
    """`build`, then `step` as often as wanted. The loss has no meaning: memory and speed do not depend on it."""

    def __init__(self, expected: str, options: Dict[str, Any]) -> None:
        self._cpu, self._options = expected == "cpu", options
        self._device = "/CPU:0" if self._cpu else "/GPU:0"
        self._policy = "float32"
        if self._cpu:
            tf.config.set_visible_devices([], "GPU")
        elif options["growth"]:
            for gpu in tf.config.list_physical_devices("GPU"):
                tf.config.experimental.set_memory_growth(gpu, True)
        if options["mixed"]:
            self._policy = "mixed_bfloat16" if self._cpu else "mixed_float16"
            tf.keras.mixed_precision.set_global_policy(self._policy)

    def out_of_memory(self, error: BaseException) -> bool:
        words = str(error)
        kinds = (tf.errors.ResourceExhaustedError, MemoryError)
        return isinstance(error, kinds) or "OOM when" in words or "out of memory" in words.lower()

    def build(self, make: Any) -> None:
        parts, batch = self._options["accumulate"], self._options["batch"]
        with tf.device(self._device):
            model = make(self._options["side"]) if make else _network(self._options["side"])
            pictures = [self._input(one, max(1, batch // parts)) for one in model.inputs]
            optimizer = tf.keras.optimizers.Adam()
            self._step = tf.function(_step(model, optimizer, pictures, parts))

    def _input(self, wanted: Any, batch: int) -> Any:
        """Return an input of the right shape; what a shape leaves open is the side of the pictures."""
        shape = [batch, *(size or self._options["side"] for size in wanted.shape[1:])]
        kind = tf.as_dtype(wanted.dtype)
        return tf.random.normal(shape, dtype=kind) if kind.is_floating else tf.zeros(shape, kind)

    def step(self) -> None:
        with tf.device(self._device):
            float(self._step())

    def peak_mb(self) -> Any:
        count = getattr(tf.config.experimental, "get_memory_info", None)
        if count is None:
            return None
        try:
            return round(count("GPU:0")["peak"] / 1e6, 1)
        except (ValueError, RuntimeError, tf.errors.OpError):  # a plugin's device counts nothing
            return None

    def detail(self) -> Dict[str, str]:
        return {"policy": self._policy}


def _step(model: Any, optimizer: Any, pictures: List[Any], parts: int) -> Any:
    variables = model.trainable_variables

    def gradients() -> Any:
        with tf.GradientTape() as tape:
            answers = tf.nest.flatten(model(pictures if len(pictures) > 1 else pictures[0], training=True))
            loss = tf.add_n([tf.reduce_mean(tf.square(tf.cast(one, "float32"))) for one in answers])
        return loss, tape.gradient(loss, variables)

    def step() -> Any:
        loss, total = gradients()
        for _ in range(parts - 1):
            with tf.control_dependencies([total[0]]):  # one after the other: that is what saves the memory
                loss, more = gradients()
            total = [left + right for left, right in zip(total, more)]
        optimizer.apply_gradients(zip(total, variables))
        return loss

    return step


def _network(side: int) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input(shape=(side, side, 3)),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(2),
            layers.Conv2D(64, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dense(10, activation="softmax", dtype="float32"),
        ]
    )
