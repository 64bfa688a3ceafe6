"""Install commands out of prose, code and files, also where a page lost its equals signs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from trueup.fit.audit.model import Install, Package

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = re.compile(
    r"(?<![A-Za-z_-])(?P<tool>pip3?|uv pip|uv|poetry|pipenv|conda|mamba|micromamba)\s+(?:env\s+)?(?P<verb>install|create|add)(?=[ \t])"
    r"""(?P<args>(?:(?<=[\s=,])"[^"\n\u2e80-\uffff]*"|(?<=[\s=,])'[^'\n\u2e80-\uffff]*'|\\\n|[^\u2e80-\uffff\n"'`;&|#])*)""",
    re.IGNORECASE | re.ASCII,
)
CONDAS = frozenset({"conda", "mamba", "micromamba"})
NEXT = re.compile(
    r"\s(?:python -m\s+)?(?:pip3?|conda|mamba|python|activate)\s(?=\S)", re.IGNORECASE | re.ASCII
)
INDEX = re.compile(
    r"(?:-i|--index-url|--extra-index-url|-f|--find-links)[ =]+[\"']?(?P<url>https?://[^\s\"'\u2e80-\uffff]+)"
)
TAKES_VALUE = frozenset({"-c", "--channel", "-n", "--name", "-p", "--prefix", "-i", "--index-url", "--extra-index-url",
                         "-f", "--find-links", "-r", "--requirement", "--trusted-host", "--python", "--proxy", "-t", "--target"})  # fmt: skip
KNOWN = (
    "tensorflow-directml-plugin", "tensorflow-directml", "tensorflow-intel", "tensorflow-gpu", "tensorflow-cpu",
    "tensorflow", "torchvision", "torchaudio", "torch-directml", "torch", "pytorch-cuda", "pytorch", "onnxruntime-gpu",
    "onnxruntime", "paddlepaddle-gpu", "paddlepaddle", "jaxlib", "jax", "cudatoolkit", "cuda-toolkit", "cudnn", "numpy", "protobuf",
    "python", "keras",
)  # fmt: skip
WORD = re.compile(
    r"^(?P<name>[A-Za-z][\w.-]*?)(?P<extras>\[[^\]]*\])?(?P<spec>(?:[=<>!~^][=<>!~\d.*, \w+]*)?)$"
)
LOST = re.compile(
    rf"^(?P<name>{'|'.join(KNOWN)})(?P<extras>)(?P<number>\d+(?:\.\d+)+)$", re.IGNORECASE | re.ASCII
)
NUMBER = r"(?P<number>\d+(?:\.\d+)*)"
ALONE = re.compile(r"^(?:[^\n]{0,20}:)?[\s>$%!#*+\-`(\w)~:\\./\[\]]{0,24}$", re.ASCII)


def commands(text: str) -> Iterator[Install]:
    """Yield the install commands of a text."""
    for match in COMMAND.finditer(text):
        tool: Literal["pip", "conda"] = "conda" if match["tool"].lower() in CONDAS else "pip"
        cut = NEXT.search(match["args"])
        args = match["args"][: cut.start()] if cut else match["args"]
        start = match.start("args")
        packages = tuple(_packages(args, start, conda=tool == "conda"))
        index = INDEX.search(args)
        end = start + len(args.rstrip())
        yield Install(
            tool,
            packages,
            match.start(),
            end,
            index["url"] if index else None,
            _alone(text, match.start(), end),
        )


def _alone(text: str, start: int, end: int) -> bool:
    """Say whether a command is a line of its own, but for a prompt or a fence."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    rest = text[end : line_end if line_end >= 0 else len(text)]
    return bool(ALONE.match(text[line_start:start])) and not re.search(
        r"[A-Za-z\u2e80-\uffff]{2}.*[A-Za-z\u2e80-\uffff]{2}", rest.partition("#")[0]
    )


def _packages(args: str, base: int, *, conda: bool) -> Iterator[Package]:
    skip = False
    for word in re.finditer(r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s"'])+""", args):
        text = word[0].strip("\"'`,)")
        if skip or text.startswith("-"):
            skip = text in TAKES_VALUE and not skip
            continue
        package = package_of(text, base + word.start(), base + word.start() + len(word[0]), conda=conda)
        if package:
            yield package


def package_of(text: str, start: int, end: int, *, conda: bool) -> Package | None:
    """Read one requirement; None for what is no requirement, such as a URL or a path."""
    text = text.partition(";")[0].partition("::")[2] or text.partition(";")[0]
    lost = LOST.match(text)
    if lost:
        return Package(lost["name"].lower(), "", _pinned(lost["number"], conda=conda), start, end, conda)
    match = WORD.match(text.strip())
    if match is None:
        return None
    spec = re.sub(r"\s+", "", match["spec"])
    return Package(
        _name(match["name"], conda=conda), match["extras"] or "", _spec(spec, conda=conda), start, end, conda
    )


def _name(name: str, *, conda: bool) -> str:
    plain = re.sub(r"[-_.]+", "-", name).lower()
    return "torch" if conda and plain == "pytorch" else plain


def _pinned(number: str, *, conda: bool) -> str:
    return f"=={number}.*" if conda or number.count(".") < 2 else f"=={number}"


def _spec(spec: str, *, conda: bool) -> str:
    """Return PEP 440; conda's `=2.10=build` is `==2.10.*`, Poetry's `^2.10` is a lower bound here."""
    if spec.startswith("^"):
        number = spec[1:]
        return (
            f">={number},<{int(number.split('.')[0]) + 1}" if re.fullmatch(r"\d+(?:\.\d+)*", number) else ""
        )
    single = re.fullmatch(rf"={NUMBER}\.?\*?(?:=.*)?", spec)
    if single or (conda and (single := re.fullmatch(rf"=={NUMBER}(?:=.*)?", spec))):
        return f"=={single['number']}.*"
    return spec if _valid(spec) else ""


def _valid(spec: str) -> bool:
    try:
        SpecifierSet(spec)
    except InvalidSpecifier:
        return False
    return "===" not in spec
