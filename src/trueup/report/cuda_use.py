"""What `trueup cuda use` would do to an environment, and did, as text and data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.report.redact import redact_all
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.keep.cuda.bring import Bringing, Item
    from trueup.keep.cuda.use import Choice
    from trueup.machine.inventory.model import Environment
    from trueup.setup.changes import Change
    from trueup.values import Param

SCHEMA: Final = "trueup.cuda-use/1"


def _say(lang: str, code: str, **params: Param) -> str:
    return say(Message(f"cuda.{code}", params), lang)


def outcome_text(outcome: str, version: str, env: str, lang: str) -> str:
    return _say(lang, f"use-{outcome}", version=version, env=env)


def toolkit_text(choice: Choice, changes: Sequence[Change], lang: str) -> str:
    lines = [_say(lang, "use-write", path=change.name) for change in changes]
    lines += [f"  {folder}" for folder in choice.folders]
    lines += [_say(lang, "add-note", text=say(note, lang)) for note in choice.notes]
    return "\n".join(lines)


def wheels_text(bringing: Bringing, because: Message | None, lang: str) -> str:
    """Return what would come, what would make room, how large it is, and why it is just these."""
    env, line = bringing.environment.path, bringing.wanted.line
    lines = [_say(lang, "use-because", text=say(because, lang))] if because else []
    lines += [say(why, lang) for why in bringing.wanted.why]
    if bringing.items:
        total = size(bringing.download, lang)
        lines.append(
            _say(lang, "use-head", line=line, env=env, size=total, disk=size(bringing.unpacked, lang))
        )
        lines += [_item(item, lang) for item in bringing.items]
    named = {item.name for item in bringing.items}
    others = [f"{name} {version}" for name, version in bringing.aside if name not in named]
    if others:
        lines.append("  " + _say(lang, "use-aside", names=", ".join(others)))
    if bringing.aside:
        lines.append("  " + _say(lang, "use-aside-where", env=env))
    if bringing.kept:
        lines.append("  " + _say(lang, "use-kept", names=", ".join(f"{n} {v}" for n, v in bringing.kept)))
    lines += ["  " + _say(lang, "add-note", text=note) for note in _notes(bringing, lang)]
    return "\n".join(lines)


def _item(item: Item, lang: str) -> str:
    params = {"name": item.name, "version": item.version, "size": size(item.download, lang)}
    if item.before is None:
        return "  " + _say(lang, "use-adds", **params)
    return "  " + _say(lang, "use-replaces", **params, before=item.before)


def _notes(bringing: Bringing, lang: str) -> Iterator[str]:
    yield from (say(note, lang) for note in bringing.wanted.notes)
    if bringing.cached:
        yield _say(lang, "use-cached")


def size(count: int | None, lang: str) -> str:
    if count is None:
        return _say(lang, "copy-size-unknown")
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def toolkit_data(choice: Choice, changes: Sequence[Change], outcome: str, lang: str) -> dict[str, Any]:
    told = {
        **_common(choice.environment, outcome, choice.version),
        "source": "toolkit",
        "folders": list(choice.folders),
        "writes": [change.name for change in changes],
        "notes": [say(note, lang) for note in choice.notes],
    }
    return _redacted(told)


def wheels_data(bringing: Bringing, because: Message | None, outcome: str, lang: str) -> dict[str, Any]:
    told = {
        **_common(bringing.environment, outcome, bringing.wanted.line),
        "source": "wheels",
        "because": say(because, lang) if because else None,
        "why": [say(why, lang) for why in bringing.wanted.why],
        "download_bytes": bringing.download,
        "disk_bytes": bringing.unpacked,
        "wheels": [_wheel(item) for item in bringing.items],
        "aside": [{"name": name, "version": version} for name, version in bringing.aside],
        "kept": [{"name": name, "version": version} for name, version in bringing.kept],
        "notes": list(_notes(bringing, lang)),
    }
    return _redacted(told)


def _wheel(item: Item) -> dict[str, Any]:
    return {
        "name": item.name,
        "version": item.version,
        "before": item.before,
        "download_bytes": item.download,
        "disk_bytes": item.unpacked,
    }


def shown_text(environment: Environment, lang: str) -> str:
    if not environment.chosen:
        return _say(lang, "use-nothing", env=environment.path)
    return "\n".join(
        [_say(lang, "use-chosen", env=environment.path), *(f"  {f}" for f in environment.chosen)]
    )


def shown_data(environment: Environment) -> dict[str, Any]:
    wheels = [
        {"name": one.name, "version": one.version}
        for one in environment.packages
        if one.name.startswith("nvidia-")
    ]
    chosen = list(environment.chosen)
    source = "toolkit" if chosen else "wheels" if wheels else None
    told = {**_common(environment, "shown", None), "source": source, "folders": chosen, "kept": wheels}
    return _redacted(told)


def _common(environment: Environment, outcome: str, version: str | None) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "outcome": outcome,
        "env": environment.path,
        "cuda": version,
        "because": None,
        "why": [],
        "folders": [],
        "writes": [],
        "download_bytes": None,
        "disk_bytes": None,
        "wheels": [],
        "aside": [],
        "kept": [],
        "notes": [],
    }


def _redacted(told: dict[str, Any]) -> dict[str, Any]:
    cleaned: dict[str, Any] = redact_all(told)
    return cleaned
