"""What lies around a card, as data: settings, memory, logs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from trueup.report.say import say
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.machine.inventory.model import Event, Settings, Survey

_NAMES = (
    *("page_file", "tdr_delay", "scheduling", "fast_startup", "power_plan", "min_cpu", "pcie", "app_control"),
    *("driver_library", "path_length", "container", "shell"),
)


def told(value: Any, lang: str) -> Any:
    """Return a value; what is not known as `{"unknown": reason}`."""
    return {"unknown": say(value.why, lang)} if isinstance(value, Unknown) else value


def surroundings(survey: Survey, lang: str) -> dict[str, Any]:
    memory = survey.memory
    return {
        "settings": _settings(survey.settings, lang),
        "memory": told(memory, lang) if isinstance(memory, Unknown) else asdict(memory),
        "driver_resets": _events(survey.resets, lang),
        "quarantined": _events(survey.quarantined, lang),
    }


def _settings(settings: Settings | Unknown, lang: str) -> Any:
    if isinstance(settings, Unknown):
        return told(settings, lang)
    values = {name: told(getattr(settings, name), lang) for name in _NAMES}
    return {**values, "path_dead": list(settings.path_dead)}


def _events(events: tuple[Event, ...] | Unknown | None, lang: str) -> Any:
    return (
        told(events, lang)
        if events is None or isinstance(events, Unknown)
        else [asdict(one) for one in events]
    )
