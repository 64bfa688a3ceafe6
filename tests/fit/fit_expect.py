"""What a described question expects of its answer, key by key."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from packaging.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Answer = dict[str, Any]


def misses(expect: dict[str, Any], answer: Answer) -> Iterator[str]:
    """Yield the expectations that an answer does not meet, with what it says instead."""
    for key, wanted in expect.items():
        if not CHECKS[key](answer, wanted):
            yield f"{key}: wanted {wanted}; status {answer['status']}, best {_short(answer['best'])}"


def _short(best: Answer | None) -> Any:
    return best and {key: best[key] for key in ("route", "packages", "python", "cuda", "kernels", "changes")}


def _best(answer: Answer) -> Answer:
    best: Answer = answer["best"] or {}
    return best


def _packages(answer: Answer, wanted: dict[str, str]) -> bool:
    return all(_best(answer).get("packages", {}).get(name, "").startswith(v) for name, v in wanted.items())


def _packages_max(answer: Answer, wanted: dict[str, str]) -> bool:
    has = _best(answer).get("packages", {})
    return all(name in has and Version(Version(has[name]).public) <= Version(v) for name, v in wanted.items())


def _cuda(answer: Answer) -> Version | None:
    said = _best(answer).get("cuda")
    return Version(said) if said else None


def _least(answer: Answer, wanted: str) -> bool:
    has = _cuda(answer)
    return has is not None and has >= Version(wanted)


def _most(answer: Answer, wanted: str) -> bool:
    has = _cuda(answer)
    return has is not None and has <= Version(wanted)


def _rejected(answer: Answer, wanted: dict[str, list[str]]) -> bool:
    rules: dict[str, set[str]] = {}
    for rejection in answer["rejected"]:
        rules.setdefault(rejection["route"], set()).update(reason["rule"] for reason in rejection["reasons"])
    return all(
        any(w in rule for rule in rules.get(route, ()) for w in words) for route, words in wanted.items()
    )


def _note(answer: Answer, wanted: str) -> bool:
    words = {"one-or-two-environments": "environment"}.get(wanted, wanted)
    said = json.dumps(answer, ensure_ascii=False).lower()
    return any(word.lower() in said for word in re.split(r"\s*\|\s*", words))


CHECKS: dict[str, Callable[[Answer, Any], bool]] = {
    "status": lambda a, w: a["status"] == w,
    "status_in": lambda a, w: a["status"] in w,
    "not_status": lambda a, w: a["status"] != w,
    "route": lambda a, w: _best(a).get("route") in (("linux", "wsl2") if w == "linux_or_wsl2" else (w,)),
    "not_route": lambda a, w: _best(a).get("route") not in w,
    "alternatives": lambda a, w: set(w) <= {other["route"] for other in a["alternatives"]},
    "packages": _packages,
    "packages_max": _packages_max,
    "python": lambda a, w: _best(a).get("python") in w,
    "cuda": lambda a, w: str(_best(a).get("cuda")).startswith(w),
    "cuda_min": _least,
    "cuda_max": _most,
    "kernels": lambda a, w: (a["best"]["kernels"] if a["best"] else "none") in w,
    "change": lambda a, w: any(change["id"] in w for change in _best(a).get("changes", [])),
    "rejected": _rejected,
    "note": _note,
}
