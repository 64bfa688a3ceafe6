"""A package index by the simple API: JSON (PEP 691) where the server has it, HTML (PEP 503) where not."""

from __future__ import annotations

import html.parser
import json
import re
import urllib.parse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packaging.utils import canonicalize_name

from trueup.facts.harvest.client import shown
from trueup.facts.harvest.ranges import open_remote
from trueup.facts.harvest.refuse import Refused
from trueup.facts.harvest.wheel import Wheel, open_wheel

if TYPE_CHECKING:
    from trueup.facts.harvest.client import Client

JSON = "application/vnd.pypi.simple.v1+json"
ACCEPT = f"{JSON}, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
PAGE_MOST = 64 << 20


@dataclass(frozen=True, slots=True)
class IndexFile:
    """One file on offer. `sha256` and `size` are the index's word; None where it does not say."""

    name: str
    address: str
    sha256: str | None
    size: int | None
    yanked: bool


class Index:
    """An index by the address of its simple API, such as `https://host/simple`."""

    def __init__(self, address: str, client: Client) -> None:
        self.address = address.rstrip("/") + "/"
        self._client = client

    def wheels(self, project: str) -> tuple[IndexFile, ...]:
        """Return the wheels of a project, by name."""
        page = urllib.parse.urljoin(self.address, canonicalize_name(project) + "/")
        with self._client.get(page, {"Accept": ACCEPT}) as response:
            kind = response.headers.get_content_type()
            base = response.geturl()
            body = b"".join(self._client.chunks(response, page, PAGE_MOST))
        files = _from_json(body, base) if kind.endswith("json") else _from_html(body, base)
        return tuple(sorted((f for f in files if f.name.endswith(".whl")), key=lambda f: f.name))

    def open(self, file: IndexFile) -> Wheel:
        """Open a wheel: by ranges, or whole and with its hash compared, where the server knows no ranges."""
        opened = open_remote(self._client, file.address)
        return open_wheel(opened.file, file.name, file.sha256, whole=opened.whole)


def _from_json(body: bytes, base: str) -> list[IndexFile]:
    try:
        data = json.loads(body)
        major = str(data["meta"]["api-version"]).partition(".")[0]
        files = [_file(row, base) for row in data["files"]] if major == "1" else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused("index-answer", shown(base), detail="not the JSON of a package index") from error
    if files is None:
        raise Refused("index-answer", shown(base), detail="an API newer than 1")
    return files


def _file(row: dict[str, Any], base: str) -> IndexFile:
    size = row.get("size")
    return IndexFile(
        name=str(row["filename"]),
        address=urllib.parse.urljoin(base, str(row["url"])),
        sha256=_sha256(row.get("hashes", {}).get("sha256")),
        size=size if isinstance(size, int) else None,
        yanked=bool(row.get("yanked")),
    )


def _sha256(text: Any) -> str | None:
    value = str(text or "").lower()
    return value if re.fullmatch(r"[0-9a-f]{64}", value) else None


def _from_html(body: bytes, base: str) -> list[IndexFile]:
    page = _Anchors()
    page.feed(body.decode("utf-8", "replace"))
    base = urllib.parse.urljoin(base, page.base)
    return [_anchor(attributes, base) for attributes in page.found]


def _anchor(attributes: dict[str, str | None], base: str) -> IndexFile:
    address, _, fragment = urllib.parse.urljoin(base, attributes.get("href") or "").partition("#")
    hashes = dict(urllib.parse.parse_qsl(fragment))
    return IndexFile(
        name=urllib.parse.unquote(urllib.parse.urlsplit(address).path).rpartition("/")[2],
        address=address,
        sha256=_sha256(hashes.get("sha256")),
        size=None,
        yanked="data-yanked" in attributes,
    )


class _Anchors(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.base = ""
        self.found: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "a" and attributes.get("href"):
            self.found.append(attributes)
        elif tag == "base":
            self.base = attributes.get("href") or ""
