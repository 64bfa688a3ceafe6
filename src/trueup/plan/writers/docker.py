"""A Dockerfile: NVIDIA's smallest image of the right CUDA line, and everything else from the lock.

The `base` images set which driver the container needs and hold no cuDNN: CUDA and cuDNN come with the
wheels, so that there is one copy, of the version the framework was built for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trueup.plan.writers.requirements import lines

if TYPE_CHECKING:
    from trueup.plan.writers.order import Order

# The newest update of each line in NVIDIA's list of tags, which removes older ones; none was pulled here.
IMAGES: Final = {
    "11.8": "11.8.0",
    "12.0": "12.0.1",
    "12.1": "12.1.1",
    "12.2": "12.2.2",
    "12.3": "12.3.2",
    "12.4": "12.4.1",
    "12.5": "12.5.1",
    "12.6": "12.6.3",
    "12.8": "12.8.1",
    "12.9": "12.9.1",
}
UBUNTU: Final = "ubuntu22.04"
GLIBC_MINOR: Final = 35  # Ubuntu 22.04's: a lock for it must not ask for more
SITE: Final = "/opt/env/lib/python{python}/site-packages"


def write(order: Order) -> str:
    cuda = order.alignment.cuda if order.alignment.route != "cpu" else None
    rows = [
        "# syntax=docker/dockerfile:1.7",
        f"# {order.title}",
        f"ARG IMAGE={_image(cuda)}",
        "FROM ${IMAGE}",
        "COPY --from=ghcr.io/astral-sh/uv:latest /uv /usr/local/bin/uv",
        "ENV UV_PYTHON_INSTALL_DIR=/opt/python UV_LINK_MODE=copy",
        *(_gpu(cuda) if cuda else ()),
        f"RUN uv venv --python {order.question.python} /opt/env",
        "COPY <<'LOCK' /opt/requirements.txt",
        *lines(order),
        "LOCK",
        "RUN --mount=type=cache,target=/root/.cache/uv \\",
        "    uv pip install --require-hashes --python /opt/env/bin/python -r /opt/requirements.txt",
        *_search(order),
        'ENV VIRTUAL_ENV=/opt/env PATH="/opt/env/bin:${PATH}"',
        'CMD ["python"]',
    ]
    return "\n".join(rows) + "\n"


def _image(cuda: str | None) -> str:
    line = ".".join((cuda or "").split(".")[:2])
    return f"nvidia/cuda:{IMAGES[line]}-base-{UBUNTU}" if line in IMAGES else "ubuntu:22.04"


def _gpu(cuda: str) -> list[str]:
    """Say what NVIDIA's container toolkit reads; its own images say the same."""
    line = ".".join(cuda.split(".")[:2])
    known = line in IMAGES
    return ["ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility"] + (
        [] if known else [f'ENV NVIDIA_REQUIRE_CUDA="cuda>={line}"']
    )


def _search(order: Order) -> list[str]:
    site = SITE.format(python=order.question.python)
    folders = [f"{site}/{folder}" for folder in order.library_folders()] if order.hook else []
    return [f'ENV LD_LIBRARY_PATH="{":".join(folders)}"'] if folders else []
