"""`trueup watch --json`, `--csv` and `--serve`: one sample after the other until the end or Ctrl-C."""

from __future__ import annotations

import csv
import io
import json
import time
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.cli.session import Session
    from trueup.cli.watch import Wanted
    from trueup.watch.model import Sample
    from trueup.watch.sampler import Sampler

GOOD, NO_GPU = 0, 1


def stream(session: Session, wanted: Wanted) -> int:
    from trueup.report import watch_data as data
    from trueup.watch.sampler import Sampler

    seen = False
    with ExitStack() as stack:
        log = Log(session, wanted.log)
        stack.callback(log.close)
        page = stack.enter_context(closing(Page(session, wanted))) if wanted.serve is not None else None
        sampler = stack.enter_context(closing(Sampler()))
        if wanted.csv:
            session.out(row(data.COLUMNS))
        for sample in samples(sampler, wanted.interval, 1 if wanted.once else wanted.count):
            seen = seen or any(gpu.trouble is None for gpu in sample.cards.gpus)
            log.add(sample)
            if page is not None:
                page.sample = sample
            elif wanted.json:
                session.out(line(sample, session.lang))
            else:
                session.out("\n".join(row(cells) for cells in data.as_rows(sample)))
    return GOOD if seen else NO_GPU


def samples(sampler: Sampler, interval: float, count: int | None) -> Iterator[Sample]:
    """Yield a sample each interval. The first look is not told: it has no rates."""
    sampler.take()
    next_at = time.monotonic() + min(interval, 1.0)
    taken = 0
    while count is None or taken < count:
        time.sleep(max(0.0, next_at - time.monotonic()))
        yield sampler.take()
        taken += 1
        next_at = max(next_at + interval, time.monotonic())


def line(sample: Sample, lang: str) -> str:
    from trueup.report.watch_data import as_data

    return json.dumps(as_data(sample, lang), ensure_ascii=False, allow_nan=False)


def row(cells: object) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)  # type: ignore[arg-type]  # rows of text
    return text.getvalue()


class Log:
    """The file of `--log`, where one is asked for."""

    def __init__(self, session: Session, path: str | None) -> None:
        from trueup.watch.logfile import LogFile

        self._session = session
        self._file = LogFile(path) if path is not None else None

    def add(self, sample: Sample) -> None:
        if self._file is not None and (told := self._file.write(line(sample, self._session.lang))):
            self._session.talk(self._session.say(told))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class Page:
    """The latest sample, served to who asks."""

    def __init__(self, session: Session, wanted: Wanted) -> None:
        from trueup.watch.serve import serve

        self.sample: Sample | None = None
        self._server = serve(wanted.serve or "", self._text, public=wanted.public)
        host, port = self._server.server_address[:2]
        place = f"[{host!s}]:{port}" if ":" in str(host) else f"{host!s}:{port}"
        session.talk(session.text("watch.serving", address=f"http://{place}/metrics"))

    def _text(self) -> str:
        from trueup.report.watch_metrics import as_metrics

        return as_metrics(self.sample) if self.sample is not None else "# no sample yet\n"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
