"""What a build and its METADATA ask of other packages on one Python, as the resolver will see it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from trueup.facts.model import Build
    from trueup.fit.knowledge import Knowledge

Limits = dict[str, tuple[str, str]]  # name: the texts, and their specifiers joined

# What of METADATA other rules judge: libraries of CUDA and the framework's own parts.
_JUDGED_ELSEWHERE = re.compile(r"(nvidia|cuda|tensorrt|triton|jax|torch)(-.*|lib)?$")


def limits(facts: Knowledge, build: Build, python: str) -> Limits:
    """Return what a build asks of other packages; a cap beside a range of the METADATA counts with it."""
    known = _known(facts)
    key = id(build), python
    if key not in known:
        own = (*build.requirements, *build.caps)
        known[key] = _joined(own, metadata(facts, build), environment(build, python))
    return known[key]


@lru_cache(maxsize=16)
def _known(facts: Knowledge) -> dict[tuple[int, str], Limits]:  # noqa: ARG001  # one for each set of facts
    """Return what was joined before: facts hand out the same builds each time."""
    return {}


def metadata(facts: Knowledge, build: Build) -> tuple[str, ...]:
    """Return what the METADATA of a build asks for; that of its one part where it only points there."""
    said = facts.metadata(build.package, build.version, build.platform) or ()
    parts = {t.partition("==")[0] for t in said if "==" in t and t.startswith(f"{build.framework}-")}
    more = (facts.metadata(part, build.version, build.platform) or () for part in sorted(parts))
    return (*said, *(text for texts in more for text in texts))


Environment = tuple[tuple[str, str], ...]


def environment(build: Build, python: str) -> Environment:
    """Return what markers ask for, on the platform of a build and a Python such as "3.10" or "3.10.4"."""
    windows = build.platform == "windows"
    return (
        ("python_version", ".".join(python.split(".")[:2])),
        ("python_full_version", python if python.count(".") > 1 else f"{python}.0"),
        ("sys_platform", "win32" if windows else "linux"),
        ("platform_system", "Windows" if windows else "Linux"),
        ("os_name", "nt" if windows else "posix"),
        ("platform_machine", "AMD64" if windows else build.arch),
        ("implementation_name", "cpython"),
        ("platform_python_implementation", "CPython"),
        ("extra", ""),
    )


@lru_cache(maxsize=4096)
def _joined(own: tuple[str, ...], said: tuple[str, ...], where: Environment) -> Limits:
    found: Limits = {}
    for text, is_own in (*((t, True) for t in own), *((t, False) for t in said)):
        name, specifier, _ = parsed(text)
        if not is_own and _JUDGED_ELSEWHERE.match(name):
            continue
        if specifier and holds(text, where):
            before = found.get(name, ("", ""))
            joined = ",".join(filter(None, (before[1], specifier)))
            found[name] = (" ".join(filter(None, (before[0], text))), joined)
    return found


@lru_cache(maxsize=8192)
def holds(text: str, where: Environment) -> bool:
    """Say whether a requirement's marker holds there."""
    marker = Requirement(text).marker
    return marker is None or marker.evaluate(dict(where))


@lru_cache(maxsize=8192)
def parsed(text: str) -> tuple[str, str, str]:
    """Return name and specifier of a requirement, and the requirement without its marker."""
    requirement = Requirement(text)
    name, specifier = canonicalize_name(requirement.name), str(requirement.specifier)
    return name, specifier, f"{name}{specifier}"
