"""A moment as a person writes it: a date, "3 days ago", "3 天前", the number of an entry, "last-good"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

_UNITS: Final = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
_CHINESE: Final = {
    "分钟": "minute", "小时": "hour", "个小时": "hour", "天": "day", "日": "day", "周": "week", "个星期": "week",
    "星期": "week", "个月": "month", "月": "month", "年": "year",
}  # fmt: skip
_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "半": 0,
}  # fmt: skip
_DAYS: Final = {
    "now": 0, "today": 0, "今天": 0, "yesterday": 1, "昨天": 1, "前天": 2, "last week": 7, "上周": 7, "上星期": 7,
    "last month": 30, "上个月": 30, "上月": 30,
}  # fmt: skip
_AGO = re.compile(r"(\d{1,6}|[a-z]+)\s+(minute|hour|day|week|month|year)s?(?:\s+ago)?")
_ZH_AGO = re.compile(
    rf"(\d{{1,6}}|[{''.join(k for k in _NUMBERS if not k.isascii())}])\s*({'|'.join(_CHINESE)})[以之]?前"
)
_DAY_ONLY = re.compile(r"\d{4}-\d{2}-\d{2}")
_ZH_DATE = re.compile(r"(\d{4})\s*[年/.]\s*(\d{1,2})\s*[月/.]\s*(\d{1,2})\s*日?")


@dataclass(frozen=True, slots=True)
class When:
    """`at`: seconds since 1970 of `time`, the number of `ident`; 0 for the last time it worked."""

    kind: Literal["time", "ident", "last-good"]
    at: int = 0


def parse_when(text: str, now: datetime) -> When | None:
    """Return the moment, None where the text names none. A day means its end, in the zone of `now`."""
    words = " ".join(text.strip().lower().split())
    if words in {"last-good", "last good", "good", "上次正常", "上次可用"}:
        return When("last-good")
    if re.fullmatch(r"#?\d{1,12}", words):
        return When("ident", int(words.lstrip("#")))
    try:
        moment = _ago(words, now) or _date(words, now)
        return When("time", int(moment.timestamp())) if moment else None
    except (ValueError, OverflowError, OSError):
        return None


def _ago(words: str, now: datetime) -> datetime | None:
    if words in _DAYS:
        return now - timedelta(days=_DAYS[words])
    if found := _AGO.fullmatch(words):
        count, unit = found[1], found[2]
    elif found := _ZH_AGO.fullmatch(words):
        count, unit = found[1], _CHINESE[found[2]]
    else:
        return None
    number = int(count) if count.isdigit() else _NUMBERS.get(count)
    return None if number is None else now - number * _UNITS[unit]


def _date(words: str, now: datetime) -> datetime | None:
    if found := _ZH_DATE.fullmatch(words):
        words = f"{int(found[1]):04}-{int(found[2]):02}-{int(found[3]):02}"
    moment = datetime.fromisoformat(words.upper().replace("Z", "+00:00"))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=now.tzinfo)
    return moment + timedelta(days=1, seconds=-1) if _DAY_ONLY.fullmatch(words) else moment
