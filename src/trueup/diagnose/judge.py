"""Lines and facts to ranked causes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.diagnose.asks import FRAMEWORKS, asks
from trueup.diagnose.catalog import Cause, Rule, by_name, causes
from trueup.diagnose.condition import AnyOf, Circumstances, Compare, Name, names_in
from trueup.diagnose.lookalike import lookalikes
from trueup.diagnose.model import Diagnosis, Finding, Harmless, Observation, Role, Step
from trueup.diagnose.own import own

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.diagnose.condition import Atom

HARMLESS = "harmless-warnings-only"
FAULT, STRONG = 0.5, 0.75
SHOWN, LEAST = 5, 0.12
FURTHER = 0.8
MOST_EVIDENCE = 5
BY_THE_WAY = (
    "text-",
    "log-",
    "in-",
    "gpu-nvidia",
    "gpu-amd",
    "gpu-intel",
    "gpu-none",
    "cpu-",
    "works-",
    "error-",
    "own-",
    "says-",
    "note-",
    "pip-words",
    "access-denied",
)
CARD_UNUSED = ("gpu-list-empty", "cuda-available-false", "tf-not-built", "torch-no-cuda", "jax-cpu")
FAULTS_OF_THEIR_OWN = ("visible-", "stub-path", "nouveau-owns", "linux-driver-in-wsl")
Scored = tuple[float, Cause, Rule]


def judge(observations: tuple[Observation, ...], at: Circumstances) -> Diagnosis:
    """Return the causes that fit, best first."""
    catalog = causes()
    needs_line = "fault:own" in at.names or _without_symptom(observations, at)
    faults = [one for one in _best(at, seen=observations if needs_line else None) if one[1].id != HARMLESS]
    top = max((likely for likely, _, _ in faults), default=0.0)
    names = {"no-fault"} if top < FAULT else set()
    names |= {"no-strong-fault"} if top < STRONG else set()
    final = Circumstances(at.names | names, at.versions)
    ranked = [*faults, *(one for one in _best(final, (catalog[HARMLESS],)) if one[1].id == HARMLESS)]
    ranked.sort(key=lambda one: -one[0])
    findings = _findings(ranked, observations, final)
    if not findings and "fault:own" in at.names:
        return Diagnosis((), _harmless(observations, findings), (), own(observations)[:MOST_EVIDENCE])
    return Diagnosis(
        findings, _harmless(observations, findings), asks(ranked[0][0] if ranked else 0.0, final)
    )


def _without_symptom(seen: tuple[Observation, ...], at: Circumstances) -> bool:
    """Tell a survey beside a log in which nobody misses the card."""
    return "facts:read" in at.names and any(one.line for one in seen) and at.names.isdisjoint(CARD_UNUSED)


def _printed(rule: Rule, seen: tuple[Observation, ...], at: Circumstances) -> bool:
    """Tell whether a rule rests on a printed line: beside an error of the program, facts alone blame nothing.

    Nor do those of a survey beside a log that shows no symptom, but for a setting that takes the card away.
    """
    lines = {
        one.signal
        for one in seen
        if (one.line and not one.signal.startswith(BY_THE_WAY)) or one.signal.startswith(FAULTS_OF_THEIR_OWN)
    }
    asked = frozenset().union(*map(_positive, rule.needs)) & at.names
    return bool(asked & lines) or any(name.partition(":")[0] in RESTS_ON for name in asked)


def _best(
    at: Circumstances, only: Iterable[Cause] | None = None, seen: tuple[Observation, ...] | None = None
) -> list[Scored]:
    """Return the strongest rule that holds of each cause; with `seen`, of those that rest on a printed line."""
    if only is not None:
        held = [(cause, rule) for cause in only for rule in cause.rules]
    else:
        keyed, free = by_name()
        held = [row for name in at.names for row in keyed.get(name, ())]
        held.extend(free)
    best: dict[str, Scored] = {}
    for cause, rule in held:
        known = best.get(cause.id)
        if known is not None and rule.likely <= known[0]:
            continue
        if all(atom.holds(at) == "yes" for atom in rule.needs) and (seen is None or _printed(rule, seen, at)):
            best[cause.id] = (rule.likely, cause, rule)
    order = {name: number for number, name in enumerate(causes())}
    return sorted(best.values(), key=lambda one: order[one[1].id])


def _findings(ranked: list[Scored], seen: tuple[Observation, ...], at: Circumstances) -> tuple[Finding, ...]:
    shown = [one for one in ranked if one[0] >= LEAST][:SHOWN]
    found: list[Finding] = []
    for likely, cause, rule in shown:
        evidence = _evidence(cause, rule, seen, at)
        role = _role(found, likely, evidence)
        facts = tuple(sorted(_facts(rule.needs, at)))
        found.append(
            Finding(
                cause.id,
                cause.layer,
                round(likely, 2),
                evidence,
                facts,
                tuple(lookalikes(cause.unlike, at)) if not found else (),
                _remedy(cause, at),
                role,
            )
        )
    return _shared(found)


def _shared(found: list[Finding]) -> tuple[Finding, ...]:
    """Let the alternatives share what the first cause leaves: only one of them can be the true one."""
    rest = 1 - found[0].confidence if found else 0.0
    weights = sum(one.confidence for one in found[1:] if one.role == "alternative")
    return tuple(
        replace(one, confidence=max(round(rest * one.confidence / weights, 2), 0.01))
        if one.role == "alternative"
        else one
        for one in found
    )


def _remedy(cause: Cause, at: Circumstances) -> tuple[Step, ...]:
    """Name the framework of the case in the steps that ask for one."""
    framework = next(
        (name for short, name in FRAMEWORKS.items() if f"framework:{short}" in at.names), "tensorflow"
    )
    return tuple(Step(step.id, {"framework": framework, **step.params}) for step in cause.remedy)


def _role(found: list[Finding], likely: float, evidence: tuple[Observation, ...]) -> Role:
    if not found:
        return "cause"
    used = {one.line for finding in found for one in finding.evidence}
    own = any(one.line and one.line not in used for one in evidence)
    return "further" if likely >= FURTHER and own and found[0].cause != HARMLESS else "alternative"


def _evidence(
    cause: Cause, rule: Rule, seen: tuple[Observation, ...], at: Circumstances
) -> tuple[Observation, ...]:
    """Return the lines that the rule rests on, printed ones before stated ones."""
    asked = frozenset().union(*map(_positive, rule.needs))
    values = {value for name in asked for value in RESTS_ON.get(name.partition(":")[0], ())}
    kept = [one for one in seen if one.signal in asked or values.intersection(one.values)]
    kept = kept or [one for one in seen if one.signal in cause.signals() and one.signal in at.names]
    noise = {one.line for one in seen if one.signal.startswith("harmless-") and one.signal not in asked}
    kept = [one for one in kept if one.line not in noise] or kept
    unique = {(one.line, one.text): one for one in sorted(kept, key=lambda one: (one.line == 0, one.line))}
    return tuple(unique.values())[:MOST_EVIDENCE]


def _positive(atom: Atom) -> frozenset[str]:
    return names_in(atom) if isinstance(atom, (Name, AnyOf)) else frozenset()


def _facts(needs: Iterable[Atom], at: Circumstances) -> set[tuple[str, str]]:
    facts = set()
    for atom in needs:
        if isinstance(atom, Compare):
            facts.add((atom.name, ", ".join(map(str, at.versions.get(atom.name, ())))))
        elif isinstance(atom, AnyOf):
            facts |= _facts((one for one in atom.inner if one.holds(at) == "yes"), at)
        elif isinstance(atom, Name) and ":" in atom.name:
            subject, _, value = atom.name.partition(":")
            facts |= {(name, _stated(name, at)) for name in RELATED.get(subject, ()) if at.versions.get(name)}
            facts |= {("os", value)} if subject == "os" else set()
    return facts


RELATED = {
    "cuda": ("cuda", "need-cuda"),
    "cudnn": ("cudnn", "need-cudnn"),
    "loaded": ("loaded", "wanted", "cudnn"),
    "card": ("cap", "built-cuda"),
    "driver": ("driver", "driver-cuda", "built-cuda"),
    "python": ("python", "tf", "torch"),
    "missing": ("need-cuda", "need-cudnn"),
}


RESTS_ON = {
    "missing": ("lib",),
    "loaded": ("loaded", "loaded-major"),
    "list": ("want",),
    "wheel": ("wheel-py",),
}


def _stated(name: str, at: Circumstances) -> str:
    return ", ".join(map(str, at.versions[name]))


def _harmless(seen: tuple[Observation, ...], findings: tuple[Finding, ...]) -> tuple[Harmless, ...]:
    used = {one.line for one in findings[0].evidence} if findings and findings[0].cause != HARMLESS else set()
    rows = {
        one.line: Harmless(one.signal, one.line, one.text)
        for one in seen
        if one.signal.startswith("harmless-") and one.line and one.line not in used
    }
    return tuple(rows.values())
