"""What differs between two sets of facts, in causal order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from packaging.version import InvalidVersion, Version

from trueup.history.model import LAYERS, Change
from trueup.history.shelves import CARDS, COPIES, PATH, cards, copies, folders, plain
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.history.model import Facts
    from trueup.values import Param

_WORDS = {"True": "@history.yes", "False": "@history.no"}
_MISSING = object()
_RELEASES = tuple(
    f"framework/{name}" for name in ("tensorflow", "torch", "jax", "onnxruntime", "paddlepaddle")
)


_ENVIRONMENT = ("python", "framework", "packages")


def compare(before: Facts, after: Facts, *, environment: bool = True) -> tuple[Change, ...]:
    """Return every difference; a value that was not read on one of the two days is told as that, never as a change.

    `environment`: both are about the same one.
    """
    if not environment:
        before, after = (_without_environment(facts) for facts in (before, after))
    found = [*_scalars(before, after), *cards(before, after), *copies(before, after), *folders(before, after)]
    return tuple(sorted(found, key=_place))


def _without_environment(facts: Facts) -> Facts:
    return {key: value for key, value in facts.items() if key.partition("/")[0] not in _ENVIRONMENT}


def _place(change: Change) -> tuple[int, bool, str]:
    return LAYERS.index(change.layer), change.kind == "unread", change.name.lower()


def _scalars(before: Facts, after: Facts) -> Iterator[Change]:
    for key in sorted({*before, *after} - {CARDS, COPIES, PATH}):
        old, new = before.get(key, _MISSING), after.get(key, _MISSING)
        if old == new or _follows(key, before, after) or not _both_read(key, old, new, before, after):
            continue
        change = _scalar(key, _value(old), _value(new))
        if change is not None:
            yield change


def _follows(key: str, before: Facts, after: Facts) -> bool:
    """Tell whether a difference is that of a framework's release, told once."""
    layer, _, name = key.partition("/")
    if layer == "framework" and name.endswith((" CUDA", " cuDNN")):
        release = key.rpartition(" ")[0]
        return bool(before.get(release) != after.get(release))
    named = {
        str(v).partition(" ")[0] for facts in (before, after) for k, v in facts.items() if k in _RELEASES
    }
    return layer == "packages" and name in named


def _both_read(key: str, old: Any, new: Any, before: Facts, after: Facts) -> bool:
    """Tell whether a key that only one side has was looked at on the other: not where no environment was."""
    if old is not _MISSING and new is not _MISSING:
        return True
    layer = key.partition("/")[0]
    if layer in _ENVIRONMENT:
        return "python/version" in before and "python/version" in after
    return layer not in {"settings", "wsl"}


def _value(value: Any) -> Any:
    return None if value is _MISSING else value


def _scalar(key: str, old: Any, new: Any) -> Change | None:
    if old == new:
        return None
    layer, _, name = key.partition("/")
    if isinstance(old, dict):  # what was not known then is no difference now
        return None
    kind = _kind(old, new)
    named = layer in {"system", "settings", "wsl"} or key in _NAMED
    label: Param = f"@history.name-{name}" if named else name
    params: dict[str, Param] = {"name": label, "before": _word(old), "after": _word(new)}
    step = _step(old, new) if layer == "packages" and kind == "changed" else str(kind)
    room = "flag" if kind == "changed" and {old, new} == {"True", "False"} else _room(key)
    return Change(layer, name, kind, old, new, Message(f"history.{room}-{step}", params))


def _room(key: str) -> str:
    layer = key.partition("/")[0]
    own = layer in {"packages", "variables"} or key in {"driver/driver", "python/version"} or key in _RELEASES
    return "interpreter" if key == "python/path" else layer if own else "value"


def _kind(old: Any, new: Any) -> Literal["new", "gone", "changed", "unread"]:
    if isinstance(new, dict):
        return "unread"
    return "gone" if new is None else "new" if old is None else "changed"


_NAMED = ("driver/cuda_driver", "framework/finds_own_cuda")


def _word(value: Any) -> str:
    if value is None or isinstance(value, dict):
        return ""
    return _WORDS.get(value) or plain(str(value))


def _step(old: str, new: str) -> str:
    try:
        return "raised" if Version(new) > Version(old) else "lowered"
    except InvalidVersion:
        return "changed"
