"""Fetches files of a known hash: several at a time, going on where a broken connection or an ended run stopped."""

from __future__ import annotations

import hashlib
import re
import shutil
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from trueup.facts.harvest.client import Client
from trueup.facts.harvest.refuse import Refused
from trueup.setup.errors import SetupError
from trueup.setup.failures import host
from trueup.setup.files import failed
from trueup.setup.logins import login_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from http.client import HTTPResponse

    from trueup.setup.errors import Kind

AT_ONCE: Final = 4
TRIES: Final = 5  # in a row without a byte more
PAUSE_S: Final = 0.5
PATIENCE_S: Final = 30.0
MOST_BYTES: Final = 16 << 30
RANGE: Final = re.compile(r"bytes (?P<start>\d+)-\d+/(?:\d+|\*)")
PART: Final = ".part"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to fetch. `sha256` None: nobody knows its sum beforehand."""

    name: str
    url: str
    sha256: str | None
    size: int | None = None


@dataclass
class Fetcher:
    """Fetches into one folder. `on_bytes` hears the bytes that came, and those that were there already."""

    folder: Path
    env: Mapping[str, str]
    on_bytes: Callable[[int], None] = lambda _: None
    pause_s: float = field(default_factory=lambda: PAUSE_S)
    patience_s: float = PATIENCE_S
    tries: int = TRIES
    stopped: threading.Event = field(default_factory=threading.Event)

    def all(self, wanted: Iterable[Wanted]) -> None:
        """Fetch all or raise the first SetupError; what came stays for the next run."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = [pool.submit(self.one, file) for file in wanted]
            try:
                done, _ = wait(jobs, return_when=FIRST_EXCEPTION)
                for job in done:
                    job.result()
            finally:
                self.stopped.set()
                pool.shutdown(cancel_futures=True)

    def one(self, wanted: Wanted) -> Path:
        """Return the file once it is whole and its sum is right."""
        target = self.folder / wanted.name
        part = target.with_name(target.name + PART)
        try:
            if self._whole(target, wanted):
                return target
            self._fetch(wanted, part)
            part.replace(target)
        except OSError as error:
            raise failed(error, target) from error
        return target

    def _whole(self, target: Path, wanted: Wanted) -> bool:
        """Tell whether an earlier run has it. A file whose sum nobody knows counts by its last name alone."""
        if not target.is_file():
            return False
        if wanted.sha256 is not None and _sum(target).hexdigest() != wanted.sha256:
            target.unlink()
            return False
        self.on_bytes(target.stat().st_size)
        return True

    def _fetch(self, wanted: Wanted, part: Path) -> None:
        if urlsplit(wanted.url).scheme not in {"http", "https"}:
            shutil.copyfile(local_path(wanted.url), part)
            self.on_bytes(part.stat().st_size)
            return self._check(_sum(part).hexdigest(), wanted, part)
        client = Client(login_for(wanted.url, self.env), self.patience_s, self.env)
        total = _sum(part) if part.is_file() else hashlib.sha256()
        self.on_bytes(part.stat().st_size if part.is_file() else 0)
        without = 0
        while not self.stopped.is_set():
            before = _size(part)
            try:
                total = self._more(client, wanted, part, total)
                return self._check(total.hexdigest(), wanted, part)
            except Refused as refused:
                if "416" in str(refused.message.params.get("detail")):  # what is here is not of this file
                    part.unlink(missing_ok=True)
                without = 0 if _size(part) > before else without + 1
                if without >= self.tries or _final(refused):
                    raise _ours(refused, wanted) from refused
                total = _sum(part) if part.is_file() else hashlib.sha256()
                self.stopped.wait(self.pause_s * 2**without)
        raise SetupError("download", what=wanted.name, host=host(wanted.url), quote="stopped")

    def _more(self, client: Client, wanted: Wanted, part: Path, total: hashlib._Hash) -> hashlib._Hash:
        """Ask for what is missing and append it. A server that does not know ranges sends all anew."""
        have = _size(part)
        if have and have == wanted.size:
            return total
        ask = {"Range": f"bytes={have}-"} if have else {}
        with client.get(wanted.url, ask) as answer:
            if have and not _goes_on(answer, have):
                total = hashlib.sha256()
                self.on_bytes(-have)
                have = 0
            with part.open("ab" if have else "wb") as file:
                for piece in client.chunks(answer, wanted.url, MOST_BYTES):
                    file.write(piece)
                    total.update(piece)
                    self.on_bytes(len(piece))
                    if self.stopped.is_set():
                        raise SetupError("download", what=wanted.name, host=host(wanted.url), quote="stopped")
        return total

    @staticmethod
    def _check(found: str, wanted: Wanted, part: Path) -> None:
        if wanted.sha256 is not None and found != wanted.sha256:
            part.unlink()
            quote = f"sha256 {wanted.sha256}\n       {found}"
            raise SetupError("download-hash", what=wanted.name, host=host(wanted.url), quote=quote)


def _goes_on(answer: HTTPResponse, have: int) -> bool:
    found = RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    return answer.status == 206 and found is not None and int(found["start"]) == have


def _final(refused: Refused) -> bool:
    """Tell whether to ask again would bring the same answer."""
    detail = str(refused.message.params.get("detail", ""))
    asked_again = any(f"HTTP {status}" in detail for status in ("416", "429", "5"))
    return refused.reason == "no-project" or (refused.reason == "index-answer" and not asked_again)


def _ours(refused: Refused, wanted: Wanted) -> SetupError:
    quote = str(refused.message.params.get("detail", refused.reason))
    kind: Kind = "file-gone" if refused.reason == "no-project" else "download"
    return SetupError(kind, what=wanted.name, host=host(wanted.url), quote=quote)


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def _sum(path: Path) -> hashlib._Hash:
    total = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            total.update(piece)
    return total


def local_path(address: str) -> Path:
    """Return the path of a `file:` address or of a plain path."""
    parts = urlsplit(address)
    return Path(url2pathname(unquote(parts.path))) if parts.scheme == "file" else Path(address)
