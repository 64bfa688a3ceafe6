"""What an install command or a list of requirements brings today."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version

from trueup.fit.audit import pairs
from trueup.fit.audit.known import gpu_builds, is_known, metadata, newest_of, parsed, pythons, wheels_source
from trueup.fit.audit.mentions import line
from trueup.fit.audit.model import Mention, Raw
from trueup.fit.audit.plain import table
from trueup.fit.versions import accepts, overlap, version
from trueup.values import Message, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.facts import Facts
    from trueup.facts.model import Build
    from trueup.fit.audit.model import Install, Package, Severity
    from trueup.fit.audit.scene import Scene

TENSORFLOW = ("tensorflow", "tensorflow-gpu")
STUB = "2.12.0"  # of tensorflow-gpu: fails on purpose
EXTRA_WITH_CUDA = re.compile(r"cuda", re.IGNORECASE)
MEANT = ("tensorflow", "torchvision", "torchaudio")
ONE_SLIP = 0.94  # of ten letters one is missing, doubled or another
NEWEST = ("numpy", "protobuf")
PINNED = re.compile(r"^===?(?P<number>\d+(?:\.\d+)*)(?P<open>\.\*)?$")


@dataclass(frozen=True, slots=True)
class Ask:
    """One install command with what stands around it."""

    facts: Facts
    scene: Scene
    install: Install
    python: str | None  # the one Python that the text makes the environment with

    def named(self, name: str) -> Package | None:
        return next((p for p in self.install.packages if p.name == name), None)


def judge(ask: Ask) -> Iterator[Raw]:
    for package in ask.install.packages:
        if package.name not in ask.facts.distributions("tensorflow") and not package.foreign:
            yield from _names(package)
        if package.name in TENSORFLOW:
            yield from _tensorflow(ask, package)
        elif package.name == "torch":
            yield from _torch(ask, package)
        elif EXTRA_WITH_CUDA.search(package.extras):
            yield from _extra(ask, package)


def _names(package: Package) -> Iterator[Raw]:
    """Find a name that is not the one that was meant: a slip of the keys, or PyTorch's project name."""
    source = Source(**table("advice")["sources"]["names"])
    near = difflib.get_close_matches(package.name, MEANT, n=1, cutoff=ONE_SLIP)
    if near and package.name not in MEANT:
        yield _raw("misspelt", "dangerous", {"name": package.name, "meant": near[0]}, source, package)
    if package.name == "pytorch":
        yield _raw("pytorch-stub", "wrong", {}, source, package)


def _tensorflow(ask: Ask, package: Package) -> Iterator[Raw]:
    if not package.spec and not (ask.install.alone or ask.install.tool == "file"):
        return  # a phrase inside a sentence, often the one that is warned of
    if package.name == "tensorflow-gpu" and not package.foreign and _reaches_stub(package.spec):
        yield _raw("gone-package", "wrong", {"spec": package.spec or "-"}, _stub_source(), package)
        return
    platforms = ask.scene.platforms(package.start)
    release = newest_of(ask.facts, "tensorflow", package.spec)
    if release is None:
        yield from _no_release(ask, package)
        return
    yield from _system(ask, package, release)
    builds = [
        b
        for b in ask.facts.builds("tensorflow")
        if b.version == release and b.package in TENSORFLOW and b.platform in platforms
    ]
    if builds:
        yield from _python(ask, package, release)
        yield from _companions(ask, package, builds[0])
    yield from _beside(ask, package, release)


def _reaches_stub(spec: str) -> bool:
    pin = PINNED.match(spec)
    if pin:
        number = parsed(pin["number"])
        return number is not None and number >= Version("2.12")
    return accepts(spec, STUB)


def _stub_source() -> Source:
    return Source(**table("advice")["sources"]["tensorflow-gpu"])


