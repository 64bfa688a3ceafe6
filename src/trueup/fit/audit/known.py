"""What the facts say of a release that a text names, with a patch level or without."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from trueup.fit.versions import accepts, version

if TYPE_CHECKING:
    from trueup.facts import Facts
    from trueup.facts.model import Build, Platform
    from trueup.values import Source


def within(release: str, said: str) -> bool:
    """Say whether a release is the one that was said: 2.15.1 is "2.15", not "2.15.0"."""
    wanted = parsed(said)
    if wanted is None:
        return False
    own = version(release)
    return own.release[: len(wanted.release)] == wanted.release


@lru_cache(maxsize=512)
def parsed(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


@lru_cache(maxsize=256)
def gpu_builds(facts: Facts, framework: str, said: str, platforms: tuple[Platform, ...]) -> tuple[Build, ...]:
    """Return the CUDA builds of a release on x86_64, newest first."""
    return tuple(
        b
        for b in facts.builds(framework)
        if b.flavour == "cuda" and b.arch == "x86_64" and b.platform in platforms and within(b.version, said)
    )


@lru_cache(maxsize=512)
def is_known(facts: Facts, framework: str, said: str) -> bool:
    """Say whether the tables hold the release at all: of an older one nothing can be said."""
    return any(within(b.version, said) for b in facts.builds(framework))


@lru_cache(maxsize=512)
def newest_of(
    facts: Facts, framework: str, spec: str, platforms: tuple[Platform, ...] = ("windows", "linux")
) -> str | None:
    """Return the newest final release that a specifier takes."""
    found = (
        b.version
        for b in facts.builds(framework)
        if b.platform in platforms and not version(b.version).is_prerelease and accepts(spec, b.version)
    )
    return max(found, key=version, default=None)


@lru_cache(maxsize=64)
def last_gpu(facts: Facts, framework: str, platform: Platform) -> Build | None:
    """Return the newest CUDA build for a platform."""
    found = (
        b
        for b in facts.builds(framework)
        if b.flavour == "cuda" and b.platform == platform and b.arch == "x86_64"
    )
    return max(found, key=lambda b: version(b.version), default=None)


@lru_cache(maxsize=256)
def pythons(facts: Facts, framework: str, said: str, platforms: tuple[Platform, ...]) -> tuple[str, ...]:
    """Return every Python that some wheel of a release takes, oldest first."""
    found = {
        python
        for b in facts.builds(framework)
        if b.package in {framework, f"{framework}-gpu"}
        and b.platform in platforms
        and within(b.version, said)
        for python in b.pythons
    }
    return tuple(sorted(found, key=version))


@lru_cache(maxsize=128)
def metadata(facts: Facts, build: Build) -> tuple[str, ...] | None:
    """Return what the METADATA of a release, or of the nearest patch of its line, asks for on either system."""
    line = ".".join(build.version.split(".")[:2])
    platforms: tuple[Platform, ...] = (build.platform, "linux")
    patches = [build.version, *(b.version for b in facts.builds(build.framework) if within(b.version, line))]
    for package in (build.package, build.framework):
        for patch in dict.fromkeys(patches):
            for platform in platforms:
                asked = facts.metadata(package, patch, platform)
                if asked and any(text.startswith("numpy") for text in asked):
                    return asked
    return None


@lru_cache(maxsize=16)
def wheels_source(facts: Facts, framework: str) -> Source:
    """Return where the list of a framework's releases and their Pythons comes from."""
    served = facts.wheels(framework)
    return served[1] if served else facts.builds(framework)[0].source
