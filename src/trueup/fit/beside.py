"""Which release of another package goes with a build, and on which Pythons all that was asked does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from packaging.utils import canonicalize_name

from trueup.facts.model import Beside
from trueup.fit.limits import environment, holds, limits, parsed
from trueup.fit.versions import accepts, capability, overlap, python_takes

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from trueup.facts.model import Build
    from trueup.fit.case import Case
    from trueup.fit.limits import Limits


@dataclass(frozen=True, slots=True)
class Clash:
    """Why a package does not go with a build: `needs` is the build's text, or that of the package's `release`.

    Without `needs` the release has no wheel for the Pythons that are left.
    """

    asked: Requirement
    needs: str | None
    release: Beside | None = None


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why a release does not fit: what it needs, or nothing where it only has no wheel."""

    needs: str | None
    release: Beside


@dataclass(frozen=True, slots=True)
class _Place:
    """A build on one Python under a wish, and what it asks of other packages there."""

    case: Case
    build: Build
    python: str
    bounds: Limits


def _place(case: Case, build: Build, python: str) -> _Place:
    return _Place(case, build, python, limits(case.facts, build, python))


def serving(case: Case, build: Build, fitting: tuple[str, ...]) -> tuple[str, ...]:
    """Return which of the Pythons can hold all other packages that were asked."""
    if not case.asked.others:
        return fitting
    return tuple(python for python in fitting if first_clash(case, build, python) is None)


def first_clash(case: Case, build: Build, python: str) -> Clash | None:
    """Return the first asked package that a build does not get on with on one Python."""
    key = ("first", id(case.asked.others), _mark(build), python)
    if key not in case.memo:
        case.memo[key] = _first_clash(_place(case, build, python))
    return cast("Clash | None", case.memo[key])


def newest_fitting(case: Case, build: Build, python: str, asked: Requirement) -> Beside | None:
    """Return the newest known release of a package that goes with a build."""
    found = _of_releases(_place(case, build, python), canonicalize_name(asked.name), str(asked.specifier))
    return found if isinstance(found, Beside) else None


def _first_clash(place: _Place) -> Clash | None:
    for asked in place.case.asked.others:
        if asked.marker is not None and not holds(str(asked), environment(place.build, place.python)):
            continue
        name, specifier = canonicalize_name(asked.name), str(asked.specifier)
        text, bound = place.bounds.get(name, ("", ""))
        if not overlap(specifier, bound):
            return Clash(asked, text)
        found = _of_releases(place, name, specifier)
        if isinstance(found, _Refusal):
            return Clash(asked, found.needs, found.release)
    return None


def _mark(build: Build) -> object:
    """Return what tells builds apart for other packages: not their CUDA."""
    return build.package, build.version, build.platform, build.arch, build.caps


def _of_releases(place: _Place, name: str, specifier: str, *, asked: bool = True) -> Beside | _Refusal | None:
    """Return the newest release that fits; None where nothing is known of what was asked.

    What a package was made for counts only where the package itself was asked: Hub asks for tf-keras, and uses
    it beside newer releases of TensorFlow only.
    """
    key = (id(place.case.asked.others), _mark(place.build), place.python, name, specifier, asked)
    memo = place.case.memo
    if key not in memo:
        memo[key] = _newest(place, name, specifier, asked=asked)
    return cast("Beside | _Refusal | None", memo[key])


def _newest(place: _Place, name: str, specifier: str, *, asked: bool) -> Beside | _Refusal | None:
    both = ",".join(filter(None, (specifier, place.bounds.get(name, ("", ""))[1])))
    reasons: dict[object, _Refusal] = {}  # releases that ask the same fail for the same reason
    for release in place.case.facts.beside(name):
        profile = (release.requires_python, release.wheels, release.asks, release.made_for)
        if profile in reasons or not accepts(both, release.version):
            continue
        refusal = _refusal(place, release, asked=asked)
        if refusal is None:
            return release
        reasons[profile] = refusal
    # where a release agrees with the build, its missing wheel is what stands in the way
    said = list(reasons.values())
    return next((refusal for refusal in said if not refusal.needs), said[0]) if said else None


def _refusal(place: _Place, release: Beside, *, asked: bool) -> _Refusal | None:
    where = environment(place.build, place.python)
    made_for = release.made_for if asked else ()
    asks = [parsed(text) for text in (*release.asks, *made_for) if holds(text, where)]
    for name, specifier, plain in asks:
        if not _agrees(place, name, specifier):
            return _Refusal(plain, release)
    if not _has_wheel(place.build, place.python, release):
        return _Refusal(None, release)
    for name, specifier, plain in asks:
        if isinstance(_of_releases(place, name, specifier, asked=False), _Refusal):
            return _Refusal(plain, release)
    return None


def _agrees(place: _Place, name: str, specifier: str) -> bool:
    framework = place.case.facts.framework_of(name)
    if framework is not None:
        return framework != place.build.framework or accepts(specifier, place.build.version)
    others = (str(o.specifier) for o in place.case.asked.others if canonicalize_name(o.name) == name)
    return all(overlap(specifier, rival) for rival in (place.bounds.get(name, ("", ""))[1], *others))


def _has_wheel(build: Build, python: str, release: Beside) -> bool:
    minor = ".".join(python.split(".")[:2])
    if release.requires_python and not python_takes(release.requires_python, minor):
        return False
    for platform, arch, pythons in release.wheels:
        if (platform, arch) == (build.platform, build.arch):
            return pythons is None or any(_serves(p, minor) for p in pythons)
    return True


def _serves(wheel: str, minor: str) -> bool:
    stable = wheel.endswith("+")
    return capability(wheel.rstrip("+")) <= capability(minor) if stable else wheel == minor
