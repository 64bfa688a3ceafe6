"""What Windows wrote down: faults of the graphics driver, and libraries that Defender took away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.say import notice, problem, unknown
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene


def resets(scene: Scene) -> Iterator[Finding]:
    found = scene.survey.resets
    if isinstance(found, Unknown):
        yield unknown("resets-unknown", "settings", found.why)
    elif found:
        mend = remedies.say("resets-fix", "trueup explain tdr-timeout")
        yield notice("driver-resets", "settings", mend, count=len(found), last=found[0].time[:10])


def quarantined(scene: Scene) -> Iterator[Finding]:
    """Tell of a library that was taken away: a fault where it belongs to the environment and is not there."""
    found = scene.survey.quarantined
    if isinstance(found, Unknown):
        yield unknown("quarantine-unknown", "settings", found.why)
        return
    own = _folder(scene)
    for event in found or ():
        mend = remedies.say("quarantine-fix", "start windowsdefender://threat/")
        mine = own is not None and event.text.lower().startswith(own)
        make = problem if mine and event.gone else notice
        id_ = "defender-took-library" if event.gone else "defender-watches-library"
        yield make(id_, "settings", mend, path=event.text, date=event.time[:10])


def _folder(scene: Scene) -> str | None:
    return scene.subject.path.lower() + "\\" if scene.subject is not None else None
