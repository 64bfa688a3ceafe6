"""Runs the program of a fault, reads the machine in that very environment, writes both down."""

from __future__ import annotations

import json
import signal
import subprocess
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from scrub import scrub, scrub_all, trim

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bench import Bench
    from model import Fault

LOG_LIMIT = 200_000
SIGNALLED = 128  # `timeout` and shells add the signal's number
SCRIPT = "train.py"


def record(bench: Bench, fault: Fault, folder: Path) -> int:
    """Make the fault, run, read, take the fault back; return the exit status of the program."""
    with ExitStack() as stack:
        for change in fault.changes:
            stack.enter_context(change(bench))
        variables = bench.variables(fault.variables)
        if fault.program:
            (bench.home / SCRIPT).write_text(fault.program, "utf-8")
        log, code = run(bench, fault, variables)
        machine = survey(bench, variables)
        given = facts(bench, fault, variables)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "log.txt").write_text(cut(scrub(log, bench.source)), "utf-8")
    write(folder / "machine.json", trim(scrub_all(machine, bench.source)))
    write(folder / "facts.json", {"os": fault.place.system, "given": given})
    truth = {"causes": list(fault.truth), "made": fault.made, "place": fault.place.name, "exit": code}
    write(folder / "truth.json", truth)
    return code


def run(bench: Bench, fault: Fault, variables: Mapping[str, str]) -> tuple[str, int]:
    words = [word.format_map(bench.names()) for word in fault.command] or [
        bench.spelled(bench.python),
        SCRIPT,
    ]
    words = ["timeout", "-k", "5", str(fault.seconds), *bench.run_words(words)]
    done = subprocess.run(
        words,
        env=dict(variables),
        cwd=bench.home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=3600,
        check=False,
    )
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode - SIGNALLED in signal.valid_signals():
        text += f"\n{signal.strsignal(done.returncode - SIGNALLED)}\n"  # as a shell tells it
    return text, done.returncode


def survey(bench: Bench, variables: Mapping[str, str]) -> Any:
    """Return what `trueup check --save` writes there."""
    target = bench.home / "machine.json"
    words = ["-m", "trueup", "check", "--env", bench.spelled(bench.env), "--save", bench.spelled(target)]
    command = bench.run_words([bench.reader(), *words])
    environment = dict(variables) | {"PYTHONPATH": bench.spelled(bench.source), "PYTHONUTF8": "1"}
    done = subprocess.run(
        command, env=environment, cwd=bench.home, capture_output=True, text=True, timeout=300, check=False
    )
    if not target.exists():
        raise RuntimeError(done.stderr[-2000:])
    answer = json.loads(target.read_text("utf-8"))
    target.unlink()
    answer["env"].pop("PYTHONPATH", None)
    return answer


def facts(bench: Bench, fault: Fault, variables: Mapping[str, str]) -> dict[str, str]:
    """Return what the user of this environment would state: versions, the card, the driver."""
    stated = {"python": fault.place.python, "install": "pip"}
    name, version = _framework(bench, fault.place.framework)
    if version:
        stated["tensorflow" if name.startswith("tensorflow") else "framework"] = (
            version if name.startswith("tensorflow") else f"{name} {version}"
        )
    if "NVCUDA_NAME" in variables:
        stated["gpu"] = variables["NVCUDA_NAME"]
    if "NVML_DRIVER" in variables:
        stated["driver"] = variables["NVML_DRIVER"]
    stated |= fault.given
    return {key: value for key, value in stated.items() if value}


def _framework(bench: Bench, name: str) -> tuple[str, str]:
    found = sorted(bench.site.glob(f"{name.replace('-', '_')}-*.dist-info"))
    return name, found[0].name.removesuffix(".dist-info").split("-")[1] if found else ""


def cut(text: str) -> str:
    """Keep the start and the end of a long log and say so."""
    if len(text) <= LOG_LIMIT:
        return text
    half = LOG_LIMIT // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")
