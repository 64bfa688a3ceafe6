"""The bill of materials: CycloneDX 1.6, from the wheels' own metadata."""

from __future__ import annotations

import json
import re
import uuid
import zipfile
from email.parser import HeaderParser
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from packaging.utils import parse_wheel_filename

from trueup import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message
    from pathlib import Path

NAME: Final = "sbom.cdx.json"
SDIST: Final = re.compile(r"(?P<name>.+)-(?P<version>[^-]+)\.(?:tar\.gz|zip)")
CLASSIFIER: Final = "License :: "
MOST_TEXT: Final = 200  # some write the whole licence into the field for its name


def document(folder: Path, sums: Mapping[str, str], made: str) -> str:
    """Return the document for the files of a bundle."""
    components = [_component(folder, name, value) for name, value in sorted(sums.items()) if _counts(name)]
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(sorted(sums.items())))
    text: dict[str, Any] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "timestamp": made,
            "tools": {"components": [{"type": "application", "name": "trueup", "version": __version__}]},
            "component": {"type": "application", "bom-ref": "bundle", "name": "trueup-bundle"},
        },
        "components": components,
        "dependencies": [{"ref": "bundle", "dependsOn": [one["bom-ref"] for one in components]}],
    }
    return json.dumps(text, ensure_ascii=False, indent=1) + "\n"


def _counts(name: str) -> bool:
    return name.startswith(("wheels/", "build/", "tools/", "python/"))


def _component(folder: Path, name: str, value: str) -> dict[str, Any]:
    file = name.rpartition("/")[2]
    base: dict[str, Any] = {"bom-ref": name, "hashes": [{"alg": "SHA-256", "content": value}]}
    properties = {"properties": [{"name": "trueup:file", "value": name}]}
    if name.startswith("python/"):
        return {"type": "platform", "name": "cpython", "version": _between(file), **base, **properties}
    project, version = _named(file)
    purl = f"pkg:pypi/{project}@{quote(version, safe='')}?file_name={quote(file, safe='')}"
    about = _licences(folder / name)
    return {
        "type": "library",
        "name": project,
        "version": version,
        **base,
        **about,
        "purl": purl,
        **properties,
    }


def _named(file: str) -> tuple[str, str]:
    if file.endswith(".whl"):
        project, version, _, _ = parse_wheel_filename(file)
        return str(project), str(version)
    found = SDIST.fullmatch(file)
    return (found["name"].lower().replace("_", "-"), found["version"]) if found else (file, "0")


def _between(file: str) -> str:
    found = re.search(r"\d+\.\d+\.\d+", file)
    return found[0] if found else "0"


def _licences(wheel: Path) -> dict[str, Any]:
    """Return the licences as the package states them; nothing where it states none."""
    headers = _metadata(wheel)
    if headers is None:
        return {}
    expression = str(headers.get("License-Expression", "")).strip()
    if expression:
        return {"licenses": [{"expression": expression}]}
    named = [
        str(text).split(" :: ")[-1]
        for text in headers.get_all("Classifier", [])
        if str(text).startswith(CLASSIFIER)
    ]
    stated = " ".join(str(headers.get("License", "")).split())
    if stated and stated != "UNKNOWN" and len(stated) <= MOST_TEXT:
        named.append(stated)
    return {"licenses": [{"license": {"name": name}} for name in dict.fromkeys(named)]} if named else {}


def _metadata(wheel: Path) -> Message | None:
    if wheel.suffix != ".whl":
        return None
    with zipfile.ZipFile(wheel) as archive:
        member = next(
            (n for n in archive.namelist() if n.count("/") == 1 and n.endswith(".dist-info/METADATA")), None
        )
        return HeaderParser().parsestr(archive.read(member).decode("utf-8", "replace")) if member else None
