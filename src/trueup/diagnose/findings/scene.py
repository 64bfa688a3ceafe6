"""What every look is handed: the survey, the environment in question, the framework, and what would fit."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from trueup.diagnose.findings.installed import installed
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.fit.knowledge import Knowledge
    from trueup.fit.model import Route, Solution
    from trueup.machine.inventory.model import Environment, FrameworkBuild, Survey
    from trueup.machine.model import Gpu, Machine

OWN_ROUTE: dict[str, Route] = {"windows": "windows-native", "wsl2": "wsl2", "linux": "linux"}


@dataclass(frozen=True)
class Scene:
    """`solution` answers for the framework at its best; `as_installed` for the very release that is there.

    `lost`: names that the build loads and the loader would not find, as its binaries say; None: not looked.
    """

    survey: Survey
    facts: Knowledge
    framework: str
    subject: Environment | None
    solution: Solution
    lost: tuple[str, ...] | None = None

    @property
    def machine(self) -> Machine:
        return self.survey.machine

    @property
    def windows(self) -> bool:
        return self.machine.os == "windows"

    @property
    def build(self) -> FrameworkBuild | None:
        return self.subject.build(self.framework) if self.subject else None

    @property
    def release(self) -> Version | None:
        return version(self.build.version) if self.build else None

    @property
    def wants_cuda(self) -> bool:
        """Tell whether what is installed can use CUDA at all: without, no CUDA is no fault."""
        return self.build is not None and isinstance(self.build.cuda, str)

    def env(self, name: str) -> str | None:
        """Return an environment variable; Windows does not tell an empty one from none."""
        return dict(self.machine.environment).get(name)

    @property
    def native(self) -> Route | None:
        return OWN_ROUTE.get(self.machine.os)

    @functools.cached_property
    def as_installed(self) -> Solution | None:
        """Ask the solver for the release that is installed, on the route of this system."""
        return self.with_cards(self.machine.gpus)

    def with_cards(self, gpus: tuple[Gpu, ...] | Unknown) -> Solution | None:
        """Ask the solver for the release that is installed, as if the machine had these cards."""
        if self.build is None or self.release is None or self.native is None or self.subject is None:
            return None
        wish = Wish(
            (f"{self.framework}=={self.release.public}",), python=_minor(self.subject), routes=(self.native,)
        )
        return solve(wish, replace(self.machine, gpus=gpus), installed(self.facts, self.build))

    def package(self, name: str) -> Version | None:
        found = self.subject.package(name) if self.subject else None
        return version(found.version) if found else None


def nvidia(scene: Scene) -> tuple[Gpu, ...]:
    """Return the NVIDIA cards in the order of the driver's list."""
    gpus = scene.machine.gpus
    if isinstance(gpus, Unknown):
        return ()
    return tuple(gpu for gpu in gpus if gpu.vendor == "nvidia" or not isinstance(gpu.capability, Unknown))


def version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _minor(environment: Environment) -> str:
    return "==" + ".".join(environment.python.version.split(".")[:2]) + ".*"
