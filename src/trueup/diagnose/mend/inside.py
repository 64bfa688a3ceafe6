"""What is wrong in one environment, taken together: its frameworks, its packages, and whether it may be mended in place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.diagnose.findings.order import rank
from trueup.diagnose.mend.route import table
from trueup.values import Message

if TYPE_CHECKING:
    from trueup.diagnose.findings import Checkup, Finding
    from trueup.keep.envs.mending import Seen
    from trueup.machine.inventory.model import Environment, Survey

# a command builds what mends these; they lie outside of the environment's packages, or need another Python
ELSEWHERE: Final = frozenset(
    {
        "environment-without-python", "python-32bit", "jupyter-kernel-other-env", "wrong-interpreter",
        "python-too-new-for-release", "python-too-old-for-release", "user-site-shadows", "conda-env-not-activated",
        "store-python-dll-search", "long-path", "multiple-cupy-packages",
    }
)  # fmt: skip
OUTSIDE: Final = ("card", "system", "driver", "wsl", "settings")
OF_PACKAGE: Final = ("numpy-2-abi", "protobuf-4-descriptors", "package-breaks-release")


@dataclass(frozen=True, slots=True)
class Looked:
    """`checkups`: of each framework that is there, or one for an environment without any.

    `half`: a build or repair of ours was cut off here, so that nothing found in it says what it will be.
    """

    seen: Seen
    survey: Survey
    checkups: tuple[Checkup, ...]
    tool: str
    half: bool = False

    @property
    def environment(self) -> Environment:
        return self.seen.environment

    @property
    def problems(self) -> tuple[Finding, ...]:
        """Return what is wrong in the environment, each once, in causal order."""
        return tuple(f for f in self._found if f.layer not in OUTSIDE)

    @property
    def outside(self) -> tuple[Finding, ...]:
        """Return what is wrong with the machine, whatever is in the environment."""
        return tuple(f for f in self._found if f.layer in OUTSIDE)

    @property
    def _found(self) -> list[Finding]:
        every = [f for one in self.checkups for f in one.findings if f.status == "problem"]
        return sorted({(f.id, str(f.text.params)): f for f in every}.values(), key=rank)

    @property
    def fixable(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.problems if f.id not in ELSEWHERE and ["up"] in table().get(f.id, ()))

    @property
    def unread(self) -> tuple[Message, ...]:
        """Return which of conda's records cannot be read any more: conda itself stumbles over them."""
        return tuple(one for one in self.seen.content.lost if one.code == "export.lost-unread")

    @property
    def sound(self) -> bool:
        return not (self.half or self.problems or self.seen.faults or self.unread)


def refusals(looked: Looked) -> tuple[Message, ...]:
    """Return why nothing is repaired in this environment, whatever is wrong."""
    one = looked.environment
    params = {"path": one.path}
    if looked.half:
        return (Message("repair.half", params),)
    if one.kind == "installed":
        return (Message("repair.installed", params),)
    if one.ours:
        return (Message("repair.ours", params),)
    if looked.tool == "pixi":
        return (Message("repair.pixi", params),)
    if any(row.name in ("conda", "mamba") for row in one.conda) or (Path(one.path) / "envs").is_dir():
        return (Message("repair.root", params),)
    if one.lacks_python:
        return (Message("repair.no-python", {"path": one.lacks_python, "env": _quoted(one.path)}),)
    return ()


def _quoted(path: str) -> str:
    return f'"{path}"' if any(c in path for c in " &()") else path
