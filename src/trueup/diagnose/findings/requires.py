"""What an installed framework's own metadata asks for, beside what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.packages import marks
from trueup.diagnose.findings.say import notice, problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene

# asked for, and not needed to compute on a card: tools for graphs, files of others, compilers, downloads
WITHOUT = (
    *("tensorboard", "triton", "tensorflow-io-gcs-filesystem", "libclang", "setuptools", "requests"),
    *("networkx", "jinja2", "fsspec"),
)

# the other half of a framework: another line of it has other names inside
HALVES = ("keras", "jaxlib", "tensorflow-intel")


def requirements(scene: Scene) -> Iterator[Finding]:
    """Name what is missing, and what is there in another version than the one asked for."""
    build = scene.build
    if build is None or scene.subject is None or scene.subject.unread or _by_conda(scene):
        return
    asked = [found for text in build.requires if (found := _applies(scene, text)) is not None]
    names = {canonicalize_name(one.name) for one in asked}
    gone = sorted(name for name in names if scene.subject.package(name) is None)
    yield from _missing(scene, build.package, gone)
    for requirement in asked:
        installed = scene.package(canonicalize_name(requirement.name))
        if installed is not None and not requirement.specifier.contains(installed, prereleases=True):
            params = {"name": requirement.name, "limit": str(requirement.specifier), "found": str(installed)}
            if canonicalize_name(requirement.name) in HALVES:
                params |= {"version": build.version}
                yield problem(
                    "package-breaks-release",
                    "packages",
                    remedies.build_anew(scene),
                    package=build.package,
                    **params,
                )
            else:
                yield notice("requirement-other", "packages", package=build.package, **params)


def _by_conda(scene: Scene) -> bool:
    """Tell whether conda brought the framework: it names and splits packages in its own way."""
    return scene.subject is not None and any(
        one.name.startswith(("tensorflow", "pytorch", "libtorch", "jax")) for one in scene.subject.conda
    )


def _missing(scene: Scene, package: str, gone: Sequence[str]) -> Iterator[Finding]:
    anew = remedies.build_anew(scene)
    cuda = [name for name in gone if name.startswith("nvidia-")]
    needed = [name for name in gone if name not in (*WITHOUT, *cuda)]
    other = [name for name in gone if name in WITHOUT]
    if cuda and scene.lost != ():  # else the loader finds those libraries elsewhere
        yield problem("cuda-wheels-incomplete", "cuda", anew, names=", ".join(cuda))
    if needed:
        yield problem("requirement-missing", "packages", anew, package=package, names=", ".join(needed))
    if other:
        yield notice("requirement-left-out", "packages", package=package, names=", ".join(other))


def _applies(scene: Scene, text: str) -> Requirement | None:
    """Return a requirement that counts in this environment, without extras."""
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return None
    if requirement.marker is not None and not requirement.marker.evaluate({**marks(scene), "extra": ""}):
        return None
    return requirement
