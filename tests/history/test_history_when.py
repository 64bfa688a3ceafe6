"""Moments as people write them, in both languages."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from trueup.history import When, parse_when

NOW = datetime(2026, 5, 20, 12, 0, tzinfo=timezone(timedelta(hours=8)))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-05-03", "2026-05-03T23:59:59+08:00"),
        ("2026-05-03 14:30", "2026-05-03T14:30:00+08:00"),
        ("2026-05-03T14:30:00Z", "2026-05-03T14:30:00+00:00"),
        ("2026年5月3日", "2026-05-03T23:59:59+08:00"),
        ("2026/5/3", "2026-05-03T23:59:59+08:00"),
        ("3 days ago", "2026-05-17T12:00:00+08:00"),
        ("  A  Week ago ", "2026-05-13T12:00:00+08:00"),
        ("2 hours", "2026-05-20T10:00:00+08:00"),
        ("yesterday", "2026-05-19T12:00:00+08:00"),
        ("3 天前", "2026-05-17T12:00:00+08:00"),
        ("三天前", "2026-05-17T12:00:00+08:00"),
        ("两周前", "2026-05-06T12:00:00+08:00"),
        ("2小时之前", "2026-05-20T10:00:00+08:00"),
        ("1个月以前", "2026-04-20T12:00:00+08:00"),
        ("昨天", "2026-05-19T12:00:00+08:00"),
        ("上周", "2026-05-13T12:00:00+08:00"),
    ],
)
def test_moments(text: str, moment: str) -> None:
    assert parse_when(text, NOW) == When(
        "time", int(datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp())
    )


@pytest.mark.parametrize(("text", "ident"), [("12", 12), ("#7", 7)])
def test_numbers_are_entries(text: str, ident: int) -> None:
    assert parse_when(text, NOW) == When("ident", ident)


@pytest.mark.parametrize("text", ["last-good", "last good", "上次正常"])
def test_the_last_time_it_worked(text: str) -> None:
    assert parse_when(text, NOW) == When("last-good")


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-13-40", "ten moons ago", "999999 years ago", "3天", "-1", "2026-02-30", "#"]
)
def test_no_moments(text: str) -> None:
    assert parse_when(text, NOW) is None
