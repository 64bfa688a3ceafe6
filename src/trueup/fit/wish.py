"""From what was typed to what is asked: frameworks, Python, everything else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from trueup.fit.versions import accepts, version
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.facts.model import Build, Flavour
    from trueup.fit.knowledge import Knowledge
    from trueup.fit.model import Route, Wish

# A distribution's name may settle how the framework is to compute.
_FLAVOURS: tuple[tuple[str, Flavour], ...] = (("directml", "directml"), ("cpu", "cpu"), ("intel", "cpu"))
_CUDA_MAJOR = re.compile(r"^cuda-?(\d{2})")
_DIST_CUDA_MAJOR = re.compile(r"-cuda(\d{2})x$")
_LOCAL_CUDA = re.compile(r"^cu(\d+)(\d)$")
_LOCAL_CUDA_MAJOR = re.compile(r"^cuda(\d{2})\b")  # "0.4.23+cuda12.cudnn89", as JAX wrote it
# Hardware of other makers, by an extra or a local version: no build of it is known here.
_OTHER_HARDWARE = re.compile(r"^(rocm|xpu|tpu|hpu|npu|metal|mps)")
_ALIASES = {"pytorch": "torch", "tf": "tensorflow", "onnx-runtime": "onnxruntime", "paddle": "paddlepaddle"}


@dataclass(frozen=True, slots=True)
class Ask:
    """One framework as it was asked for. `cuda` is a major "12" or a whole "11.8", where the wish names one."""

    framework: str
    dist: str
    text: str
    specifier: str
    flavour: Flavour | None
    cuda: str | None

    def version_of(self, build: Build) -> str:
        """Return the version that the specifier speaks of: a plug-in has its own, beside the framework's."""
        if self.dist in {build.framework, build.package}:
            return build.version
        return self.pins(build).get(self.dist, build.version)

    @staticmethod
    def pins(build: Build) -> dict[str, str]:
        """Return name and version of what a build pins."""
        return _pins(build.requirements)


@dataclass(frozen=True, slots=True)
class Asked:
    """A wish that was understood."""

    asks: tuple[Ask, ...]
    others: tuple[Requirement, ...]
    python: str
    routes: tuple[Route, ...] | None
    prefer: str
    gpu_required: bool
    implied: tuple[tuple[str, str], ...] = ()  # framework, and the package that stands for it


def understand(wish: Wish, facts: Knowledge) -> Asked:
    """Return what a wish asks; raise where a part of it cannot be read or names no framework."""
    asks: dict[str, Ask] = {}
    others: list[Requirement] = []
    pythons = [_python(wish.python)] if wish.python else []
    for text in wish.requirements:
        requirement = _requirement(text)
        if requirement.url:
            raise TrueupError(Message("fit.wish-address", {"text": text}), Message("fit.wish-address-hint"))
        name = _ALIASES.get(canonicalize_name(requirement.name), canonicalize_name(requirement.name))
        framework = facts.framework_of(name)
        if name == "python":
            pythons.append(str(requirement.specifier))
        elif framework:
            ask = _ask(framework, name, text, requirement)
            asks[framework] = _both(asks[framework], ask) if framework in asks else ask
        else:
            others.append(requirement)
    implied = () if asks else tuple(_implied(others, facts))
    for name, _ in implied:
        asks[name] = Ask(name, name, name, "", None, None)
    if not asks:
        raise _no_framework(others, facts)
    return Asked(
        tuple(asks.values()),
        tuple(others),
        ",".join(filter(None, pythons)),
        wish.routes,
        wish.prefer,
        wish.gpu_required,
        implied,
    )


def _implied(others: list[Requirement], facts: Knowledge) -> Iterator[tuple[str, str]]:
    """Yield the frameworks that packages ask for or were made for, each once: torchvision stands for torch.

    Of a release that nobody knows the newest one tells it.
    """
    seen = set()
    for other in others:
        known = facts.beside(canonicalize_name(other.name))
        fitting = (r for r in known if accepts(str(other.specifier), r.version))
        release = next(fitting, next(iter(known), None))
        texts = (*release.asks, *release.made_for) if release else ()
        names = (facts.framework_of(canonicalize_name(Requirement(text).name)) for text in texts)
        framework = next(filter(None, names), None)
        if framework and framework not in seen:
            seen.add(framework)
            yield framework, other.name


