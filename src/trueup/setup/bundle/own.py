"""trueup as a wheel, made from the files that are running, and what it needs on a target."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trueup
from trueup.plan.request import LockRequest
from trueup.setup.bundle.errors import BundleError
from trueup.setup.toml import loads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.plan.lock import Lock

OLDEST_PYTHON: Final = "3.10"
EARLIEST: Final = (1980, 1, 1, 0, 0, 0)
WHEEL: Final = "Wheel-Version: 1.0\nGenerator: trueup\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
ENTRY: Final = "[console_scripts]\ntrueup = trueup.__main__:main\n"


def filename() -> str:
    return f"trueup-{trueup.__version__}-py3-none-any.whl"


def wheel() -> bytes:
    """Return the bytes of the wheel; the same files give the same bytes."""
    info = f"trueup-{trueup.__version__}.dist-info"
    root = Path(trueup.__file__).parent
    members = {f"trueup/{path.relative_to(root).as_posix()}": path.read_bytes() for path in _sources(root)}
    members[f"{info}/METADATA"] = _metadata().encode()
    members[f"{info}/WHEEL"] = WHEEL.encode()
    members[f"{info}/entry_points.txt"] = ENTRY.encode()
    rows = [f"{name},sha256={_record_sum(data)},{len(data)}\n" for name, data in members.items()]
    members[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in members.items():
            member = zipfile.ZipInfo(name, EARLIEST)
            member.external_attr = 0o644 << 16
            archive.writestr(member, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _sources(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc":
            yield path


def _metadata() -> str:
    head = f"Metadata-Version: 2.1\nName: trueup\nVersion: {trueup.__version__}\n"
    lines = "".join(f"Requires-Dist: {text}\n" for text in requirements())
    return head + "License-Expression: Apache-2.0\n" + f"Requires-Python: >={OLDEST_PYTHON}\n" + lines


def requirements() -> tuple[str, ...]:
    """Return what trueup needs, as its distribution says; a checkout may be newer than what was once installed of it."""
    checkout = Path(trueup.__file__).parents[2] / "pyproject.toml"
    if checkout.is_file():
        project = loads(checkout.read_text("utf-8")).get("project", {})
        if project.get("name") == "trueup":
            return tuple(str(text) for text in project["dependencies"])
    return tuple(text for text in metadata.requires("trueup") or () if "extra ==" not in text)


def _record_sum(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def question(platform: str, arch: str, glibc_minor: int | None) -> LockRequest:
    """Return what the resolver is asked for: trueup's needs for any Python from the oldest on, and this uv."""
    wanted = [text for text in requirements() if not text.startswith("uv")]
    return LockRequest(
        python=OLDEST_PYTHON,
        platform="windows" if platform == "windows" else "linux",
        arch=arch,
        glibc_minor=glibc_minor,
        requirements=(*wanted, f"uv=={metadata.version('uv')}"),
        constraints=(),
        sdists=(),
    )


def check_any_python(lock: Lock) -> None:
    """Raise BundleError where a wheel is for one Python only: nobody knows which one will start trueup."""
    for package in lock.packages:
        python, abi, _ = package.artifact.filename.removesuffix(".whl").rsplit("-", 2)
        if not (abi == "abi3" or "py3" in python.rsplit("-", maxsplit=1)[-1]):
            raise BundleError("source-needs", name=package.artifact.filename)
