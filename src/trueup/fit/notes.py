"""What is publicly known of a choice and must be said, beyond the verdicts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import Version

from trueup.fit.knowledge import cuda_of
from trueup.fit.unique import unique
from trueup.fit.versions import accepts, version
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.fit.case import Card, Case
    from trueup.fit.choice import Choice

# Cards of the data centre, for which NVIDIA ships a forward-compatibility package.
_DATA_CENTRE = re.compile(r"\b(tesla|[ahblvpt]\d{1,3}s?|gh200|gb\d{3})\b", re.IGNORECASE)
# Notes of builds that only speak to cards which get their code compiled from PTX.
_OF_PTX = ("ptx", "blackwell")


def of_choice(case: Case, choice: Choice) -> tuple[Message, ...]:
    return unique(_of_choice(case, choice))


def _of_choice(case: Case, choice: Choice) -> Iterator[Message]:
    yield from _of_builds(choice)
    if choice.kernels == "ptx-jit":
        yield Message("fit.note-ptx-jit")
    yield from _of_cards(choice)
    yield from _of_driver(case, choice)
    if choice.route == "directml":
        yield Message("fit.note-directml")
    if choice.route == "wsl2" and case.machine.os == "windows":
        yield Message("fit.note-inside-wsl")
    if len(choice.options) > 1:
        names = ", ".join(f"{b.framework} {b.version}" for b in choice.builds)
        yield Message("fit.note-one-environment", {"names": names})


def of_case(case: Case) -> Iterator[Message]:
    """Yield what is to be said of the machine and the wish, whatever the answer is."""
    cards = () if isinstance(case.cards, Unknown) else case.cards
    frameworks = {ask.framework for ask in case.asked.asks}
    blackwell = [c.name for c in cards if (c.architecture or "").startswith("Blackwell")]
    if blackwell and "tensorflow" in frameworks:
        yield Message("fit.note-blackwell-tensorflow", {"cards": ", ".join(blackwell)})
    for framework, package in case.asked.implied:
        yield Message("fit.note-implied", {"framework": framework, "package": package})
    yield from _of_unknown_releases(case)
    if case.machine.os == "linux" and any(c.vendor == "amd" for c in cards):
        yield Message("fit.note-rocm")
    if case.machine.os == "macos":
        yield Message("fit.note-macos")
    if case.machine.os == "linux" and case.arch == "aarch64" and any(c.vendor == "nvidia" for c in cards):
        yield Message("fit.note-arm-linux")
    if case.arch == "x86":
        yield Message("fit.note-system-32")
    found = case.machine.pythons
    if not isinstance(found, Unknown) and any(p.bits == 32 for p in found):
        yield Message("fit.note-python-32")


def _of_unknown_releases(case: Case) -> Iterator[Message]:
    """Yield which packages were asked in a release that is not known: whether it exists is not known either."""
    asked: dict[str, list[str]] = {}
    for other in case.asked.others:
        asked.setdefault(canonicalize_name(other.name), []).append(str(other.specifier))
    for name, texts in asked.items():
        both, known = ",".join(filter(None, texts)), case.facts.beside(name)
        if both and known and not any(accepts(both, release.version) for release in known):
            told = {"package": name, "asked": f"{name}{both}", "newest": known[0].version}
            yield Message("fit.note-no-release", told)


def _of_builds(choice: Choice) -> Iterator[Message]:
    for build, option in zip(choice.builds, choice.options, strict=True):
        for code in build.notes:
            if option.kernels == "ptx-jit" or not any(word in code for word in _OF_PTX):
                yield Message(code)


def _of_cards(choice: Choice) -> Iterator[Message]:
    cards = choice.options[0].cards
    if not cards.served or choice.route == "cpu":
        return
    left = cards.not_served
    if left:
        named = ", ".join(judged.card.name for judged in left)
        served = ", ".join(card.name for card in cards.served)
        yield Message("fit.note-not-served", {"cards": named, "served": served})
    if left and any(judged.card.vendor == "nvidia" for judged in left):
        yield Message("fit.note-visible-devices")


def _of_driver(case: Case, choice: Choice) -> Iterator[Message]:
    has, cuda = case.driver, next((b.cuda for b in choice.builds if b.cuda), None)
    if cuda is None or not isinstance(has, Version):
        return
    knows = cuda_of(case.facts, str(has), case.driver_platform)
    rules = {v.rule for v in choice.verdicts if v.rule.startswith("driver")}
    if knows and version(knows) < version(cuda) and not rules:
        yield Message(
            "fit.note-minor-compatibility", {"cuda": cuda, "knows": knows, "driver": str(case.machine.driver)}
        )
    if rules == {"driver-floor"} and choice.route == "linux" and _data_centre(choice.options[0].cards.served):
        yield Message("fit.note-forward-compatibility", {"package": f"cuda-compat-{cuda.replace('.', '-')}"})


def _data_centre(cards: tuple[Card, ...]) -> bool:
    return bool(cards) and all(
        _DATA_CENTRE.search(card.name) and not re.search(r"rtx|geforce|quadro", card.name, re.IGNORECASE)
        for card in cards
    )