def python_specifier(text: str) -> str:
    """Return a Python as a specifier: "3.9" means any 3.9."""
    return _python(text)


@lru_cache(maxsize=4096)
def _pins(requirements: tuple[str, ...]) -> dict[str, str]:
    """Return name and version of what is pinned to one version."""
    pins: dict[str, str] = {}
    for requirement in map(Requirement, requirements):
        exact = [part.version for part in requirement.specifier if part.operator == "=="]
        if exact:
            pins[canonicalize_name(requirement.name)] = exact[0]
    return pins


def _requirement(text: str) -> Requirement:
    try:
        return Requirement(text.strip())
    except InvalidRequirement as error:
        mended = re.sub(r"(?<![=<>!~])=(?!=)", "==", text.strip())
        hint = Message(
            "fit.hint-requirement", {"example": mended if mended != text else "tensorflow==2.10.*"}
        )
        raise TrueupError(Message("fit.bad-requirement", {"text": text}), hint) from error


def _python(text: str) -> str:
    bare = text.strip().removeprefix("python")
    try:
        if re.fullmatch(r"\d+(\.\d+)*", bare):
            bare = f"=={bare}.*" if bare.count(".") < 2 else f"=={bare}"
        return str(SpecifierSet(bare))
    except InvalidSpecifier as error:
        raise TrueupError(
            Message("fit.bad-python", {"text": text}), Message("fit.hint-python", {"example": "3.10"})
        ) from error


def _ask(framework: str, name: str, text: str, requirement: Requirement) -> Ask:
    if any(_OTHER_HARDWARE.match(extra) for extra in requirement.extras):
        raise _other_hardware(text)
    flavour = next((f for word, f in _FLAVOURS if word in name), None)
    extras = (_CUDA_MAJOR.match(extra) for extra in requirement.extras)
    majors = [m[1] for m in (*extras, _DIST_CUDA_MAJOR.search(name)) if m]
    parts, cuda = [], majors[0] if majors else None
    for part in requirement.specifier:
        local = None if part.version.endswith(".*") else version(part.version).local
        if local:
            flavour = "cpu" if local == "cpu" else flavour
            if _OTHER_HARDWARE.match(local):
                raise _other_hardware(text)
            named, major = _LOCAL_CUDA.match(local), _LOCAL_CUDA_MAJOR.match(local)
            cuda = f"{named[1]}.{named[2]}" if named else major[1] if major else cuda
        parts.append(f"{part.operator}{part.version.split('+')[0]}")
    return Ask(framework, name, text, ",".join(parts), flavour, cuda)


def _both(one: Ask, other: Ask) -> Ask:
    """Join two requirements of one framework, such as `tensorflow-cpu` beside its DirectML plug-in."""
    plugin = other if other.flavour == "directml" or one.flavour != "directml" else one
    rest = one if plugin is other else other
    if plugin.dist == rest.dist or plugin.flavour != "directml":
        specifier = ",".join(filter(None, (rest.specifier, plugin.specifier)))
        return Ask(
            plugin.framework,
            plugin.dist,
            f"{rest.text} {plugin.text}",
            specifier,
            plugin.flavour or rest.flavour,
            plugin.cuda or rest.cuda,
        )
    return (
        plugin
        if plugin.specifier
        else Ask(rest.framework, rest.framework, rest.text, rest.specifier, "directml", None)
    )


def _other_hardware(text: str) -> TrueupError:
    return TrueupError(
        Message("fit.wish-hardware", {"text": text}), Message("fit.wish-hardware-hint", {"text": text})
    )


def _no_framework(others: list[Requirement], facts: Knowledge) -> TrueupError:
    known = tuple(facts.frameworks())
    names = ", ".join(known)
    if not others:
        return TrueupError(Message("fit.no-framework"), Message("fit.hint-frameworks", {"names": names}))
    asked = others[0].name
    near = get_close_matches(canonicalize_name(asked), [*known, *_ALIASES], n=3, cutoff=0.6)
    hint = (
        Message("fit.hint-near", {"names": ", ".join(dict.fromkeys(_ALIASES.get(n, n) for n in near))})
        if near
        else Message("fit.hint-frameworks", {"names": names})
    )
    return TrueupError(Message("fit.unknown-framework", {"name": asked}), hint)
