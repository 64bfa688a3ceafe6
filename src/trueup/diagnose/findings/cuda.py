"""CUDA, cuDNN and the VC++ runtime: what the installed build asks for against what it would find."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.version import Version

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.needs import need, stem_of, unfound
from trueup.diagnose.findings.say import harmless, notice, ok, problem, unknown
from trueup.diagnose.findings.scene import version
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.needs import Need
    from trueup.diagnose.findings.scene import Scene
    from trueup.machine.inventory.model import CudaCopy, CudaKind, Environment

FINDS_WHEELS = Version("2.14")  # TensorFlow on Linux looks for NVIDIA's wheels from here on
FAILS_TO_FIND = (2, 16)  # and forgot it in this line
FIRST_VC = Version("14.20")  # the first msvcp140_1.dll: Visual Studio 2019


def cuda(scene: Scene) -> Iterator[Finding]:
    wanted = need(scene)
    if wanted is None or scene.subject is None:
        return
    if scene.subject.hook and scene.subject.chosen:
        yield _chosen(scene)
    elif _by_wheels(scene.subject, wanted):
        yield from _wheels(scene, scene.subject, wanted)
        yield from _in_front(scene, scene.subject, wanted)
    elif _by_conda(scene.subject, wanted):
        yield _conda(scene, scene.subject)
    else:
        yield from _by_machine(scene, wanted)


def _chosen(scene: Scene) -> Finding:
    """Judge a toolkit that the environment names for itself: its hook finds it, whatever PATH leads to."""
    if scene.lost:
        return problem(
            "cuda-library-missing", "cuda", remedies.build_anew(scene), names=", ".join(scene.lost)
        )
    return ok("cuda-by-hook", "cuda")


def _by_wheels(subject: Environment, wanted: Need) -> bool:
    names = {package.name for package in subject.packages}
    return f"nvidia-cuda-runtime-cu{wanted.cuda}" in names or (
        wanted.cuda >= 13 and "nvidia-cuda-runtime" in names
    )


def _by_conda(subject: Environment, wanted: Need) -> bool:
    runtime = [p for p in subject.conda if p.name in ("cudatoolkit", "cuda-cudart")]
    return any(p.version.split(".")[0] == str(wanted.cuda) for p in runtime) and any(
        p.name == "cudnn" for p in subject.conda
    )


def _conda(scene: Scene, subject: Environment) -> Finding:
    """Judge conda's libraries: on Linux a framework that pip installed does not look into the environment's lib."""
    pip = not any(one.name.startswith(scene.framework) for one in subject.conda)
    searched = (scene.env("LD_LIBRARY_PATH") or "").split(":")
    folder = f"{subject.path}/lib"
    if scene.windows or not pip or scene.lost == () or folder in [one.rstrip("/") for one in searched]:
        return ok("cuda-by-conda", "cuda")
    here = remedies.say("conda-lib-fix", 'export LD_LIBRARY_PATH="$CONDA_PREFIX/lib:$LD_LIBRARY_PATH"')
    return problem("cuda-libs-not-on-path", "cuda", remedies.build_anew(scene), here, where=folder)


def _in_front(scene: Scene, subject: Environment, wanted: Need) -> Iterator[Finding]:
    """Look for an older cuDNN on LD_LIBRARY_PATH, which Linux searches before the folders that a wheel names."""
    copies = scene.survey.cuda
    if scene.windows or subject.hook or isinstance(copies, Unknown) or wanted.cudnn is None:
        return
    ahead = [copy for copy in of_kind(copies, "cudnn") if copy.origin == "path" and copy.order is not None]
    first = next((copy for copy in ahead if _major(copy) == wanted.cudnn), None)
    found = version(told(first)) if first else None
    if first is not None and found is not None and wanted.least_cudnn and _older(found, wanted.least_cudnn):
        unset = remedies.say("visible-fix", remedies.unset(scene, "LD_LIBRARY_PATH"))
        params = {"found": told(first), "path": first.path, "wanted": str(wanted.least_cudnn)}
        yield problem("cudnn-shadowed-by-another-copy", "cuda", unset, remedies.build_anew(scene), **params)


def stubs(scene: Scene) -> Iterator[Finding]:
    """Look for the toolkit's stub of libcuda on LD_LIBRARY_PATH: it is for linking and reaches no driver."""
    settings = scene.survey.settings
    if not isinstance(settings, Unknown) and settings.stub is not None:
        mend = remedies.say("visible-fix", remedies.unset(scene, "LD_LIBRARY_PATH"))
        yield problem("libcuda-stub-loaded", "driver", mend, where=settings.stub)


