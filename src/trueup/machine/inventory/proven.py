"""What an environment of ours says of its own proof, and whether its packages are still those that were proven."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from trueup.machine.host import HostError, path_of
from trueup.machine.inventory.model import Proven

if TYPE_CHECKING:
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Package

RECORD = "trueup.json"


def proven(host: Host, prefix: str, packages: tuple[Package, ...]) -> Proven | None:
    """Return the proof that is written down; None where there is none, or none that can be read."""
    try:
        document = json.loads(host.read_text(path_of(host).join(prefix, RECORD)) or "{}")
        return _proven(document, packages)
    except (HostError, ValueError, AttributeError, KeyError, TypeError):
        return None


def _proven(document: dict[str, Any], packages: tuple[Package, ...]) -> Proven | None:
    proof = document.get("proof")
    if not proof or proof.get("outcome") != "proven":
        return None
    built = document["fingerprint"]["distributions"]
    there: dict[str, str] = {}
    for package in packages:  # the first on the path is the one that is imported
        there.setdefault(package.name, package.version)
    intact = bool(built) and all(there.get(_canonical(name)) == told[0] for name, told in built.items())
    return Proven(str(document["device"]), str(proof["date"]), (str(proof["framework"]),), intact)


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
