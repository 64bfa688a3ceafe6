"""What is wrong with a global toolkit: found in its files and in the variables that lead to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.keep.cuda import variables
from trueup.keep.cuda.model import finding, release, three
from trueup.keep.cuda.toolkit import CUDNN_PARTS, missing_of_toolkit, missing_parts
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.keep.cuda.model import Finding, Scene
    from trueup.keep.cuda.toolkit import Library, Toolkit
    from trueup.machine.inventory.model import Environment
    from trueup.values import Param


def examine(scene: Scene, toolkit: Toolkit) -> tuple[Finding, ...]:
    """Return what is wrong, causes before what follows from them."""
    if toolkit.hidden is not None:
        return (finding("hidden", "unknown", root=toolkit.root),)
    rules = (_whole, _bits, _runtime, _nvcc, _cudnn_files, _cudnn_fits, _zlib)
    found = [finding for rule in rules for finding in rule(scene, toolkit)]
    return (*found, *variables.around(scene, toolkit))


def _whole(scene: Scene, toolkit: Toolkit) -> Iterator[Finding]:
    """Look for a toolkit that was copied or uninstalled in part; on Linux each library is a package of its own."""
    missing = missing_of_toolkit(toolkit)
    if missing and scene.host.platform == "windows":
        yield finding("half-toolkit", "problem", root=toolkit.root, names=", ".join(missing))
    elif missing:
        yield finding("part-toolkit", "notice", root=toolkit.root, names=", ".join(missing))


def _bits(scene: Scene, toolkit: Toolkit) -> Iterator[Finding]:
    """Look for 32-bit libraries, which no 64-bit process can load: zlibwapi.dll is often one."""
    del scene
    for one in toolkit.libraries:
        if one.bits == 32 and not re.search(r"32_\d+\.dll$", one.name, re.IGNORECASE):
            yield finding("x86-library", "problem", path=one.path)


def _runtime(scene: Scene, toolkit: Toolkit) -> Iterator[Finding]:
    """Compare files with what the folder says of itself: somebody copied one toolkit over another."""
    del scene
    for one, told, expected in _claims(toolkit):
        if release(told) != release(expected):
            yield finding(
                "toolkit-mixed", "problem", path=one.path, found=told, wanted=expected, root=toolkit.root
            )
    lines = {re.sub(r"0$", "", str(one.line)) for one in toolkit.of("cudart") if one.bits == 64}
    if len(lines) > 1:
        names = ", ".join(sorted(one.name for one in toolkit.of("cudart")))
        yield finding("two-runtimes", "problem", root=toolkit.root, names=names)


def _claims(toolkit: Toolkit) -> Iterator[tuple[Library, str, str]]:
    """Return library, version that it tells, version that the folder promises."""
    promised = {"cudart": toolkit.version, "cublas": toolkit.components.get("libcublas")}
    for stem, expected in promised.items():
        for one in toolkit.of(stem):
            if isinstance(expected, str) and isinstance(one.version, str):
                yield one, one.version, expected


def _nvcc(scene: Scene, toolkit: Toolkit) -> Iterator[Finding]:
    del scene
    runtime = next((one.version for one in toolkit.of("cudart") if isinstance(one.version, str)), None)
    nvcc = toolkit.nvcc
    if isinstance(nvcc, str) and runtime and release(nvcc) != release(runtime):
        yield finding("nvcc-differs", "problem", root=toolkit.root, nvcc=nvcc, runtime=runtime)


def _cudnn_files(scene: Scene, toolkit: Toolkit) -> Iterator[Finding]:
    """Tell a mixture by the version in each file, and a copy in part by what is missing."""
    del scene
    files = toolkit.cudnn
    lines = sorted({one.line for one in files})
    for line in lines:
        yield from _mixed(toolkit, [one for one in files if one.line == line])
    if len(lines) > 1:
        yield finding("two-cudnns", "notice", root=toolkit.root, lines=", ".join(map(str, lines)))
    missing = missing_parts(files)
    if missing:
        yield finding("cudnn-incomplete", "problem", root=toolkit.root, names=", ".join(missing))
    if files and (toolkit.header is None or not toolkit.import_library):
        yield finding("cudnn-half-copied", "notice", root=toolkit.root)
    if toolkit.header and not files:
        yield finding("cudnn-only-headers", "problem", root=toolkit.root, header=toolkit.header)


def _mixed(toolkit: Toolkit, files: list[Library]) -> Iterator[Finding]:
    told = {one.path: one.version for one in files if isinstance(one.version, str)}
    if len({three(version) for version in told.values()}) > 1:
        twice = len({one.name for one in files}) < len(files)
        names = (f"{one.path if twice else one.name} {told[one.path]}" for one in files if one.path in told)
        yield finding("cudnn-mixed", "problem", root=toolkit.root, names=", ".join(sorted(names)))
    elif toolkit.header and told and files[0].line == int(toolkit.header.split(".")[0]):
        version = next(iter(told.values()))
        if three(version) != three(toolkit.header):
            params: dict[str, Param] = {"header": toolkit.header, "found": version}
            yield finding("cudnn-header-differs", "notice", root=toolkit.root, **params)


def cudnn_of(toolkit: Toolkit) -> str | None:
    """Return the cuDNN that counts: of the newest line, as its file says, or the header, or the line alone."""
    files = toolkit.cudnn
    if not files:
        return None
    line = max(one.line for one in files)
    told = next((one.version for one in files if one.line == line and isinstance(one.version, str)), None)
    header = toolkit.header if toolkit.header and toolkit.header.split(".")[0] == str(line) else None
    return told or header or (str(line) if line in CUDNN_PARTS else None)


def _cudnn_fits(scene: Scene, toolkit: Toolkit) -> Iterator[Finding]:
    version, cuda = cudnn_of(toolkit), toolkit.version
    if version is None or isinstance(cuda, Unknown):
        return
    params: dict[str, Param] = {"root": toolkit.root, "found": version, "cuda": cuda}
    if "." in version and scene.facts.cudnn(version, ".".join(cuda.split(".")[:2])) is None:
        # Within a major line newer libraries keep what older ones had: that may well work.
        major = cuda.split(".", maxsplit=1)[0]
        near = any(scene.facts.cudnn(version, f"{major}.{minor}") for minor in range(10))
        yield finding("cudnn-not-for-cuda", "notice" if near else "problem", **params)
    lines = {str(one.line) for one in toolkit.cudnn}
    for environment, framework, wanted in wanting(scene.environments, cuda.split(".")[0]):
        if wanted not in lines:
            here = {"framework": framework, "env": environment, "wanted": wanted}
            yield finding("cudnn-other-major", "problem", **params, **here)
    if cuda.startswith("11.") and lines == {"9"} and not any(wanting(scene.environments, "11")):
        yield finding("cudnn-9-on-11", "notice", **params)


def wanting(environments: Iterable[Environment], cuda: str) -> Iterator[tuple[str, str, str]]:
    """Return environment, framework and cuDNN major of the builds that search for CUDA of this major."""
    for environment in environments:
        if any(package.name.startswith("nvidia-cudnn") for package in environment.packages):
            continue
        for build in environment.builds:
            known = isinstance(build.cuda, str) and isinstance(build.cudnn, str)
            if known and str(build.cuda).split(".")[0] == cuda and not environment.conda:
                told = f"{build.package} {build.version}"
                yield environment.path, told, str(build.cudnn).split(".")[0]


def _zlib(scene: Scene, toolkit: Toolkit) -> Iterator[Finding]:
    """Ask the files themselves whether they import zlibwapi.dll; else what is known of the release."""
    version, cuda = cudnn_of(toolkit), toolkit.version
    if scene.host.platform != "windows" or version is None or isinstance(cuda, Unknown):
        return
    if toolkit.of("zlibwapi") or any(c.kind == "zlib" and c.order is not None for c in scene.machine):
        return
    look = scene.imports
    read = [names for one in toolkit.cudnn if look is not None and (names := look(one.path)) is not None]
    if any("zlibwapi.dll" in names for names in read):
        yield finding("zlib-missing", "problem", root=toolkit.root, found=version)
    elif not read:
        row = scene.facts.cudnn(version, ".".join(cuda.split(".")[:2]))
        if row is not None and row.zlib_windows:
            yield finding("zlib-asked-for", "notice", root=toolkit.root, found=version)
