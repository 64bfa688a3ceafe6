"""The examination of all global toolkits of a machine, or of the one that was named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trueup.keep.cuda import variables
from trueup.keep.cuda.copies import same
from trueup.keep.cuda.doctor import cudnn_of, examine
from trueup.keep.cuda.toolkit import read_toolkit
from trueup.machine.host import path_of
from trueup.values import Message, TrueupError, Unknown

if TYPE_CHECKING:
    from trueup.keep.cuda.model import Finding, Scene
    from trueup.keep.cuda.toolkit import Toolkit
    from trueup.machine.host import Host

Outcome = Literal["none", "fine", "notices", "problems", "unknown"]


@dataclass(frozen=True, slots=True)
class Examined:
    """`variables`: what is wrong with those that lead to toolkits."""

    toolkits: tuple[tuple[Toolkit, tuple[Finding, ...]], ...]
    variables: tuple[Finding, ...]

    @property
    def outcome(self) -> Outcome:
        levels = {one.level for one in self.variables}
        levels |= {one.level for _, findings in self.toolkits for one in findings}
        if not self.toolkits and not levels:
            return "none"
        if "problem" in levels:
            return "problems"
        return "unknown" if "unknown" in levels else "notices" if levels else "fine"

    def cudnn(self, toolkit: Toolkit) -> str | None:
        return cudnn_of(toolkit)

    def unread(self, toolkit: Toolkit) -> tuple[Message, ...]:
        """Return what could not be told, so that silence is no praise."""
        told = [one.why for one in (toolkit.version, toolkit.nvcc) if isinstance(one, Unknown)]
        told += [toolkit.hidden] if toolkit.hidden is not None else []
        silent = [
            one for one in toolkit.libraries if isinstance(one.version, Unknown) and one.stem in TELLING
        ]
        if silent:
            told.append(Message("cuda.doctor-not-seen", {"count": len(silent)}))
        return tuple(told)


TELLING = ("cudart", "cublas", "cudnn")


def toolkits_of(host: Host, scene: Scene, asked: str | None) -> tuple[Toolkit, ...]:
    """Return the named toolkit, else all that are found. Raises TrueupError where the named one is none."""
    if asked is not None:
        found = read_toolkit(host, asked)
        if found is None:
            raise _no_toolkit(host, asked)
        return (found,)
    roots: list[str] = []
    for copy in scene.machine:
        if copy.kind == "toolkit" and not any(same(host, copy.path, one) for one in roots):
            roots.append(copy.path)
    read = (read_toolkit(host, root) for root in roots)
    return tuple(toolkit for toolkit in read if toolkit is not None)


def _no_toolkit(host: Host, asked: str) -> TrueupError:
    inside = variables.children(host, asked)
    hint = Message("cuda.not-a-folder-hint")
    if inside:
        names = ", ".join(path_of(host).basename(one) for one in inside)
        hint = Message("cuda.parent-hint", {"names": names})
    return TrueupError(Message("cuda.not-a-folder", {"path": asked}), hint)


def examined(scene: Scene, asked: str | None) -> Examined:
    """Examine everything that leads to toolkits, and each of them."""
    toolkits = toolkits_of(scene.host, scene, asked)
    found = tuple((toolkit, examine(scene, toolkit)) for toolkit in toolkits)
    return Examined(found, tuple(variables.wrong(scene.host)))