def _wheels(scene: Scene, subject: Environment, wanted: Need) -> Iterator[Finding]:
    """Judge NVIDIA's wheels: whether all are there, of the right cuDNN, and whether they will be found."""
    anew = remedies.build_anew(scene)
    missing = [name for name in wanted.wheels if subject.package(name) is None]
    if missing:
        yield problem("cuda-wheels-incomplete", "cuda", anew, names=", ".join(missing))
    yield from _cudnn_wheel(scene, subject, wanted)
    release = scene.release
    tensorflow = scene.framework == "tensorflow" and release is not None
    if subject.hook and scene.lost:
        yield problem("cuda-library-missing", "cuda", anew, names=", ".join(scene.lost))
    elif subject.hook:
        yield ok("cuda-by-hook", "cuda")
    elif tensorflow and release is not None and release.release[:2] == FAILS_TO_FIND:
        yield problem("tf-2.16-pip-nvidia-libs-not-found", "framework", anew)
    elif not missing and (lost := unfound(scene)):
        yield problem("wheels-not-found-by-framework", "cuda", anew, names=", ".join(lost))
    elif scene.windows or (tensorflow and release is not None and release < FINDS_WHEELS):
        yield problem("cuda-libs-not-on-path", "cuda", anew, where=subject.path)
    elif not missing:
        yield ok("cuda-by-wheels", "cuda")


def _cudnn_wheel(scene: Scene, subject: Environment, wanted: Need) -> Iterator[Finding]:
    """Left to itself pip takes the newest cuDNN, whose major the build may not know."""
    package = subject.package(f"nvidia-cudnn-cu{wanted.cuda}")
    found = version(package.version) if package else None
    if found is None or wanted.cudnn is None or package is None:
        return
    anew = remedies.build_anew(scene)
    if found.major != wanted.cudnn:
        yield problem("cudnn-major-mismatch", "cuda", anew, wanted=wanted.cudnn, found=package.version)
    elif wanted.least_cudnn is not None and _older(found, wanted.least_cudnn):
        params = {"found": package.version, "path": package.place, "wanted": str(wanted.least_cudnn)}
        yield problem("cudnn-too-old-for-build", "cuda", anew, **params)


def _by_machine(scene: Scene, wanted: Need) -> Iterator[Finding]:
    copies = scene.survey.cuda
    if isinstance(copies, Unknown):
        yield unknown("cuda-unread", "cuda", copies.why)
        return
    runtimes, cudnns = of_kind(copies, "runtime"), of_kind(copies, "cudnn")
    yield _runtime(scene, wanted, runtimes)
    others = tuple(_others(scene, wanted, copies))
    yield from others
    lost = [name for name in scene.lost or () if stem_of(name) not in ("cudart", "cudnn")]
    if lost and not others and any(copy.order is not None for copy in runtimes):
        yield problem("cuda-library-missing", "cuda", remedies.build_anew(scene), names=", ".join(lost))
    if wanted.cudnn is not None:
        yield from _cudnn(scene, wanted, cudnns)
        yield from _zlib(scene, copies, cudnns)


def of_kind(copies: tuple[CudaCopy, ...], kind: CudaKind) -> list[CudaCopy]:
    return [copy for copy in copies if copy.kind == kind]


def _major(copy: CudaCopy) -> int | None:
    return None if isinstance(copy.version, Unknown) else int(re.split(r"\D", copy.version)[0] or 0)


def _runtime(scene: Scene, wanted: Need, runtimes: list[CudaCopy]) -> Finding:
    anew = remedies.build_anew(scene)
    right = [copy for copy in runtimes if _major(copy) == wanted.cuda]
    searched = [copy for copy in right if copy.order is not None]
    if searched:
        return ok("cuda-found", "cuda", version=told(searched[0]), path=searched[0].path)
    if right:
        return problem("cuda-libs-not-on-path", "cuda", anew, where=right[0].path)
    if runtimes:
        found = ", ".join(dict.fromkeys(told(copy) for copy in runtimes))
        return problem("cuda-version-mismatch", "cuda", anew, wanted=wanted.cuda, found=found)
    return problem("cuda-toolkit-missing", "cuda", anew, wanted=wanted.cuda)


