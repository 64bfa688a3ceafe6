"""Comparisons that a text makes: a driver against a floor, a series of cards against a build, "the newest"."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from trueup.fit.audit.known import gpu_builds, last_gpu, wheels_source
from trueup.fit.audit.mentions import line, mentions
from trueup.fit.audit.model import Raw
from trueup.fit.audit.packages import newest_claim
from trueup.fit.reach import reach
from trueup.fit.versions import version
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.facts import Facts
    from trueup.fit.audit.plain import Plain
    from trueup.fit.audit.scene import Scene

DRIVER = re.compile(r"(?<![\d.])(?P<number>[3-9]\d\d\.\d{2,3}(?:\.\d{2})?)(?![\d.]*\d)")
SHORT = re.compile(
    r"差了?|不够|不足|低于|不满足|太旧|过低|<|\bbelow\b|\btoo old\b|\bolder than\b|\bnot enough\b|\bshort of\b|\bless than\b|\blower than\b",
    re.IGNORECASE | re.ASCII,
)
NEEDS = re.compile(
    r"CUDA(?: ?Toolkit)?\s*(?P<cuda>\d+\.\d)\D{0,24}?(?:要求|需要|requires?|needs?)[^\d。.]{0,24}?(?P<number>[3-9]\d\d\.\d{2,3})",
    re.IGNORECASE | re.ASCII,
)
SERIES = re.compile(
    r"\b(?P<brand>GTX|RTX|GT)\s*-?(?P<series>[4-9]|1[06]|[2-5]0)(?:00|0)?(?:xx|00)?\s*(?:系列|系|series|xx)?\s*"
    r"(?:及|或|和|以及)?\s*(?:其)?(?:以上|更高|更新|(?:and|or) (?:up|above|newer|later|higher|better)|\+)",
    re.IGNORECASE | re.ASCII,
)
NEWEST = re.compile(
    r"(?:最新版?(?:本)?|当前(?:的)?稳定版|目前已?经?是|latest(?: stable)?(?: version| release)?|newest(?: version)?|current stable)",
    re.IGNORECASE | re.ASCII,
)


def judge(facts: Facts, scene: Scene, plain: Plain, subject: str | None) -> Iterator[Raw]:
    """`subject`: the TensorFlow that the text installs."""
    for start, end in plain.sentences():
        yield from _driver(facts, plain.text, start, end)
        yield from _floor(facts, scene, plain.text, start, end)
        yield from _newest(facts, plain.text, start, end)
    yield from _series(facts, scene, plain.text, subject)


def _driver(facts: Facts, text: str, start: int, end: int) -> Iterator[Raw]:
    """Find two drivers of which the newer one is said to fall short of the older one."""
    found = list(DRIVER.finditer(text, start, end))
    for have, need in itertools.pairwise(found):
        middle = text[have.end() : need.start()]
        said = SHORT.search(middle) or SHORT.match(text, need.end(), min(end, need.end() + 24))
        if len(middle) > 80 or not said or version(have["number"]) < version(need["number"]):
            continue
        source = facts.driver_floors()[0].source
        params = {"have": have["number"], "need": need["number"]}
        yield Raw("driver-is-newer", "wrong", Message("audit.driver-is-newer", params), Message("audit.driver-is-newer-right", params),
                  source, have.start(), min(end, need.end() + 12))  # fmt: skip


def _floor(facts: Facts, scene: Scene, text: str, start: int, end: int) -> Iterator[Raw]:
    for match in NEEDS.finditer(text, start, end):
        for platform in scene.platforms(match.start()):
            floor = facts.driver_floor(match["cuda"], platform)
            least = floor and (floor.minor_compatible or floor.full)
            if not floor or not least or version(match["number"]) >= version(least):
                break
            source = floor.source
        else:
            params = {"cuda": match["cuda"], "claimed": match["number"], "least": str(least)}
            yield Raw("driver-floor-low", "wrong", Message("audit.driver-floor-low", params), Message("audit.driver-floor-low-right", params),
                      source, *match.span())  # fmt: skip


def _newest(facts: Facts, text: str, start: int, end: int) -> Iterator[Raw]:
    """Find a release that is called the newest and is not any more."""
    for word in NEWEST.finditer(text, start, end):
        near = mentions(text, max(start, word.start() - 24), min(end, word.end() + 24))
        bare = re.compile(r"\D{0,6}(?P<low>[12]\.\d{1,2}(?:\.\d)?)(?!\d)").match(text, word.end())
        named = next((m for m in near if m.product == "tensorflow" and m.low), None)
        spoken = re.search(
            r"tensorflow|\btf\b", text[max(0, word.start() - 60) : word.end()], re.IGNORECASE | re.ASCII
        )
        said = named.low if named else bare["low"] if bare and spoken else None
        after = named.end if named else bare.end() if bare else word.end()
        open_ended = text[after : after + 1] == "+" or re.search(r"[>≥]", text[word.start() : after])
        newest = newest_claim(facts, said) if said and not open_ended else None
        if said and newest:
            params = {"claimed": said, "newest": newest}
            span = (
                (min(named.start, word.start()), max(named.end, word.end()))
                if named
                else (word.start(), bare.end() if bare else word.end())
            )
            yield Raw("newest-no-more", "outdated", Message("audit.newest-no-more", params), Message("audit.newest-no-more-right", params),
                      wheels_source(facts, "tensorflow"), *span)  # fmt: skip
            return


def _series(facts: Facts, scene: Scene, text: str, subject: str | None) -> Iterator[Raw]:
    for match in SERIES.finditer(text):
        platforms = scene.platforms(match.start())
        build = next(iter(gpu_builds(facts, "tensorflow", subject, platforms)), None) if subject else None
        build = build or last_gpu(facts, "tensorflow", platforms[0])
        if build is None:
            continue
        without = [
            f"{name} ({cc})"
            for name, cc in _cards(facts, match["brand"].upper(), match["series"])
            if reach(build.code, cc) == "none"
        ]
        if without:
            params = {
                "cards": ", ".join(without),
                "version": line(build.version),
                "least": build.code.sass[0],
                "cudnn_least": build.library_code.sass[0] if build.library_code.sass else "-",
            }
            source = facts.card(without[0].partition(" (")[0]).source or build.source
            yield Raw("series-too-wide", "wrong", Message("audit.series-too-wide", params), Message("audit.series-too-wide-right", params),
                      source, *match.span())  # fmt: skip


def _cards(facts: Facts, brand: str, series: str) -> Iterator[tuple[str, str]]:
    """Yield the cards of a series with their capability: every number of it that the tables know."""
    for tail in range(0, 100, 5):
        name = f"{brand} {series}{tail:02d}"
        match = facts.card(name)
        if match.capabilities:
            yield name, match.capabilities[0]