def _no_release(ask: Ask, package: Package) -> Iterator[Raw]:
    """Only an exact release within the tables' span can be said to be missing."""
    pin = PINNED.match(package.spec)
    if pin is None or not is_known(ask.facts, "tensorflow", line(pin["number"])):
        return
    served = ask.facts.wheels(package.name)
    if served is None or any(_file_of(name, pin["number"]) for name in served[0]):
        return
    newest = newest_of(ask.facts, "tensorflow", f"=={line(pin['number'])}.*") or line(pin["number"])
    params = {"name": package.name, "version": pin["number"], "newest": newest}
    yield _raw("no-release", "wrong", params, served[1], package)


def _file_of(name: str, number: str) -> bool:
    found = parsed(name.split("-")[1])
    return found is not None and found == parsed(number)


def _system(ask: Ask, package: Package, release: str) -> Iterator[Raw]:
    """TensorFlow for native Windows has had no GPU since 2.11; worth a word where a GPU is meant."""
    if ask.scene.at(package.start) != "windows-native":
        return
    said = package.spec.removeprefix("==").removesuffix(".*") if PINNED.match(package.spec) else release
    meant = ask.scene.gpu or package.name.endswith("-gpu") or package.extras
    for raw in pairs.no_windows(ask.facts, said, (package.start, package.end)):
        if meant:
            yield raw
        else:
            yield Raw(
                "cpu-only",
                "fine-if",
                Message("audit.cpu-only", raw.problem.params),
                raw.right,
                raw.source,
                raw.start,
                raw.end,
            )


def _python(ask: Ask, package: Package, release: str) -> Iterator[Raw]:
    own = ask.named("python")
    pin = PINNED.match(own.spec) if own else None
    known = pythons(ask.facts, "tensorflow", release, ask.scene.platforms(package.start))
    if own and not pin and known and own.spec and not any(overlap(own.spec, f"=={p}.*") for p in known):
        params = {"version": line(release), "claimed": own.spec, "first": known[0], "last": known[-1]}
        yield _raw("python-no-wheel", "wrong", params, wheels_source(ask.facts, "tensorflow"), own)
    if not PINNED.match(package.spec):
        return
    number = pin["number"] if pin and own else ask.python
    if number is None or "." not in number:
        return
    place = own or package
    mention = Mention("python", number, number, place.start, place.end)
    yield from pairs.python(
        ask.facts, line(release), mention, ask.scene.platforms(package.start), (place.start, place.end)
    )


def _companions(ask: Ask, package: Package, build: Build) -> Iterator[Raw]:
    """Find what pip takes beside a release today although the release does not work with it."""
    for name in NEWEST:
        limit = _limit(build.caps, name)
        if limit is None or package.foreign:
            continue
        params = {"version": build.version, "cap": f"{name}{limit}", "package": package.name,
                  "spec": package.spec, "caps": _quoted(build.caps), "name": name}  # fmt: skip
        beside = ask.named(name)
        if beside is None:
            yield from _open(ask, package, build, params, limit)
        elif beside.spec and not overlap(beside.spec, limit):
            params["pin"] = f"{name}{beside.spec}"
            strained = name == "numpy" and overlap(beside.spec, "<2")
            yield _raw("companion-pinned", "risky" if strained else "wrong", params, _caps_source(), beside)


@lru_cache(maxsize=256)
def _limit(caps: tuple[str, ...], name: str) -> str | None:
    parsed_caps = map(Requirement, caps)
    return next((str(cap.specifier) for cap in parsed_caps if cap.name == name and not cap.marker), None)


def _open(ask: Ask, package: Package, build: Build, params: dict[str, str], limit: str) -> Iterator[Raw]:
    name = params["name"]
    asked = metadata(ask.facts, build)
    newest = table("companions")[name].get(ask.python or build.pythons[-1])
    if asked is None or newest is None or accepts(limit, newest) or not _takes(asked, name, newest):
        return
    if newest_of(ask.facts, "tensorflow", "") == build.version or not package.spec:
        return
    params["newest"] = newest
    fatal = name == "protobuf" or Version(newest).major > 1  # NumPy 1.24 only lacks names that some calls use
    rule, severity = ("companion-open", "wrong") if fatal else ("companion-strained", "risky")
    yield _raw(rule, severity, params, _caps_source(), package)  # type: ignore[arg-type]  # one of the two


