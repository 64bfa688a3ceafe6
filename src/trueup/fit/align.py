"""From a choice to what a user is told and a plan is made of."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from trueup.fit.beside import newest_fitting
from trueup.fit.limits import environment, parsed
from trueup.fit.model import Alignment, Outcome
from trueup.fit.notes import of_choice
from trueup.fit.pythons import pick
from trueup.fit.unique import unique
from trueup.fit.versions import version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from packaging.markers import Marker

    from trueup.facts.model import Build
    from trueup.fit.case import Case
    from trueup.fit.choice import Choice
    from trueup.fit.model import Change
    from trueup.values import Message


def align(case: Case, choice: Choice, binding: Message) -> Alignment:
    builds, python = choice.builds, pick(case, choice)
    asked = [str(other) for other in case.asked.others]
    requirements = [*(r for build in builds for r in build.requirements), *asked]
    served = choice.options[0].cards
    main = next((b for b in builds if b.cuda), builds[0])
    return Alignment(
        route=choice.route,
        builds=builds,
        python=python,
        packages=_packages(builds, python),
        requirements=tuple(dict.fromkeys(requirements)),
        caps=unique((*(cap for build in builds for cap in build.caps), *_made_for(case, builds, python))),
        cuda=main.cuda,
        cudnn=main.cudnn,
        kernels=choice.kernels,
        changes=changes_of(choice),
        served=tuple(card.name for card in served.served),
        not_served=tuple(judged.card.name for judged in served.not_served),
        binding=binding,
        notes=of_choice(case, choice),
        download_mb=_sum(build.download_mb for build in builds),
        disk_mb=_sum(build.disk_mb for build in builds),
    )


def _made_for(case: Case, builds: tuple[Build, ...], python: str) -> Iterator[str]:
    """Yield caps for packages whose METADATA does not tell the resolver which framework they were made for."""
    for asked in case.asked.others:
        for build in builds:
            release = newest_fitting(case, build, python, asked)
            if release and any(
                case.facts.framework_of(parsed(text)[0]) == build.framework for text in release.made_for
            ):
                yield f"{release.package}<={release.version}"


def changes_of(choice: Choice) -> tuple[Change, ...]:
    """Return what must change, one of a kind: of two drivers the newer."""
    found: dict[str, Change] = {}
    for verdict in choice.verdicts:
        change = verdict.change
        if verdict.outcome is Outcome.CHANGE and change and _least(change) >= _least(found.get(change.id)):
            found[change.id] = change
    if "install-driver" in found:
        found.pop("update-driver", None)
    return tuple(found.values())


def _least(change: Change | None) -> tuple[int, ...]:
    """Return what a change must reach at least, for comparison."""
    if change is None:
        return (-1,)
    said = change.text.params.get("least") or change.text.params.get("gigabytes")
    return version(str(said)).release if said else (0,)


def _packages(builds: tuple[Build, ...], python: str) -> tuple[tuple[str, str], ...]:
    """Return what is pinned to one version and applies to this platform and Python."""
    pins: dict[str, str] = {}
    for build in builds:
        for text in build.requirements:
            name, pinned, marker = _pin(text)
            if pinned and (marker is None or marker.evaluate(dict(environment(build, python)))):
                pins.setdefault(name, pinned)
    return tuple(pins.items())


@lru_cache(maxsize=4096)
def _pin(text: str) -> tuple[str, str | None, Marker | None]:
    requirement = Requirement(text)
    exact = [part.version for part in requirement.specifier if part.operator in ("==", "===")]
    return canonicalize_name(requirement.name), (exact[0] if exact else None), requirement.marker


def _sum(parts: Iterable[int | None]) -> int | None:
    known = list(parts)
    return None if None in known else sum(part for part in known if part is not None)
