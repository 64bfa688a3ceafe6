"""A check-up as text, Markdown and data."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from trueup.report.check_surroundings import surroundings, told
from trueup.report.redact import redact_all
from trueup.report.say import say
from trueup.report.solution import as_data as solution_data
from trueup.report.solution import packages
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings import Checkup, Finding, Remedy
    from trueup.machine.inventory.model import CudaCopy, Environment

SCHEMA = "trueup.check/1"
MARKS = {"ok": "[ok]", "notice": "[--]", "problem": "[!!]", "unknown": "[??]"}
LAYERS = ("system", "card", "driver", "wsl", "python", "framework", "packages", "runtime", "cuda", "settings")


def as_text(checkup: Checkup, lang: str) -> str:
    return "\n".join([*_table(checkup, lang), "", *verdict_lines(checkup, lang), *_harmless(checkup, lang)])


def _table(checkup: Checkup, lang: str) -> Iterator[str]:
    names = {layer: say(Message(f"check.layer-{layer}"), lang) for layer in LAYERS}
    wide = max(map(width, names.values()))
    for finding in in_order(checkup):
        if finding.harmless:
            continue
        name = names[finding.layer] + " " * (wide - width(names[finding.layer]))
        yield f"{MARKS[finding.status]} {name}  {say(finding.text, lang)}"
        if finding.status == "unknown":
            yield from (" " * (wide + 7) + say(why, lang) for why in finding.evidence)


def width(text: str) -> int:
    """Return the columns of a text: Chinese letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def verdict_lines(checkup: Checkup, lang: str) -> Iterator[str]:
    cause = checkup.cause
    if cause is None:
        yield say(Message(f"check.outcome-{checkup.outcome}", {"framework": checkup.framework}), lang)
        if checkup.outcome != "aligned":
            yield "  " + checkup.command
    else:
        yield say(Message("check.cause", {"text": say(cause.text, lang)}), lang)
        yield from (
            "  " + say(Message("check.because", {"text": say(one, lang)}), lang) for one in cause.evidence
        )
        yield ""
        yield say(Message("check.do-this"), lang)
        yield from _remedies(cause, lang)
    if (fits := fits_line(checkup, lang)) is not None:
        yield ""
        yield fits


def _remedies(cause: Finding, lang: str) -> Iterator[str]:
    for number, remedy in enumerate(cause.remedies, 1):
        yield f"  {number}. {remedy_words(remedy, lang)}"
        if remedy.command:
            yield f"       {remedy.command}"


def remedy_words(remedy: Remedy, lang: str) -> str:
    words = [say(remedy.text, lang)]
    words += [say(Message("check.admin"), lang)] if remedy.admin else []
    words += [say(Message("check.restart"), lang)] if remedy.restart else []
    return " ".join(words)


def fits_line(checkup: Checkup, lang: str) -> str | None:
    best = checkup.solution.best
    if best is None:
        return None
    listed = ", ".join(
        f"{name} {version}" for name, version in list(packages(best).items())[: len(best.builds)]
    )
    params = {
        "route": best.route,
        "packages": listed,
        "python": best.python,
        "binding": say(best.binding, lang),
    }
    return say(Message("check.fits", params), lang)


def _harmless(checkup: Checkup, lang: str) -> Iterator[str]:
    """Name what people take for a fault and is none."""
    found = [finding for finding in checkup.findings if finding.harmless]
    if found:
        yield from ("", say(Message("check.harmless"), lang))
        yield from (f"  - {say(finding.text, lang)}" for finding in found)


def in_order(checkup: Checkup) -> list[Finding]:
    """Return the findings layer by layer."""
    return sorted(checkup.findings, key=lambda one: LAYERS.index(one.layer))


