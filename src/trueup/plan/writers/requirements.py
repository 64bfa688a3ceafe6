"""requirements.txt with the hash of every file, for pip and uv."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.plan.lock import Locked
    from trueup.plan.writers.order import Order


def write(order: Order) -> str:
    head = f"# {order.title}\n# pip install --require-hashes -r requirements.txt\n"
    return head + "\n".join(lines(order)) + "\n"


def lines(order: Order) -> Iterator[str]:
    """Yield a requirement a package; one from another index is named by the address of its file."""
    sources = [p.name for p in order.lock.packages if not p.artifact.filename.endswith(".whl")]
    yield "--only-binary :all:"
    yield from (f"--no-binary {name}" for name in sources)
    for package in order.lock.packages:
        elsewhere = canonicalize_name(package.name) in order.pinned_elsewhere
        yield " \\\n    ".join([_pin(package, by_address=elsewhere), *_hashes(package, one=elsewhere)])


def _pin(package: Locked, *, by_address: bool) -> str:
    return f"{package.name} @ {package.artifact.url}" if by_address else f"{package.name}=={package.version}"


def _hashes(package: Locked, *, one: bool) -> list[str]:
    return [f"--hash=sha256:{sha}" for sha in ((package.artifact.sha256,) if one else package.sha256s)]
