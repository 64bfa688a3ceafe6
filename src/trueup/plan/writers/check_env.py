"""check_env.py: compares an environment with the lock and lists the GPUs. Needs nothing but Python 3.8."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from trueup.plan.writers.order import Order

SCRIPT: Final = """
import sys
from importlib import metadata


def differences():
    if "%d.%d" % sys.version_info[:2] != PYTHON:
        yield "python", PYTHON, "%d.%d" % sys.version_info[:2]
    for name, version in sorted(PACKAGES.items()):
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            found = None
        if found != version:
            yield name, version, found


def tensorflow_gpus():
    import tensorflow as tf

    return [device.name for device in tf.config.list_physical_devices("GPU")]


def torch_gpus():
    import torch

    return [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]


def main():
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    wrong = list(differences())
    for name, version, found in wrong:
        print(WORDS["differs"] % (name, version, found or "-"))
    gpus = {"tensorflow": tensorflow_gpus, "torch": torch_gpus}
    missing = False
    for framework in FRAMEWORKS:
        if framework in gpus:
            try:
                found = gpus[framework]()
            except (ImportError, OSError, RuntimeError) as error:
                found = []
                print("%s: %s" % (framework, error))
                wrong.append(framework)
            print("%s: GPU %s" % (framework, found))
            missing = missing or (GPU and not found)
    print(WORDS["wrong"] if wrong or missing else WORDS["right"])
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
"""


def write(order: Order) -> str:
    packages = {package.name: package.version for package in order.lock.packages if package.name != "pip"}
    words = {name: order.words[f"check-{name}"] for name in ("differs", "wrong", "right")}
    rows = [
        f"# {order.title}",
        f"PYTHON = {json.dumps(order.question.python)}",
        f"GPU = {order.alignment.route != 'cpu'}",
        f"FRAMEWORKS = {sorted({build.framework for build in order.alignment.builds})!r}",
        f"PACKAGES = {json.dumps(packages, indent=4)}",
        f"WORDS = {json.dumps(words, indent=4)}",
    ]
    return "\n".join(rows) + "\n" + SCRIPT
