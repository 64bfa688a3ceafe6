"""What pip and uv really answer when no wheel fits, and when there is no room."""

from __future__ import annotations

from changes import full_disk, read_only
from model import Fault, Place

PIP = ("pip==24.3.1",)
BARE311 = Place("bare311", "3.11", (PIP,), "")
BARE312 = Place("bare312", "3.12", (PIP,), "")
BARE313 = Place("bare313", "3.13", (PIP,), "")
BARE38 = Place("bare38", "3.8", (PIP,), "")
LIBPYTHON = "/home/user/.pyenv/versions/3.12.1/lib"  # its own place is closed to other users
NO_CARD = {"gpu": "", "driver": ""}
PIP_INSTALL = (
    "{python}",
    "-m",
    "pip",
    "--disable-pip-version-check",
    "install",
    "--no-input",
    "--progress-bar",
    "off",
)
UV_INSTALL = ("{uv}", "pip", "install", "--python", "{python}", "--dry-run")


def asked(name: str, place: Place, cause: str, made: str, words: tuple[str, ...], **given: str) -> Fault:
    return Fault(name, place, (cause,), made, program="", command=words, given={**NO_CARD, **given})


FAULTS = (
    asked(
        "pip-tf210-on-311",
        BARE311,
        "python-too-new-for-release",
        "pip install tensorflow==2.10.1 under Python 3.11",
        (*PIP_INSTALL, "tensorflow==2.10.1"),
    ),
    asked(
        "uv-tf210-on-312",
        BARE312,
        "python-too-new-for-release",
        "uv pip install tensorflow==2.10.1 under Python 3.12",
        (*UV_INSTALL, "tensorflow==2.10.1"),
    ),
    asked(
        "pip-tf215-on-313",
        BARE313,
        "python-too-new-for-release",
        "pip install tensorflow==2.15.1 under Python 3.13",
        (*PIP_INSTALL, "tensorflow==2.15.1"),
    ),
    asked(
        "pip-tf215-on-38",
        BARE38,
        "python-too-old-for-release",
        "pip install tensorflow==2.15.1 under Python 3.8",
        (*PIP_INSTALL, "tensorflow==2.15.1"),
    ),
    asked(
        "uv-tf220-on-38",
        BARE38,
        "python-too-old-for-release",
        "uv pip install tensorflow==2.20.0 under Python 3.8",
        (*UV_INSTALL, "tensorflow==2.20.0"),
    ),
    asked(
        "pip-tensorflow-gpu",
        BARE311,
        "tensorflow-gpu-package-removed",
        "pip install tensorflow-gpu takes the stub that fails on purpose",
        (*PIP_INSTALL, "tensorflow-gpu==2.12.0"),
    ),
    asked(
        "pip-extra-gpu",
        BARE311,
        "pip-extra-does-not-exist",
        "pip install tensorflow[gpu]: there is no such extra",
        (*PIP_INSTALL, "--dry-run", "tensorflow[gpu]==2.15.1"),
    ),
    asked(
        "pip-local-version",
        BARE311,
        "gpu-wheel-index-not-given",
        "pip install torch==2.1.0+cu121 without the index that has it",
        (*PIP_INSTALL, "torch==2.1.0+cu121"),
    ),
    asked(
        "uv-tf213-pydantic",
        BARE311,
        "typing-extensions-conflict",
        "TensorFlow 2.13 and a pydantic that needs a newer typing-extensions",
        (*UV_INSTALL, "tensorflow==2.13.1", "pydantic>=2.9"),
    ),
    Fault(
        "pip-no-room",
        BARE311,
        ("disk-full",),
        "the environment lies on a full disk of 12 MB",
        program="",
        changes=(full_disk("small", 12),),
        command=(*PIP_INSTALL, "--no-deps", "--target", "{home}/small/packages", "numpy==1.26.4"),
        given=NO_CARD,
    ),
    Fault(
        "uv-no-room",
        BARE312,
        ("disk-full",),
        "the environment lies on a full disk of 12 MB",
        program="",
        changes=(full_disk("small", 12),),
        command=(
            "{uv}",
            "pip",
            "install",
            "--python",
            "{python}",
            "--no-deps",
            "--target",
            "{home}/small/packages",
            "numpy==1.26.4",
        ),
        given=NO_CARD,
    ),
    Fault(
        "pip-not-writable",
        BARE312,
        ("site-packages-not-writable",),
        "the environment belongs to another user",
        program="",
        changes=(read_only(),),
        command=(
            "setpriv",
            "--reuid=65534",
            "--clear-groups",
            "env",
            f"LD_LIBRARY_PATH={LIBPYTHON}",
            *PIP_INSTALL,
            "six",
        ),
        given=NO_CARD,
    ),
    Fault(
        "wrong-interpreter",
        BARE312,
        ("wrong-interpreter",),
        "pip installs for Python 3.12, python is the system's",
        program="import six\nprint(six.__version__)\n",
        command=(
            "bash",
            "-c",
            "{python} -m pip --disable-pip-version-check install six; set -x; {env}/bin/pip --version; /usr/bin/python3 --version; /usr/bin/python3 -S train.py",
        ),
        given=NO_CARD,
    ),
)
