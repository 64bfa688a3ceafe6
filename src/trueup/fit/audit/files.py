"""Which kind of file it is, and the requirements that it lists."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

from trueup.fit.audit.commands import commands, package_of
from trueup.fit.audit.model import Install, Package

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.fit.audit.model import Kind

REQUIREMENT = re.compile(
    r"^[ \t]*(?![-#])(?P<text>[A-Za-z][^#\n]*?)[ \t]*(?=\\?$|[ \t]#|--hash)", re.MULTILINE
)
INDEX = re.compile(r"^\s*(?:-i|--index-url|--extra-index-url|-f|--find-links)[ =]+(?P<url>\S+)", re.MULTILINE)
ITEM = re.compile(r"^[ \t]*-[ \t]+[\"']?(?P<text>[A-Za-z][^#\n\"']*?)[\"']?[ \t]*(?:#.*)?$", re.MULTILINE)
PIP_PART = re.compile(
    r"^(?P<indent>[ \t]*)-[ \t]+pip:[ \t]*\n(?P<body>(?:(?P=indent)[ \t]+.*\n?|[ \t]*\n)+)", re.MULTILINE
)
FROM = re.compile(r"^FROM\s+(?:--platform=\S+\s+)?(?P<image>\S+)", re.MULTILINE | re.IGNORECASE)
CUDA_TAG = re.compile(r"nvidia/cuda:(?P<cuda>\d+\.\d+)[\w.]*(?:-cudnn(?P<cudnn>\d+))?")
PYTHON_TAG = re.compile(r"(?:^|/)python:(?P<python>\d+\.\d+)")
IMAGE_TAG = re.compile(r"tensorflow/tensorflow:(?P<version>\d+\.\d+(?:\.\d+)?)")


def kind_of(name: str, text: str) -> Kind:
    """Return the kind by the file's name; by its content where the name does not say."""
    base = re.split(r"[\\/]", name)[-1].lower()
    if base.endswith(".ipynb") or (base == "-" and text.lstrip().startswith("{") and '"cells"' in text):
        return "notebook"
    if base == "pyproject.toml":
        return "pyproject"
    if base.endswith((".yml", ".yaml")) and re.search(r"^dependencies:", text, re.MULTILINE):
        return "environment"
    if "dockerfile" in base or base == "containerfile":
        return "dockerfile"
    if re.fullmatch(r".*(?:requirements?|constraints?)[\w.-]*\.(?:txt|in)", base):
        return "requirements"
    return "text"


def notebook(text: str) -> tuple[str, tuple[tuple[int, int], ...]] | None:
    """Return the cells' sources as one text, and for each line its cell and line there; None for broken JSON."""
    try:
        cells = json.loads(text)["cells"]
        sources = ["".join(cell.get("source", "")) for cell in cells]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    lines: list[str] = []
    places: list[tuple[int, int]] = []
    for number, source in enumerate(sources, 1):
        for line_number, line in enumerate(source.split("\n"), 1):
            lines.append(line)
            places.append((number, line_number))
    return "\n".join(lines), tuple(places)


def installs(kind: Kind, text: str) -> list[Install]:
    """Return what a file asks to be installed together."""
    if kind == "requirements":
        index = INDEX.search(text)
        return [_whole(text, list(_lines(text)), index["url"] if index else None)]
    if kind == "environment":
        return [_whole(text, list(_items(text)))]
    if kind == "pyproject":
        return [_whole(text, list(_pyproject(text)))]
    if kind == "dockerfile":
        found = list(commands(text))
        return [_whole(text, [*_images(text), *(p for i in found for p in i.packages)]), *found]
    return list(commands(text))


def _whole(text: str, packages: list[Package], index: str | None = None) -> Install:
    return Install("file", tuple(packages), 0, len(text), index)


def _lines(text: str) -> Iterator[Package]:
    for match in REQUIREMENT.finditer(text):
        found = package_of(
            match["text"].replace(" ", ""), match.start("text"), match.end("text"), conda=False
        )
        if found:
            yield found


def _items(text: str) -> Iterator[Package]:
    below = [match.span("body") for match in PIP_PART.finditer(text)]
    start = text.find("dependencies:")
    for match in ITEM.finditer(text, max(start, 0)):
        conda = not any(a <= match.start() < b for a, b in below)
        found = package_of(match["text"].replace(" ", ""), *match.span("text"), conda=conda)
        if found:
            yield found


def _pyproject(text: str) -> Iterator[Package]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    project = data.get("project", {})
    listed = [
        *project.get("dependencies", []),
        *(r for rs in project.get("optional-dependencies", {}).values() for r in rs),
    ]
    listed += [r for rs in data.get("dependency-groups", {}).values() for r in rs if isinstance(r, str)]
    for requirement in listed:
        yield from _found(text, str(requirement).replace(" ", ""), str(requirement))
    if isinstance(project.get("requires-python"), str):
        yield from _found(
            text, f"python{project['requires-python']}".replace(" ", ""), project["requires-python"]
        )
    for name, value in _poetry(data).items():
        number = (
            value if isinstance(value, str) else value.get("version", "") if isinstance(value, dict) else ""
        )
        spec = f"=={number}" if re.fullmatch(r"[\d.]+", number) else number
        yield from _found(text, f"{name}{spec}".replace(" ", "").replace("*", ""), f"{name} = ")


def _poetry(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data.get("tool", {}).get("poetry", {}).get("dependencies", {})
    return found


def _found(text: str, requirement: str, quoted: str) -> Iterator[Package]:
    start = max(text.find(quoted), 0)
    end = text.find("\n", start) if quoted.endswith("= ") else start + len(quoted)
    found = package_of(requirement, start, end if end > start else start + len(quoted), conda=False)
    if found:
        yield found


def _images(text: str) -> Iterator[Package]:
    """Read what the tag of a base image says to be inside."""
    for match in FROM.finditer(text):
        span = match.span("image")
        cuda = CUDA_TAG.search(match["image"])
        if cuda:
            yield Package("cudatoolkit", "", f"=={cuda['cuda']}.*", *span)
            if cuda["cudnn"]:
                yield Package("cudnn", "", f"=={cuda['cudnn']}.*", *span)
        python, tensorflow = PYTHON_TAG.search(match["image"]), IMAGE_TAG.search(match["image"])
        if python:
            yield Package("python", "", f"=={python['python']}.*", *span)
        if tensorflow:
            yield Package("tensorflow", "", f"=={tensorflow['version']}", *span, True)
