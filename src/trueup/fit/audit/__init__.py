"""What a text claims about versions, installs and advises, judged against the facts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trueup.fit.audit import advice, files, numbers, packages, pairs, tables
from trueup.fit.audit.known import newest_of
from trueup.fit.audit.mentions import line, mentions
from trueup.fit.audit.model import SEVERITIES, Audit, Finding, Mention, Place, Raw
from trueup.fit.audit.plain import Plain
from trueup.fit.audit.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.facts import Facts
    from trueup.fit.audit.model import Install, Kind, System

__all__ = ["SEVERITIES", "Audit", "Finding", "Place", "audit"]

FREE_TEXT = frozenset({"text", "notebook", "dockerfile"})


def audit(text: str, name: str, facts: Facts, system: System | None = None) -> Audit:
    """Judge one text. `name`: the file's name, which says its kind. `system`: overrides what the text says."""
    kind = files.kind_of(name, text)
    cells: tuple[tuple[int, int], ...] = ()
    if kind == "notebook":
        read = files.notebook(text)
        if read is None:
            kind = "text"
        else:
            text, cells = read
    plain = Plain(text, cells, whole=kind not in FREE_TEXT)
    scene = Scene(plain, kind, system)
    installs = files.installs(kind, plain.text)
    couples = list(_couples(plain)) if kind in FREE_TEXT else []
    found = [raw for one, other in couples for raw in pairs.judge(facts, scene, one, other)]
    found += _packages(facts, scene, installs, plain, kind)
    found += advice.judge(scene, plain)
    if kind in FREE_TEXT:
        about = _about(plain, _installed(facts, installs))
        subject = about.most_common(1)[0][0] if about else None
        found += numbers.judge(facts, scene, plain, subject)
        found += _orphans(facts, scene, plain, subject if len(about) == 1 else None)
    asked = sum(len(install.packages) for install in installs)
    return Audit(name, kind, scene.system, _gathered(found, plain), len(couples) + asked, plain.cut)


def _couples(plain: Plain) -> Iterator[tuple[Mention, Mention]]:
    yield from pairs.pairs(plain)
    for row in tables.rows(plain.text):
        subject = next(m for m in row if m.product == "tensorflow")
        yield from ((subject, other) for other in row if other is not subject)


def _orphans(facts: Facts, scene: Scene, plain: Plain, subject: str | None) -> Iterator[Raw]:
    """Judge what is asked for beside the one release that a text is about."""
    for mention in pairs.orphans(plain) if subject else ():
        framework = Mention("tensorflow", str(subject), str(subject), mention.start, mention.end)
        yield from pairs.judge(facts, scene, framework, mention)


def _packages(facts: Facts, scene: Scene, installs: list[Install], plain: Plain, kind: Kind) -> Iterator[Raw]:
    own = None if kind in {"requirements", "environment", "pyproject"} else _python(installs, plain)
    for install in installs:
        yield from packages.judge(packages.Ask(facts, scene, install, own))


def _python(installs: list[Install], plain: Plain) -> str | None:
    """Return the Python of the environments that a text makes, where it is one."""
    named = {
        pin["number"]
        for install in installs
        for package in install.packages
        if package.name == "python" and (pin := packages.PINNED.match(package.spec))
    }
    if not named:
        named = {
            line(m.low) for m in mentions(plain.text) if m.product == "python" and m.low == m.high and m.low
        }
    return line(named.pop()) if len(named) == 1 else None


def _installed(facts: Facts, installs: list[Install]) -> Counter[str]:
    """Count the lines of TensorFlow that a text installs, "2.10"; one without a version is the newest."""
    asked = [
        package.spec
        for install in installs
        for package in install.packages
        if package.name in packages.TENSORFLOW and (package.spec or install.alone)
    ]
    return Counter(line(release) for spec in asked if (release := newest_of(facts, "tensorflow", spec)))


def _about(plain: Plain, installed: Counter[str]) -> Counter[str]:
    """Return the lines of TensorFlow that a text is about: those that it installs, else those that it names."""
    return installed or Counter(
        line(m.low) for m in mentions(plain.text) if m.product == "tensorflow" and m.low
    )


def _gathered(found: Iterable[Raw], plain: Plain) -> tuple[Finding, ...]:
    """Return each fault once with its places: the gravest first, then as they stand in the text."""
    groups: dict[object, list[Raw]] = {}
    for raw in sorted(found, key=lambda r: (SEVERITIES.index(r.severity), r.start, r.end)):
        group = groups.setdefault((raw.rule, tuple(sorted(raw.problem.params.items()))), [])
        if not group or raw.start >= group[-1].end:
            group.append(raw)
    return tuple(
        Finding(
            first.rule, first.severity, first.problem, first.right, first.source,
            tuple(plain.place(raw.start, raw.end) for raw in group),
        )
        for group in groups.values()
        for first in group[:1]
    )  # fmt: skip
