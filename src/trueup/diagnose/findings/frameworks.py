"""What is installed: whether the build can use a card at all, and whether it fits this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import Version

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.installed import installed
from trueup.diagnose.findings.pythons import python_in_the_way
from trueup.diagnose.findings.say import notice, ok, problem, seen, unknown
from trueup.diagnose.findings.scene import nvidia
from trueup.fit.model import Outcome
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene
    from trueup.fit.model import Solution, Verdict
    from trueup.machine.inventory.model import FrameworkBuild

LAST_WINDOWS_GPU = Version("2.10")
CPU_PACKAGES = (
    "tensorflow-cpu",
    "tensorflow-intel",
    "intel-tensorflow",
    "tensorflow-cpu-aws",
    "paddlepaddle",
    "onnxruntime",
)
# what the solver's rule means for a release that is already there
CAUSE_OF_RULE = {
    "driver-missing": "driver-missing",
    "driver-floor": "driver-too-old-for-cuda",
    "python-no-wheel": "python-too-new-for-release",
    "os-build-too-old": "windows-build-without-wsl-cuda",
    "cpu-features": "cpu-without-avx",
    "libc": "libc-too-old",
    "disk": "disk-full",
}
CAUSE_OF_CHANGE = {
    "update-driver": "driver-too-old-for-cuda",
    "install-driver": "driver-missing",
    "change-driver": "driver-too-new-for-card",
    "enable-wsl2": "wsl-not-ready",
    "update-wsl": "wsl-not-ready",
    "update-windows": "windows-build-without-wsl-cuda",
    "free-disk": "disk-full",
    "leave-tcc": "wsl-gpu-in-tcc-mode",
    "install-cuda": "cuda-toolkit-missing",
}


def framework(scene: Scene) -> Iterator[Finding]:
    build = scene.build
    if build is None:
        yield notice("no-framework", "framework", remedies.build_anew(scene), framework=scene.framework)
        yield from python_in_the_way(scene)
        return
    names = {"package": build.package, "version": build.version}
    if isinstance(build.cuda, Unknown):
        yield from _unreadable(scene, build)
    elif build.cuda is None:
        yield _without_cuda(scene, build)
    else:
        with_cudnn = {"cuda": build.cuda, "cudnn": build.cudnn} if isinstance(build.cudnn, str) else None
        if with_cudnn:
            yield ok("framework-cuda-cudnn", "framework", **names, **with_cudnn)
        else:
            yield ok("framework-cuda", "framework", **names, cuda=build.cuda)
        yield from _installed_on_machine(scene, build)


def _unreadable(scene: Scene, build: FrameworkBuild) -> Iterator[Finding]:
    names = {"package": build.package, "version": build.version}
    if build.package == "tensorflow-gpu" and scene.release is not None and scene.release >= Version("2.12"):
        yield problem("tensorflow-gpu-package-removed", "framework", remedies.build_anew(scene), **names)
    elif (
        build.package in ("tensorflow", "tensorflow-cpu")
        and scene.windows
        and scene.package("tensorflow-intel")
    ):
        yield _without_cuda(scene, build)
    elif isinstance(build.cuda, Unknown) and build.cuda.why.code == "machine.file-missing":
        anew = remedies.build_anew(scene)
        yield seen(problem("broken-or-leftover-install", "packages", anew, where=build.place), build.cuda.why)
    elif isinstance(build.cuda, Unknown):
        yield unknown("framework-unread", "framework", build.cuda.why, **names)


def _without_cuda(scene: Scene, build: FrameworkBuild) -> Finding:
    """Name why a build has no CUDA; everything below it then is no fault."""
    names = {"package": build.package, "version": build.version}
    anew = remedies.build_anew(scene)
    if (directml := _directml(scene)) is not None:
        return directml
    if build.other is not None:
        if not nvidia(scene):
            return ok("framework-other", "framework", **names, other=build.other)
        return problem("build-for-other-card", "framework", anew, **names, other=build.other)
    if scene.solution.best is not None and scene.solution.best.route == "cpu" and not scene.machine.gpus:
        return ok("framework-cpu", "framework", **names)
    ended = scene.framework == "tensorflow" and scene.windows and scene.release is not None
    if ended and scene.release is not None and Version(scene.release.base_version) >= Version("2.11"):
        return problem("tf-windows-gpu-ended-at-2-10", "framework", anew, **names)
    if scene.framework == "jax" and scene.windows:
        return problem("no-gpu-build-for-windows", "framework", anew, **names)
    hint = (
        next((one for one in scene.subject.conda if one.name.startswith("tensorflow")), None)
        if scene.subject
        else None
    )
    if hint is not None and hint.build.startswith(("mkl", "eigen", "cpu")):
        return problem("conda-cpu-build", "framework", anew, **names, build=hint.build)
    return problem("cpu-only-build-installed", "framework", anew, **names)


def _directml(scene: Scene) -> Finding | None:
    """Judge the DirectML plugin: it works with tensorflow-cpu 2.10 alone."""
    plugin = scene.package("tensorflow-directml-plugin")
    if scene.framework != "tensorflow" or plugin is None or scene.release is None:
        return None
    names = {"plugin": str(plugin), "version": str(scene.release)}
    if scene.release.release[:2] == LAST_WINDOWS_GPU.release:
        return ok("framework-directml", "framework", **names)
    return problem("directml-plugin-tf-version", "framework", remedies.build_anew(scene), **names)


def _installed_on_machine(scene: Scene, build: FrameworkBuild) -> Iterator[Finding]:
    """Ask the solver whether this very release can use this very card."""
    answer = scene.as_installed
    if answer is None or not known(scene, build):
        why = Message("findings.not-in-tables")
        yield unknown("release-unknown", "framework", why, package=build.package, version=build.version)
    elif answer.status == "gpu":
        yield ok("release-fits", "framework", package=build.package, version=build.version)
    else:
        yield from against(scene, answer)


def known(scene: Scene, build: FrameworkBuild) -> bool:
    return any(row.version == _public(build.version) for row in scene.facts.builds(build.framework))


def _public(text: str) -> str:
    return text.partition("+")[0]


def against(scene: Scene, answer: Solution) -> Iterator[Finding]:
    """Turn what the solver has against a solution into problems, each with its own id."""
    if answer.best is not None and answer.best.changes:
        for change in answer.best.changes:
            if change.id == "find-out-card":
                yield unknown("card-not-known", "card", Message("findings.card-not-known-why"))
                continue
            id_ = CAUSE_OF_CHANGE.get(change.id, "needs-change")
            other = [remedies.build_anew(scene)] if scene.solution.status == "gpu" else []
            yield seen(problem(id_, "driver", *other, remedies.of_change(change)), answer.best.binding)
        return
    told: set[str] = set()
    for rejection in answer.rejected:
        if rejection.route not in (scene.native, "windows-native", "linux", "wsl2"):
            continue
        for verdict in rejection.reasons:
            cause = _cause(scene, verdict)
            if verdict.outcome is not Outcome.UNKNOWN and cause is not None and cause not in told:
                told.add(cause)
                yield seen(problem(cause, "framework", remedies.build_anew(scene)), verdict.text)


def _cause(scene: Scene, verdict: Verdict) -> str | None:
    if verdict.rule.startswith("arch-no-code"):
        return "gpu-arch-newer-than-build" if _newer(scene) else "gpu-arch-too-old"
    return CAUSE_OF_RULE.get(verdict.rule)


def _newer(scene: Scene) -> bool:
    """Tell whether the card is younger than the release's machine code, else it is older."""
    gpus = scene.machine.gpus
    build = scene.build
    if isinstance(gpus, Unknown) or build is None:
        return False
    rows = installed(scene.facts, build).builds(build.framework)
    code = [row.code for row in rows if row.version == _public(build.version)]
    newest = max((Version(one) for row in code for one in (*row.sass, *row.ptx)), default=Version("0"))
    cards = [capability for gpu in gpus for capability in _capabilities(scene, gpu.name, gpu.capability)]
    return any(Version(one) > newest for one in cards)


def _capabilities(scene: Scene, name: str, said: str | Unknown) -> tuple[str, ...]:
    return (said,) if isinstance(said, str) else scene.facts.card(name).capabilities
