"""WHAT CHANGED: every check, build and proof in SQLite, and what differs since it last worked."""

from trueup.history.compare import compare
from trueup.history.flatten import flatten, key_of
from trueup.history.model import Change, Entry, Facts, Kind, Reach
from trueup.history.store import Limits, Store, Trouble
from trueup.history.when import When, parse_when

__all__ = [
    "Change",
    "Entry",
    "Facts",
    "Kind",
    "Limits",
    "Reach",
    "Store",
    "Trouble",
    "When",
    "compare",
    "flatten",
    "key_of",
    "parse_when",
]
