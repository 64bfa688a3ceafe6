"""Versions that a text names: `TensorFlow 2.15`, `CUDA 11.8`, `Python 3.8–3.11`, also where signs were lost."""

from __future__ import annotations

import re

from trueup.fit.audit.model import Mention

_NUMBER = r"\d{1,3}(?:\.\d{1,4}){1,3}"
_RANGE = r"\s*(?:-|~|to|through|至|到)\s*"
_GAP = r"""[\s"'`*_(:=v|]*(?:(?:toolkit|sdk|version|versions|版本?|gpu|库|release|driver|is|of|:|=)[\s"'`*_(:=v|]*){0,3}(?:[=><~]{1,2}\s*)?[v\\/]?"""
_NAMES = (
    ("tensorflow", r"(?<![\w-])tensorflow(?:[-_](?:gpu|cpu|intel))?|(?<![\w.-])tf(?=[\s-]?\d\.)"),
    ("torch", r"(?<![\w-])(?:py)?torch(?:vision|audio)?"),
    ("other", r"(?<![\w-])(?:paddle\w*|onnxruntime\w*|jax\w*|mxnet|theano|caffe2?|cupy)"),
    ("cudnn", r"cu-?dnn"),
    ("cuda", r"(?<![\w/])cuda(?:[- ]?toolkit)?(?!nn)"),
    ("python", r"(?<![\w.-])python|(?<=[a-z])(?-i:P)ython"),
    ("driver", r"(?:驱动(?:程序)?(?:版本)?|drivers?)(?:是|为|要求|版本|>=|≥|version|[ :=]){0,3}"),
)
# Between a name and its number other words may stand, as long as no other Latin name does.
_WORDS = r"[^\dA-Za-z\n。]{0,9}"
_MENTION = re.compile(
    "|".join(f"(?P<{product}>{names})" for product, names in _NAMES), re.IGNORECASE | re.ASCII
)
_VERSION = re.compile(
    rf"(?:{_GAP}|{_WORDS})(?P<low>{_NUMBER})(?:(?:{_RANGE})(?P<high>{_NUMBER}))?", re.IGNORECASE | re.ASCII
)
# "TensorFlow 2.13 (needs CUDA 11.2) and 2.15 (needs CUDA 11.8)": the name is not said twice.
_AGAIN = re.compile(
    rf"(?:和|与|,|、|\band\b|\bor\b|/)\s*v?(?P<low>{_NUMBER})(?=\s*\(?(?:需|要|needs|requires|with|:))",
    re.IGNORECASE | re.ASCII,
)
_NOT = re.compile(
    r"(?:\bnot|不是|而非|不要\S{0,3}|不支持|isn't|rather than|instead of|no longer|without|\b无需)\s*(?:the |装|用)?$",
    re.IGNORECASE | re.ASCII,
)


def mentions(text: str, start: int = 0, end: int | None = None) -> list[Mention]:
    """Return the products of a stretch of text in order; one without a version has empty bounds."""
    stop = len(text) if end is None else end
    found = [_mention(text, match, stop) for match in _MENTION.finditer(text, start, stop)]
    for match in _AGAIN.finditer(text, start, stop):
        before = [
            m for m in found if m.product in {"tensorflow", "torch"} and m.low and m.end <= match.start()
        ]
        inside = any(m.start <= match.start("low") < m.end for m in found)
        if before and not inside:
            low = match["low"]
            found.append(Mention(before[-1].product, low, low, match.start("low"), match.end("low")))
    return sorted(found, key=lambda m: m.start)


def _mention(text: str, match: re.Match[str], stop: int) -> Mention:
    product = str(match.lastgroup)
    version = _VERSION.match(text, match.end(), stop)
    denied = _NOT.search(text, max(0, match.start() - 12), match.start())
    if version is None or denied:
        return Mention(product, "", "", match.start(), match.end())
    low, high = version["low"], version["high"] or version["low"]
    return Mention(product, low, high, match.start(), version.end())


def line(version: str, parts: int = 2) -> str:
    """Return "2.15" of "2.15.1"."""
    return ".".join(version.split(".")[:parts])