def _others(scene: Scene, wanted: Need, copies: tuple[CudaCopy, ...]) -> Iterator[Finding]:
    """Look for the rest of the libraries: one that is missing keeps TensorFlow off the card without an error."""
    there = [_base(copy.path) for copy in copies if copy.order is not None]
    watched = [file for file in wanted.files if stem_of(file) not in ("cudart", "cudnn")]
    missing = [file for file in watched if not any(_is(file, name) for name in there)]
    if missing and len(missing) < len(watched):
        yield problem("cuda-library-missing", "cuda", remedies.build_anew(scene), names=", ".join(missing))


def _base(path: str) -> str:
    return re.split(r"[\\/]", path)[-1].lower()


def _is(file: str, name: str) -> bool:
    return name == file.lower() or name.startswith(file.lower() + ".")


def told(copy: CudaCopy) -> str:
    return "?" if isinstance(copy.version, Unknown) else copy.version


def _cudnn(scene: Scene, wanted: Need, cudnns: list[CudaCopy]) -> Iterator[Finding]:
    anew = remedies.build_anew(scene)
    searched = [copy for copy in cudnns if copy.order is not None]
    right = [copy for copy in searched if _major(copy) == wanted.cudnn]
    if not right:
        if searched:
            found = ", ".join(dict.fromkeys(told(copy) for copy in searched))
            yield problem("cudnn-major-mismatch", "cuda", anew, wanted=wanted.cudnn or 0, found=found)
        else:
            yield problem("cudnn-missing", "cuda", anew, wanted=wanted.cudnn or 0)
        return
    first, first_version = right[0], version(told(right[0]))
    if (
        wanted.least_cudnn is not None
        and first_version is not None
        and _older(first_version, wanted.least_cudnn)
    ):
        newer = [c for c in right[1:] if (v := version(told(c))) and not _older(v, wanted.least_cudnn)]
        id_ = "cudnn-shadowed-by-another-copy" if newer else "cudnn-too-old-for-build"
        params = {"found": told(first), "path": first.path, "wanted": str(wanted.least_cudnn)}
        aside = [remedies.say("path-out-fix", folder=first.path)] if newer else []
        yield problem(id_, "cuda", anew, *aside, **params)
        return
    yield ok("cudnn-found", "cuda", version=told(first), path=first.path)
    if len(right) > 1:
        yield notice(
            "two-cudnn",
            "cuda",
            first=f"{first.path} ({told(first)})",
            second=f"{right[1].path} ({told(right[1])})",
        )


def _older(found: Version, least: Version) -> bool:
    return found.release[:2] < least.release[:2] and len(found.release) > 1


def _zlib(scene: Scene, copies: tuple[CudaCopy, ...], cudnns: list[CudaCopy]) -> Iterator[Finding]:
    """Older cuDNN archives for Windows, 8.3 to 8.8, load zlibwapi.dll; later ones carry zlib inside."""
    first = next((copy for copy in cudnns if copy.order is not None), None)
    found = version(told(first)) if first else None
    searched = [copy for copy in copies if copy.kind == "zlib" and copy.order is not None]
    if scene.windows and first and found and (8, 3) <= found.release[:2] < (8, 9) and not searched:
        yield problem(
            "zlibwapi-missing", "cuda", remedies.build_anew(scene), version=told(first), path=first.path
        )


def runtime(scene: Scene) -> Iterator[Finding]:
    """Look at the VC++ runtime, without which TensorFlow refuses to be imported on Windows."""
    found = scene.machine.vc_runtime
    if not scene.windows:
        return
    number = version(found) if isinstance(found, str) else None
    if isinstance(found, Unknown):
        yield unknown("vc-runtime-unknown", "runtime", found.why)
    elif number is not None and number >= FIRST_VC:
        yield ok("vc-runtime", "runtime", version=str(number))
    elif scene.subject is not None and scene.subject.hook and scene.subject.package("msvc-runtime"):
        yield ok("vc-runtime-inside", "runtime")
    elif scene.build is None:
        yield harmless("vc-runtime-not-needed-yet", "runtime")
    else:
        mend = remedies.say("vc-runtime-fix", admin=True)
        id_ = "vc-runtime-missing" if found is None else "vc-runtime-old"
        yield problem(id_, "runtime", remedies.build_anew(scene), mend, version=found or "-")
