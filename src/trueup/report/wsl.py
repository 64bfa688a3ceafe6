"""WSL2 as text and data: every stage, the one next step, the hand-over to editors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.report.say import say
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.keep.wsl.inside import Inside
    from trueup.keep.wsl.model import Distro, Fault, Reading, Stage, Step

SCHEMA: Final = "trueup.wsl/1"


def as_text(found: Reading, stages: Sequence[Stage], distro: Distro | None, lang: str) -> str:
    """Return the stages, what `wsl.exe` complained of, and what is to be done now."""
    lines = [_stage(stage, lang) for stage in stages]
    lines += [line for fault in found.faults for line in ("", *_fault(fault, lang))]
    lines += ["", *conclusion(stages, distro, lang)]
    return "\n".join(lines)


def conclusion(stages: Sequence[Stage], distro: Distro | None, lang: str) -> Iterator[str]:
    """Yield the next step, or how to use what is ready."""
    current = next((stage for stage in stages if stage.state == "next"), None)
    if current is not None and current.step is not None:
        yield from step_lines(current.step, lang)
    elif stages[-1].state == "done" and distro is not None:
        yield from _handover(distro, lang)
    else:
        yield say(Message("wsl.cannot-tell"), lang)


def step_lines(step: Step, lang: str) -> Iterator[str]:
    yield say(Message("wsl.next", {"text": say(step.text, lang)}), lang)
    if step.commands and step.admin:
        yield say(Message("wsl.as-admin"), lang)
    yield from (f"    {command}" for command in step.commands)
    if step.restart and not any(command.startswith("shutdown") for command in step.commands):
        yield say(Message("wsl.then-restart"), lang)
    yield say(Message("wsl.then-again" if step.argv is None else "wsl.or-next"), lang)


def _handover(distro: Distro, lang: str) -> Iterator[str]:
    name = f'"{distro.name}"' if " " in distro.name else distro.name
    yield say(Message("wsl.ready", {"name": distro.name}), lang)
    for code in ("use-up", "use-code", "use-jupyter"):
        yield "  " + say(Message(f"wsl.{code}", {"name": name}), lang)


def _stage(stage: Stage, lang: str) -> str:
    title = say(Message(f"wsl.stage-{stage.name}"), lang)
    now = say(stage.now, lang)
    return say(Message(f"wsl.line-{stage.state}", {"title": title, "now": now}), lang)


def _fault(fault: Fault, lang: str) -> Iterator[str]:
    yield say(Message("wsl.said", {"line": fault.line}), lang)
    yield "  " + say(Message(f"wsl.fault-{fault.name}"), lang)
    yield "  " + say(Message("wsl.fix", {"text": say(Message(f"wsl.fix-{fault.name}"), lang)}), lang)
    yield "  " + say(Message("wsl.source", {"name": fault.source.name}), lang)


def as_data(found: Reading, stages: Sequence[Stage], distro: Distro | None, lang: str) -> dict[str, Any]:
    """Return the `trueup.wsl/1` document of a Windows."""
    return {
        "schema": SCHEMA,
        "side": "windows",
        "ready": all(stage.state in {"done", "unknown"} for stage in stages) and stages[-1].state == "done",
        "distro": distro.name if distro else None,
        "distros": None if isinstance(found.distros, Unknown) else [_distro(one) for one in found.distros],
        "wsl": found.wsl if isinstance(found.wsl, str) else None,
        "kernel": found.kernel if isinstance(found.kernel, str) else None,
        "stages": [_stage_data(stage, lang) for stage in stages],
        "faults": [
            {
                "name": fault.name,
                "code": fault.code,
                "line": fault.line,
                "text": say(Message(f"wsl.fault-{fault.name}"), lang),
                "fix": say(Message(f"wsl.fix-{fault.name}"), lang),
                "source": fault.source.address or fault.source.name,
            }
            for fault in found.faults
        ],
    }


def _stage_data(stage: Stage, lang: str) -> dict[str, Any]:
    step = stage.step
    return {
        "name": stage.name,
        "state": stage.state,
        "now": say(stage.now, lang),
        "step": None
        if step is None
        else {
            "text": say(step.text, lang),
            "commands": list(step.commands),
            "admin": step.admin,
            "restart": step.restart,
        },
    }


def _distro(one: Distro) -> dict[str, Any]:
    uid = one.uid if isinstance(one.uid, int) else None
    return {
        "name": one.name,
        "version": one.version,
        "default": one.default,
        "uid": uid,
        "running": one.running,
    }


def inside_problems(found: Inside) -> tuple[Message, ...]:
    """Return what stands between this distro and the GPU, the worst first."""
    packages = () if isinstance(found.packages, Unknown) else found.packages
    if found.version == 1:
        return (Message("wsl.in-version-1", {"name": found.distro or "DISTRO"}),)
    listed = [
        (not found.device, Message("wsl.in-no-device")),
        (not found.libcuda, Message("wsl.in-no-libcuda")),
        (bool(packages), Message("wsl.in-linux-driver", {"names": ", ".join(packages)})),
    ]
    return tuple(message for wrong, message in listed if wrong)


def inside_text(found: Inside, lang: str) -> str:
    """Return how it looks from inside."""
    problems = inside_problems(found)
    lines = [say(message, lang) for message in _inside_facts(found)]
    lines += [say(Message("wsl.in-problem", {"text": say(one, lang)}), lang) for one in problems]
    if not problems:
        lines += ["", say(Message("wsl.in-good"), lang), *(say(m, lang) for m in _inside_use())]
    return "\n".join(lines)


def _inside_facts(found: Inside) -> Iterator[Message]:
    yield Message("wsl.in-is", {"name": found.distro or "-", "version": found.version})
    if found.libcuda:
        yield Message("wsl.in-driver" if found.smi else "wsl.in-driver-no-smi")
    if isinstance(found.packages, Unknown):
        yield found.packages.why
    if not isinstance(found.memory, Unknown):
        yield Message("wsl.in-memory", {"gb": f"{found.memory.total / 1024:.1f}"})
    if found.slow:
        yield Message("wsl.in-slow")


def _inside_use() -> Iterator[Message]:
    yield from (Message(f"wsl.in-use-{name}") for name in ("code", "jupyter"))


def inside_data(found: Inside, lang: str) -> dict[str, Any]:
    """Return the `trueup.wsl/1` document of a distro."""
    memory = None if isinstance(found.memory, Unknown) else found.memory.total
    return {
        "schema": SCHEMA,
        "side": "inside",
        "ready": not inside_problems(found),
        "distro": found.distro or None,
        "version": found.version,
        "device": found.device,
        "libcuda": found.libcuda,
        "linux_drivers": None if isinstance(found.packages, Unknown) else list(found.packages),
        "memory_mb": memory,
        "slow_folder": found.slow,
        "problems": [{"code": one.code, "text": say(one, lang)} for one in inside_problems(found)],
    }
