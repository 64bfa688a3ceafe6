"""TensorFlow with a CUDA, a cuDNN or a Python: whether the pair that a sentence names exists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.fit.audit.known import gpu_builds, is_known, last_gpu, pythons, wheels_source
from trueup.fit.audit.mentions import line, mentions
from trueup.fit.audit.model import Raw
from trueup.fit.versions import version
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.facts import Facts
    from trueup.facts.model import Build, Platform
    from trueup.fit.audit.model import Mention, Severity
    from trueup.fit.audit.plain import Plain
    from trueup.fit.audit.scene import Scene
    from trueup.values import Source

ITEM = re.compile(
    r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[.\][ \t]*)?[*_`]*(?:nvidia |install |download |安装|下载)?",
    re.IGNORECASE,
)
ONLY = re.compile(r"一定|必须|只能|不能|只支持|必需|\bmust\b|\bonly\b|\bhas to\b", re.IGNORECASE)
DENIED = re.compile(r"[^\n。]{0,16}?(?:no longer|\bnot\b|n't|不再|不支持|dropped|removed)", re.IGNORECASE)
JOINED = re.compile(
    r"[\s+&,/()|]*(?:for|with|and|和|与|配|对应)?[\s+&,/()|]*", re.IGNORECASE
)  # "CUDA 11.2 + TF 2.10"
NEAR = 70  # characters between a release and what is said to go with it
FIRST_SHARED_MAJOR = 11  # from CUDA 11 on the library files carry the major alone


def pairs(plain: Plain) -> Iterator[tuple[Mention, Mention]]:
    """Yield (framework, other) as sentences pair them."""
    for start, end in plain.sentences():
        yield from _of(plain.text, mentions(plain.text, start, end))


def _of(text: str, found: list[Mention]) -> Iterator[tuple[Mention, Mention]]:
    subject: Mention | None = None
    waiting: list[Mention] = []
    reach = 0
    for mention in found:
        if mention.product in {"tensorflow", "torch", "other"}:
            named = mention.product == "tensorflow" and mention.low
            if named and subject is None:
                yield from (
                    (mention, before)
                    for before in waiting
                    if JOINED.fullmatch(text[before.end : mention.start])
                )
            subject = mention if named else None
            waiting, reach = [], mention.end
        elif not mention.low:
            continue
        elif subject and mention.start - reach <= NEAR:
            yield subject, mention
            reach = mention.end
        elif subject is None:
            waiting = [*waiting, mention]


def orphans(plain: Plain) -> Iterator[Mention]:
    """Yield what a sentence asks for without naming the framework: a range of Pythons, an item of a list."""
    for start, end in plain.sentences():
        found = mentions(plain.text, start, end)
        if any(m.product in {"tensorflow", "torch", "other"} for m in found):
            continue
        for mention in found:
            listed = ITEM.fullmatch(plain.text, plain.text.rfind("\n", 0, mention.start) + 1, mention.start)
            if mention.low and (mention.low != mention.high if mention.product == "python" else listed):
                yield mention


def judge(facts: Facts, scene: Scene, framework: Mention, other: Mention) -> Iterator[Raw]:
    """Yield what is wrong with a pair; nothing of a release that the tables do not hold."""
    said = framework.low
    if (
        framework.low != framework.high
        or other.product == "driver"
        or not is_known(facts, "tensorflow", said)
    ):
        return
    if scene.elsewhere(other.start) or scene.denied(DENIED, other.end):
        return
    start, end = min(framework.start, other.start), max(framework.end, other.end)
    platforms = scene.platforms(start)
    if other.product == "python":
        yield from python(
            facts, said, other, platforms, (start, end), exclusive=scene.says(ONLY, other.start)
        )
        return
    builds = gpu_builds(facts, "tensorflow", said, platforms)
    if not builds:
        yield from no_windows(facts, said, (start, end))
        builds = gpu_builds(facts, "tensorflow", said, ("windows", "linux"))
    if builds:
        check = _cuda if other.product == "cuda" else _cudnn
        yield from check(builds, said, other.low, (start, end))


def no_windows(facts: Facts, said: str, span: tuple[int, int]) -> Iterator[Raw]:
    last = last_gpu(facts, "tensorflow", "windows")
    builds = gpu_builds(facts, "tensorflow", said, ("linux",))
    if last is None or not builds or version(builds[0].version) <= version(last.version):
        return
    linux = builds[0]
    params = {
        "version": line(said), "last": line(last.version), "cuda": str(linux.cuda), "cudnn": str(linux.cudnn),
        "last_cuda": str(last.cuda), "last_cudnn": str(last.cudnn),
    }  # fmt: skip
    yield Raw(
        "no-windows-gpu", "wrong", Message("audit.no-windows-gpu", params), Message("audit.no-windows-gpu-right", params),
        linux.source, *span,
    )  # fmt: skip


def _cuda(builds: tuple[Build, ...], said: str, claimed: str, span: tuple[int, int]) -> Iterator[Raw]:
    if any(b.cuda and line(b.cuda) == line(claimed) for b in builds):
        return
    build = builds[0]
    own, asked = version(str(build.cuda)), version(claimed)
    params = {"version": said, "claimed": line(claimed), "cuda": str(build.cuda), "cudnn": str(build.cudnn)}
    newer = own.major == asked.major >= FIRST_SHARED_MAJOR and asked > own
    rule = "cuda-newer-minor" if newer else "cuda-other"
    yield _raw(rule, "fine-if" if newer else "wrong", params, build.source, span)


def _cudnn(builds: tuple[Build, ...], said: str, claimed: str, span: tuple[int, int]) -> Iterator[Raw]:
    """TensorFlow takes a cuDNN of the same major that is not older than the one it was compiled with."""
    asked = version(claimed)
    for build in builds:
        own = version(str(build.cudnn))
        if own.major == asked.major and asked.release[:2] >= own.release[:2]:
            return
    build = builds[0]
    params = {"version": said, "claimed": claimed, "cuda": str(build.cuda), "cudnn": str(build.cudnn)}
    yield _raw("cudnn-other", "wrong", params, build.source, span)


def python(
    facts: Facts,
    said: str,
    other: Mention,
    platforms: tuple[Platform, ...],
    span: tuple[int, int],
    *,
    exclusive: bool = False,
) -> Iterator[Raw]:
    """Judge a Python, or a range of them, against the wheels."""
    known = pythons(facts, "tensorflow", said, platforms)
    low, high = (version(line(text)) for text in (other.low, other.high))
    if not known or low.major not in {2, 3} or low.minor > 30:
        return
    first, last = version(known[0]), version(known[-1])
    params = {"version": said, "claimed": _span(str(low), str(high)), "first": known[0], "last": known[-1]}
    source = wheels_source(facts, "tensorflow")
    if low < first or high > last:
        yield _raw("python-no-wheel", "wrong", params, source, span)
    elif low != high and (low, high) != (first, last) and exclusive:
        yield _raw("python-narrow", "fine-if", params, source, span)


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low}-{high}"


def _raw(rule: str, severity: Severity, params: dict[str, str], source: Source, span: tuple[int, int]) -> Raw:
    problem, right = Message(f"audit.{rule}", params), Message(f"audit.{rule}-right", params)
    return Raw(rule, severity, problem, right, source, *span)
