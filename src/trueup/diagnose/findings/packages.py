"""Packages that break each other, doubles, and rests of uninstallations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.say import notice, problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene
    from trueup.facts.model import Build
    from trueup.machine.inventory.model import Environment, Package

CAUSE_OF_CAP = {"numpy": "numpy-2-abi", "protobuf": "protobuf-4-descriptors"}
SINCE = {"numpy": 2, "protobuf": 4}  # the major from which on it is that cause
FAMILIES = {
    "tensorflow": ("tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-intel"),
    "torch": ("torch",),
    "jax": ("jax", "jaxlib"),
    "onnxruntime": ("onnxruntime", "onnxruntime-gpu"),
}
_LINE = re.compile(r"-cu(\d+)$")


def broken(scene: Scene) -> Iterator[Finding]:
    subject = scene.subject
    if subject is None:
        return
    anew = remedies.build_anew(scene)
    if subject.strays:
        yield problem("broken-or-leftover-install", "packages", anew, where=", ".join(subject.strays))
    for name, versions in _doubles(subject).items():
        yield problem("two-versions", "packages", anew, name=name, versions=", ".join(versions))
    if subject.leftovers:
        first = subject.leftovers[0]
        mend = remedies.say("leftover-fix", path=first)
        yield notice("leftovers", "packages", mend, where=", ".join(subject.leftovers))
    yield from _user_site(scene, subject)


def _doubles(subject: Environment) -> dict[str, list[str]]:
    """Return packages with two records in one folder: the import gets whatever was written last."""
    seen: dict[tuple[str, str], set[str]] = {}
    for package in subject.packages:
        seen.setdefault((package.name, package.place), set()).add(package.version)
    watched = {name for names in FAMILIES.values() for name in names} | {"numpy", "protobuf", "keras"}
    return {name: sorted(found) for (name, _), found in seen.items() if len(found) > 1 and name in watched}


def _user_site(scene: Scene, subject: Environment) -> Iterator[Finding]:
    """Look for the framework in the user's own folder, which comes before the environment's."""
    names = FAMILIES.get(scene.framework, ())
    places: dict[str, list[Package]] = {}
    for package in subject.packages:
        if package.name in names:
            places.setdefault(package.name, []).append(package)
    for found in places.values():
        folders = {package.place for package in found}
        if len(folders) > 1:
            mend = remedies.say("user-site-fix", remedies.python(scene, f"-m pip uninstall {found[0].name}"))
            first, second = found[0], found[1]
            params = {"name": first.name, "first": first.place, "second": second.place}
            yield problem("user-site-shadows", "packages", mend, **params)


def scripts(scene: Scene) -> Iterator[Finding]:
    """Look for the user's own script that is imported in a package's place."""
    found = scene.survey.shadows
    if found and scene.build is not None:
        mend = remedies.say("script-fix")
        yield problem("script-shadows-package", "packages", mend, where=", ".join(found))


def doubles(scene: Scene) -> Iterator[Finding]:
    """Look for distributions that share one folder and overwrite each other."""
    subject = scene.subject
    if subject is None:
        return
    names = {package.name for package in subject.packages}
    anew = remedies.build_anew(scene)
    cupy = sorted(name for name in names if name == "cupy" or name.startswith("cupy-"))
    if len(cupy) > 1:
        mend = remedies.say("cupy-fix", remedies.python(scene, f"-m pip uninstall {' '.join(cupy)}"))
        yield problem("multiple-cupy-packages", "packages", mend, names=", ".join(cupy))
    if {"onnxruntime", "onnxruntime-gpu"} <= names:
        words = "-m pip uninstall onnxruntime onnxruntime-gpu"
        yield problem(
            "onnxruntime-cpu-and-gpu-both",
            "packages",
            remedies.say("onnx-fix", remedies.python(scene, words)),
        )
    lines = {found[1] for name in names if name.startswith("nvidia-") and (found := _LINE.search(name))}
    if {"11", "12"} <= lines:
        yield problem("mixed-cu11-cu12-wheels", "packages", anew)
    family = sorted(names & {"tensorflow", "tensorflow-gpu", "tensorflow-cpu"})
    if len(family) > 1:
        yield notice("tensorflow-twice", "packages", anew, names=", ".join(family))
    yield from _jax(scene, subject)


def _jax(scene: Scene, subject: Environment) -> Iterator[Finding]:
    jaxlib = subject.package("jaxlib")
    plugins = [one for one in subject.packages if re.match(r"jax-cuda\d+-(plugin|pjrt)$", one.name)]
    other = [one for one in plugins if jaxlib and one.version != jaxlib.version]
    if jaxlib is not None and other:
        names = {"jaxlib": jaxlib.version, "plugin": f"{other[0].name} {other[0].version}"}
        yield problem("jax-plugin-version-mismatch", "packages", remedies.build_anew(scene), **names)


def caps(scene: Scene) -> Iterator[Finding]:
    """Compare with the limits without which the installed release breaks."""
    build = _row(scene)
    if build is None or scene.subject is None:
        return
    for text in build.caps:
        found = _broken_cap(scene, text)
        if found is not None:
            requirement, version = found
            name = canonicalize_name(requirement.name)
            own = version.major >= SINCE.get(name, 0)
            id_ = CAUSE_OF_CAP.get(name, "package-breaks-release") if own else "package-breaks-release"
            names = {"package": build.package, "version": build.version}
            params = {"name": requirement.name, "found": str(version), "limit": str(requirement.specifier)}
            yield problem(id_, "packages", remedies.build_anew(scene), **names, **params)


def _row(scene: Scene) -> Build | None:
    if scene.build is None or scene.release is None or scene.subject is None:
        return None
    platform, release = "windows" if scene.windows else "linux", scene.release.public
    builds = scene.facts.builds(scene.framework)
    rows = [row for row in builds if row.version == release and row.platform == platform]
    exact = [row for row in rows if row.package == scene.build.package]
    return next(iter(exact or rows), None)


def _broken_cap(scene: Scene, text: str) -> tuple[Requirement, Version] | None:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return None
    version = scene.package(canonicalize_name(requirement.name))
    if version is None or (requirement.marker and not requirement.marker.evaluate(marks(scene))):
        return None
    return None if requirement.specifier.contains(version, prereleases=True) else (requirement, version)


def marks(scene: Scene) -> dict[str, str]:
    """Return what the markers of requirements ask about, as the environment's own Python would say it."""
    python = scene.subject.python.version if scene.subject else "3"
    return {
        "python_version": ".".join(python.split(".")[:2]),
        "python_full_version": python,
        "sys_platform": "win32" if scene.windows else "linux",
        "platform_system": "Windows" if scene.windows else "Linux",
        "os_name": "nt" if scene.windows else "posix",
        "platform_machine": _processor(scene),
    }


def _processor(scene: Scene) -> str:
    arch = scene.machine.arch if isinstance(scene.machine.arch, str) else "x86_64"
    return {"x86_64": "AMD64", "arm64": "ARM64"}.get(arch, arch) if scene.windows else arch
