"""Run by a cell's own interpreter (3.6 or newer): what a beginner does with TensorFlow, or a start of TensorBoard.

Prints a word in capitals for each step that held.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

READY = re.compile(r"TensorBoard \S+ at (http://127\S+)")


def train():
    import numpy as np
    import tensorflow as tf

    print("IMPORTED " + tf.__version__)
    print("NUMPY " + np.__version__)
    folder = tempfile.mkdtemp()
    try:
        one_step(np, tf, folder)
        print("TRAINED")
        compiled_control_flow(tf)
        print("COMPILED")
        saved_module(tf, os.path.join(folder, "module"))
        print("SAVED")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def one_step(np, tf, folder):
    """Train one step of the guides' network, write TensorBoard's events, save and load weights through h5py."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Conv2D(32, (3, 3), activation="relu", input_shape=(28, 28, 1)),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    images = np.random.RandomState(1).rand(128, 28, 28, 1).astype("float32")
    labels = np.arange(128) % 10
    board = tf.keras.callbacks.TensorBoard(log_dir=folder)
    model.fit(images, labels, batch_size=128, epochs=1, verbose=0, callbacks=[board])
    weights = os.path.join(folder, "model.weights.h5")
    model.save_weights(weights)
    model.load_weights(weights)


def compiled_control_flow(tf):
    """Let AutoGraph rewrite a loop and a branch: it does so with gast, astunparse and friends."""

    @tf.function
    def halve(x):
        while tf.reduce_sum(x) > 1.0:
            if x[0] > 0.0:  # noqa: SIM108  # the branch is what is tried
                x = x / 2.0
            else:
                x = x / 4.0
        return x

    if float(tf.reduce_sum(halve(tf.constant([3.0, 4.0])))) > 1.0:
        raise AssertionError("AutoGraph's loop did not run")


def saved_module(tf, folder):
    """Save and load a module that holds a list and a dict: TensorFlow wraps them with wrapt."""

    class Scale(tf.Module):
        def __init__(self):
            super().__init__()
            self.factors = {"a": tf.Variable(2.0)}
            self.order = ["a"]

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def __call__(self, x):
            return self.factors["a"] * x

    tf.saved_model.save(Scale(), folder)
    if float(tf.saved_model.load(folder)(tf.constant(4.0))) != 8.0:
        raise AssertionError("the loaded module computes something else")


def board(seconds=300):
    logs = tempfile.mkdtemp()
    command = [
        sys.executable,
        "-m",
        "tensorboard.main",
        "--logdir",
        logs,
        "--host",
        "127.0.0.1",
        "--port",
        "0",
    ]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True
    )
    timer = threading.Timer(seconds, child.kill)
    timer.start()
    try:
        for line in child.stdout:
            print(line.rstrip())
            found = READY.search(line)
            if found:
                print("BOARD %d" % _status(found.group(1)))
                return
    finally:
        timer.cancel()
        child.kill()
        child.wait()
        shutil.rmtree(logs, ignore_errors=True)


def _status(address):
    for _ in range(20):
        try:
            return urllib.request.urlopen(address, timeout=20).getcode()  # noqa: S310  # our own loopback
        except OSError:  # noqa: PERF203  # it says ready a moment too early
            time.sleep(0.5)
    return 0


if __name__ == "__main__":
    {"train": train, "board": board}[sys.argv[1]]()
