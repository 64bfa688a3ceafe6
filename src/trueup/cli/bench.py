"""`trueup bench`: short, honest figures of a machine and an environment, against what the card can do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.bench_env import Target
    from trueup.cli.session import Session
    from trueup.proof.bench import Bench, Conditions, Limits
    from trueup.proof.model import Expected
    from trueup.report.bench import Told

FELL_BACK = 4
MOST_SECONDS = 600


@click.command("bench", cls=SayCommand, help="bench.help")
@click.option("--env", cls=SayOption, default=".venv", metavar="FOLDER", help="bench.help-env")
@click.option(
    "--device", cls=SayOption, type=click.Choice(["gpu", "cpu", "directml"]), help="bench.help-device"
)
@click.option(
    "--seconds",
    cls=SayOption,
    type=click.IntRange(10, MOST_SECONDS),
    default=60,
    metavar="NUMBER",
    help="bench.help-seconds",
)
@click.option("--compare", cls=SayOption, metavar="OLD.json", help="bench.help-compare")
@click.option("-o", "output", cls=SayOption, metavar="FILE.svg", help="bench.help-output")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="bench.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    env: str,
    device: Expected | None,
    seconds: int,
    compare: str | None,
    output: str | None,
    as_json: bool,
) -> int:
    from trueup.cli.bench_env import target
    from trueup.cli.bench_samples import Watcher, conditions, memory_of
    from trueup.report import bench as words

    picture = svg_path(output)
    old = _old(compare) if compare else None
    watcher = Watcher()
    try:
        wanted = target(env, device, card=watcher.card)
        watcher.start()
        bench = _measured(session, wanted, seconds, quiet=as_json)
    finally:
        watcher.stop()
    seen = conditions(watcher.before, watcher.samples)
    limits = limits_of(bench, memory_of(watcher.before, watcher.samples))
    told = _judged(bench, limits, seen, old)
    if as_json:
        session.out_json(words.as_data(told, session.lang))
    else:
        session.out(words.as_text(told, session.lang))
    if picture is not None:
        write_picture(picture, words.picture(told, session.lang))
        session.talk(session.text("bench.written", path=str(picture)))
    return _status(told)


def _measured(session: Session, wanted: Target, seconds: int, *, quiet: bool) -> Bench:
    from trueup.proof.bench import measure
    from trueup.report.bench import Steps
    from trueup.report.progress import progress

    view = progress(session.talk, quiet=quiet)
    steps = Steps(view, session.lang)
    try:
        return measure(
            wanted.python,
            wanted.device,
            framework=wanted.framework,
            seconds=seconds,
            timeouts=wanted.timeouts,
            on_step=steps.show,
        )
    finally:
        view.close()


def limits_of(bench: Bench, memory_mb: float | None) -> Limits | None:
    """Return what the card of a bench can do; None where there is no card or nothing is known of it."""
    from trueup.facts import limits
    from trueup.proof.bench import Limits

    if not bench.gpus or bench.expected == "cpu":
        return None
    found = limits.of(bench.gpus[0].rpartition(" (")[0] or bench.gpus[0], memory_mb)
    if found is None:
        return None
    peaks = {"fp32": found.fp32, "tf32": found.tf32, "fp16": found.fp16, "bf16": found.bf16}
    return Limits(found.name, peaks, found.bandwidth_gbs, found.power_w, laptop=found.laptop)


def _judged(bench: Bench, limits: Limits | None, seen: Conditions, old: dict[str, Any] | None) -> Told:
    from trueup.proof.bench import compare, judge
    from trueup.report import bench as words

    changes = compare(*words.values(old, bench)) if old else None
    return words.Told(bench, judge(bench, limits, seen), seen, changes, old)


def _status(told: Told) -> int:
    if told.bench.outcome.value == "cpu-fallback":
        return FELL_BACK
    slower = any(one.kind == "slower" for one in told.changes or ())
    bad = told.bench.outcome.value != "proven" or told.verdict.grade in {"half", "far-below"}
    return 1 if bad or slower else 0


def svg_path(output: str | None) -> Path | None:
    if output is None:
        return None
    path = Path(output)
    if path.suffix.lower() != ".svg" or not path.absolute().parent.is_dir():
        raise TrueupError(Message("bench.bad-output", {"path": output}), Message("bench.bad-output-hint"))
    return path


def write_picture(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        params = {"path": str(path), "why": error.strerror or type(error).__name__}
        raise TrueupError(Message("bench.no-write", params), Message("bench.bad-output-hint")) from error


def _old(name: str) -> dict[str, Any]:
    """Return an earlier answer of `--json`; anything else is the user's mistake."""
    from trueup.report.bench import SCHEMA

    hint = Message("bench.bad-old-hint")
    try:
        data = json.loads(Path(name).read_text("utf-8-sig"))
        good = data["schema"] == SCHEMA and all(
            float(one["rate"]) > 0 and float(one["spread"]) >= 0 and one["name"] and one["unit"]
            for one in data["figures"]
        )
    except OSError as error:
        params = {"path": name, "why": error.strerror or type(error).__name__}
        raise TrueupError(Message("bench.no-old", params), hint) from error
    except (ValueError, KeyError, TypeError):
        good = False
    if not good:
        raise TrueupError(Message("bench.bad-old", {"path": name, "schema": SCHEMA}), hint)
    answer: dict[str, Any] = data
    return answer
