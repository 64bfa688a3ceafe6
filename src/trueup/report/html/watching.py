"""Graphs of a log of `trueup watch`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from trueup.report.html.charts import Line, line_chart
from trueup.report.html.markup import Html, Part, el, section, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trueup.report.html.material import Material

    Samples = Sequence[Mapping[str, Any]]


def watching(material: Material) -> Html | None:
    if not material.samples and material.verdict is None:
        return None
    return section("watch", words("h-watch"), *_parts(material))


def _parts(material: Material) -> Iterator[Html]:
    if material.verdict is not None:
        yield el("p", str(material.verdict.get("text", "")), class_="lead quote")
    if material.skipped:
        yield el("p", words("skipped", count=material.skipped))
    if not material.samples:
        return
    at = _times(material.samples)
    yield el("p", words("watched", count=len(at), minutes=f"{(at[-1] - at[0]) / 60:.1f}"))
    for index in _cards(material.samples):
        yield from _card(material.samples, at, index)
    yield el("h3", words("watch-host"))
    load = [Line(words("cpu-percent"), _of_host(material.samples, at, "cpu_percent"))]
    load.append(Line(words("disk-percent"), _of_host(material.samples, at, "disk_busy_percent")))
    yield line_chart("watch-host", words("chart-host"), load, words("seconds"), least=0.0, most=100.0)


def _times(samples: Samples) -> list[float]:
    """Return seconds since the first sample; a clock that was set back goes no further back than the one before."""
    moments = [_moment(sample) for sample in samples]
    start, found = moments[0], [0.0]
    for moment in moments[1:]:
        found.append(max(found[-1], moment - start))
    return found


def _moment(sample: Mapping[str, Any]) -> float:
    try:
        return datetime.fromisoformat(str(sample["time"]).replace("Z", "+00:00")).timestamp()
    except (KeyError, ValueError):
        value = sample.get("elapsed_s")
        return float(value) if isinstance(value, (int, float)) else 0.0


def _cards(samples: Samples) -> list[int]:
    return sorted({int(card.get("index", 0)) for sample in samples for card in _list(sample)})


def _list(sample: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = sample.get("gpus")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _card(samples: Samples, at: Sequence[float], index: int) -> Iterator[Html]:
    name = next(
        (str(c["name"]) for s in samples for c in _list(s) if c.get("index") == index and "name" in c), ""
    )
    yield el("h3", words("watch-card", index=index, name=name))

    def line(label: Part, field: str) -> Line:
        return Line(label, _of_card(samples, at, index, field))

    busy = [line(words("sm-percent"), "sm_percent"), line(words("access-percent"), "memory_busy_percent")]
    yield line_chart(
        f"watch-{index}-busy", words("chart-busy"), busy, words("seconds"), least=0.0, most=100.0
    )
    for field, least in (("memory_used_mib", 0.0), ("power_w", 0.0), ("temperature_c", None)):
        title = words(f"chart-{field.replace('_', '-')}")
        one = line(words(field.replace("_", "-")), field)
        yield line_chart(f"watch-{index}-{field}", title, [one], words("seconds"), least=least)


def _of_card(
    samples: Samples, at: Sequence[float], index: int, field: str
) -> list[tuple[float, float | None]]:
    cards = (next((c for c in _list(s) if c.get("index") == index), {}) for s in samples)
    return [(moment, _number(card.get(field))) for moment, card in zip(at, cards, strict=True)]


def _of_host(samples: Samples, at: Sequence[float], field: str) -> list[tuple[float, float | None]]:
    hosts = (s["host"] if isinstance(s.get("host"), dict) else {} for s in samples)
    return [(moment, _number(host.get(field))) for moment, host in zip(at, hosts, strict=True)]


def _number(value: Any) -> float | None:
    """Return a number; unknown is a gap, never a zero."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