def as_data(checkup: Checkup, lang: str) -> dict[str, Any]:
    """Return the answer of `--json`; its schema is `schemas/check-1.json`."""
    numbers = checkup.numbers
    document = {
        "schema": SCHEMA,
        "outcome": checkup.outcome,
        "framework": checkup.framework,
        "cause": _finding(checkup.cause, lang) if checkup.cause else None,
        "findings": [_finding(finding, lang) for finding in checkup.findings],
        "ruled_out": [say(one, lang) for one in checkup.ruled_out],
        "cuda_numbers": {
            "driver": numbers.driver,
            "toolkit": numbers.toolkit,
            "framework": numbers.framework,
        },
        "machine": _machine(checkup, lang),
        "environment": _environment(checkup.subject, lang) if checkup.subject else None,
        "environments": _many(checkup.survey.environments, _brief, lang),
        "cuda_copies": _many(checkup.survey.cuda, _copy, lang),
        "solution": solution_data(checkup.solution, lang),
        **surroundings(checkup.survey, lang),
    }
    cleaned: dict[str, Any] = redact_all(document)
    return cleaned


def _finding(finding: Finding, lang: str) -> dict[str, Any]:
    return {
        "id": finding.id,
        "layer": finding.layer,
        "status": finding.status,
        "harmless": finding.harmless,
        "text": say(finding.text, lang),
        "evidence": [say(one, lang) for one in finding.evidence],
        "remedies": [
            {"text": say(one.text, lang), "command": one.command, "admin": one.admin, "restart": one.restart}
            for one in finding.remedies
        ],
    }


def _many(value: Any, each: Any, lang: str) -> Any:
    return told(value, lang) if isinstance(value, Unknown) else [each(one, lang) for one in value]


def _machine(checkup: Checkup, lang: str) -> dict[str, Any]:
    machine = checkup.survey.machine
    plain = ("arch", "os_build", "os_name", "driver", "cuda_driver", "libc", "glibc", "kernel")
    more = ("disk_free_gb", "long_paths", "vc_runtime")
    return {
        "os": machine.os,
        **{name: told(getattr(machine, name), lang) for name in (*plain, *more)},
        "gpus": _many(machine.gpus, _gpu, lang),
        "pythons": _many(machine.pythons, _python, lang),
        "environment": dict(machine.environment),
    }


def _gpu(gpu: Any, lang: str) -> dict[str, Any]:
    return {
        "name": gpu.name,
        "vendor": gpu.vendor,
        "compute_capability": told(gpu.capability, lang),
        "memory_mb": told(gpu.memory_mb, lang),
        "pci": gpu.pci,
        "model": gpu.model,
        "mig": gpu.mig,
        "mig_slices": told(gpu.mig_slices, lang),
        "free_mb": told(gpu.free_mb, lang),
        "compute_mode": gpu.compute_mode,
    }


def _python(python: Any, lang: str) -> dict[str, Any]:  # noqa: ARG001  # as its siblings
    return {"version": python.version, "bits": python.bits, "kind": python.kind, "path": python.path}


def _brief(environment: Environment, lang: str) -> dict[str, Any]:
    return {
        "path": environment.path,
        "kind": environment.kind,
        "python": environment.python.version,
        "active": environment.active,
        "found_by": list(environment.found_by),
        "frameworks": [
            {
                "framework": build.framework,
                "package": build.package,
                "version": build.version,
                "cuda": told(build.cuda, lang),
                "cudnn": told(build.cudnn, lang),
            }
            for build in environment.builds
        ],
    }


def _environment(environment: Environment, lang: str) -> dict[str, Any]:
    listed = {package.name: package.version for package in reversed(environment.packages)}
    rests = {"leftovers": list(environment.leftovers), "strays": list(environment.strays)}
    return {**_brief(environment, lang), **rests, "finds_own_cuda": environment.hook, "packages": listed}


def _copy(copy: CudaCopy, lang: str) -> dict[str, Any]:
    return {
        "kind": copy.kind,
        "version": told(copy.version, lang),
        "path": copy.path,
        "origin": copy.origin,
        "searched": copy.order is not None,
    }