def _caps_source() -> Source:
    return Source(**table("advice")["sources"]["caps"])


@lru_cache(maxsize=256)
def _takes(asked: tuple[str, ...], name: str, newest: str) -> bool:
    """Say whether METADATA names a package and lets pip take its newest release."""
    named = False
    for text in asked:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.name == name:
            named = True
            if not requirement.specifier.contains(newest):
                return False
    return named


def _quoted(caps: tuple[str, ...]) -> str:
    return " ".join(f'"{cap}"' for cap in caps if ";" not in cap)


def _beside(ask: Ask, package: Package, release: str) -> Iterator[Raw]:
    """Judge the CUDA and the cuDNN that the same command or file brings."""
    said = line(release)
    if not PINNED.match(package.spec):
        return
    for name, product in (("cudatoolkit", "cuda"), ("cuda-toolkit", "cuda"), ("cudnn", "cudnn")):
        other = ask.named(name)
        pin = PINNED.match(other.spec) if other else None
        if not other or not pin or ("." not in pin["number"] and product == "cuda"):
            continue
        number = pin["number"] if "." in pin["number"] else f"{pin['number']}.99"
        if ask.install.tool == "file" and other.start == package.start:
            continue
        tensorflow = Mention("tensorflow", said, said, package.start, package.end)
        found = pairs.judge(
            ask.facts, ask.scene, tensorflow, Mention(product, number, number, other.start, other.end)
        )
        for raw in found:
            place = (other.start, other.end) if raw.rule != "no-windows-gpu" else (package.start, package.end)
            yield Raw(raw.rule, raw.severity, raw.problem, raw.right, raw.source, *place)


def _torch(ask: Ask, package: Package) -> Iterator[Raw]:
    """Hold a pinned PyTorch against the CUDA index that it is asked from."""
    pin = PINNED.match(package.spec)
    tag = re.search(r"/whl/(?P<tag>cu\d+)", ask.install.index or "")
    if not pin or not tag or not is_known(ask.facts, "torch", pin["number"]):
        return
    builds = gpu_builds(ask.facts, "torch", pin["number"], ask.scene.platforms(package.start))
    indexes = sorted({b.index.rsplit("/", 1)[-1] for b in builds if b.index})
    if not indexes or tag["tag"] in indexes:
        return
    params = {"version": pin["number"], "claimed": tag["tag"], "indexes": ", ".join(indexes)}
    yield _raw("torch-index", "wrong", params, builds[0].source, package)


def _extra(ask: Ask, package: Package) -> Iterator[Raw]:
    framework = ask.facts.framework_of(package.name)
    if framework is None or ask.scene.at(package.start) != "windows-native":
        return
    builds = ask.facts.builds(framework)
    if any(
        b.flavour == "cuda" and b.platform == "windows" and accepts(package.spec, b.version) for b in builds
    ):
        return
    params = {"name": package.name, "extra": package.extras}
    yield _raw("extra-no-windows", "wrong", params, builds[0].source, package)


def newest_claim(facts: Facts, said: str) -> str | None:
    """Return the newest release where a text calls an older one the newest."""
    newest = newest_of(facts, "tensorflow", "")
    claimed = parsed(said)
    if newest is None or claimed is None or not is_known(facts, "tensorflow", said):
        return None
    return newest if version(newest).release[:2] > claimed.release[:2] else None


def _raw(rule: str, severity: Severity, params: dict[str, str], source: Source, place: Package) -> Raw:
    problem, right = Message(f"audit.{rule}", params), Message(f"audit.{rule}-right", params)
    return Raw(rule, severity, problem, right, source, place.start, place.end)
