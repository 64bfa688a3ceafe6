"""What a writer is handed, and the few things that several of them say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.fit.model import Alignment
    from trueup.plan.lock import Lock, Locked
    from trueup.plan.request import LockRequest

# Messages `plan.NAME` that the written scripts say; `{python}` is the version.
WORDS: Final = (
    "script-exists",
    "script-no-python",
    "script-failed",
    "script-next",
    "check-differs",
    "check-wrong",
    "check-right",
)
NVIDIA: Final = re.compile(r"nvidia-[a-z0-9-]+")
COMPONENT: Final = re.compile(r"nvidia-(?P<name>.+?)(?P<line>-cu\d+)?")


@dataclass(frozen=True, slots=True)
class Order:
    """`hook` is file name -> text of what makes site-packages find its CUDA, empty where nothing is needed.

    `words` are the sentences of the written scripts in the user's language, by the name of their message.
    """

    alignment: Alignment
    question: LockRequest
    lock: Lock
    hook: Mapping[str, str]
    words: Mapping[str, str]

    @property
    def title(self) -> str:
        packages = ", ".join(f"{build.package} {build.version}" for build in self.alignment.builds)
        return f"{packages}; Python {self.question.python}; {self.question.uv_platform}"

    @property
    def windows(self) -> bool:
        return self.question.platform == "windows"

    @property
    def pinned_elsewhere(self) -> frozenset[str]:
        """Return the packages that come from an index of their framework."""
        return frozenset(
            canonicalize_name(name) for index in self.question.indexes for name in index.packages
        )

    def for_pip(self, *, wheels: bool) -> tuple[Locked, ...]:
        """Return what pip installs where conda brings Python and pip. `wheels`: also those of NVIDIA."""
        return tuple(
            package
            for package in self.lock.packages
            if package.name != "pip" and (wheels or not NVIDIA.fullmatch(canonicalize_name(package.name)))
        )

    def library_folders(self) -> list[str]:
        """Return the folders of NVIDIA's Linux wheels below site-packages that hold libraries."""
        return sorted({folder for package in self.lock.packages if (folder := _folder(package))})


def _folder(package: Locked) -> str | None:
    found = COMPONENT.fullmatch(canonicalize_name(package.name))
    if not found:
        return None
    if found["line"]:
        return f"nvidia/{found['name'].replace('-', '_')}/lib"
    return f"nvidia/cu{package.version.split('.')[0]}/lib"  # from CUDA 13 on, all in one folder
