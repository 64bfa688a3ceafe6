"""`trueup fit-batch`: the largest batch, measured in children until out of memory, and what each remedy gives."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.bench_env import Target
    from trueup.cli.bench_samples import Watcher
    from trueup.cli.session import Session
    from trueup.proof.batch import Options, Study
    from trueup.proof.model import Expected

MIB = 1 << 20
START, MOST = 32, 65536
LEAST_ROOM = 600.0  # MB below which a training on the CPU is not begun
PATIENCE = (
    90.0  # seconds for the steps of a trial on the CPU, which compiles nothing: longer is too slow to use
)
PART = 0.6  # of the memory that is free: the rest of the machine goes on, nothing is swapped


@click.command("fit-batch", cls=SayCommand, help="fit-batch.help")
@click.option("--env", cls=SayOption, default=".venv", metavar="FOLDER", help="bench.help-env")
@click.option(
    "--device", cls=SayOption, type=click.Choice(["gpu", "cpu", "directml"]), help="bench.help-device"
)
@click.option("--model", cls=SayOption, metavar="FILE.py:FUNCTION", help="fit-batch.help-model")
@click.option(
    "--side",
    cls=SayOption,
    type=click.IntRange(8, 2048),
    default=64,
    metavar="NUMBER",
    help="fit-batch.help-side",
)
@click.option(
    "--seconds",
    cls=SayOption,
    type=click.IntRange(20, 7200),
    default=300,
    metavar="NUMBER",
    help="fit-batch.help-seconds",
)
@click.option("--cap", cls=SayOption, type=click.IntRange(100), metavar="MB", help="fit-batch.help-cap")
@click.option("--script", cls=SayOption, is_flag=True, help="fit-batch.help-script")
@click.option("-o", "output", cls=SayOption, metavar="FILE.svg", help="fit-batch.help-output")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="bench.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    env: str,
    device: Expected | None,
    model: str | None,
    side: int,
    seconds: int,
    cap: int | None,
    script: bool,
    output: str | None,
    as_json: bool,
) -> int:
    from trueup.cli.bench import svg_path, write_picture
    from trueup.cli.bench_env import target
    from trueup.cli.bench_samples import Watcher
    from trueup.proof.batch import Options
    from trueup.report import batch as words

    picture, named = svg_path(output), _model(model)
    watcher = Watcher()
    try:
        wanted = target(env, device, card=watcher.card)
        options = Options(START, side, _cap(wanted.device, cap), model=named)
        watcher.start()
        study = _studied(session, wanted, options, watcher, seconds, quiet=as_json)
    finally:
        watcher.stop()
    if as_json:
        session.out_json(words.as_data(study, session.lang))
    else:
        session.out(words.as_text(study, session.lang))
        if script and study.failed is None:
            session.out("\n" + words.script(study, session.lang))
    if picture is not None and study.failed is None:
        write_picture(picture, words.picture(study, session.lang))
        session.talk(session.text("bench.written", path=str(picture)))
    return _status(study)


def _studied(
    session: Session, wanted: Target, options: Options, watcher: Watcher, seconds: int, *, quiet: bool
) -> Study:
    from trueup.proof.batch import Trials, study
    from trueup.report.batch import Steps
    from trueup.report.progress import progress

    taken = Taken(watcher)
    limits = replace(wanted.timeouts, measure=PATIENCE) if wanted.device == "cpu" else wanted.timeouts
    ends = time.monotonic() + seconds
    trials = Trials(wanted.python, wanted.device, wanted.framework, limits, taken.since, ends=ends)
    view = progress(session.talk, quiet=quiet)
    try:
        return study(
            trials.run,
            options,
            expected=wanted.device,
            framework=wanted.framework,
            most=MOST,
            seconds=seconds,
            on_trial=Steps(view, session.lang).show,
        )
    finally:
        view.close()


class Taken:
    """The most memory of the card that was taken since the last question, in units of 10^6 bytes."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher, self._seen = watcher, 0

    def since(self) -> float | None:
        from trueup.watch.classify.trace import known

        new = self._watcher.samples[self._seen :]
        self._seen += len(new)
        used = [known(gpu.memory_used) for one in new for gpu in one.cards.gpus]
        most = max((value for value in used if value is not None), default=None)
        return None if most is None else round(most * MIB / 1e6, 1)


def _model(name: str | None) -> str | None:
    """Return `FILE.py:function` with the whole path of its file."""
    if name is None:
        return None
    file, _, function = name.rpartition(":")
    path = Path(file).absolute()
    if not function.isidentifier() or not path.is_file():
        raise TrueupError(Message("fit-batch.bad-name", {"name": name}), Message("fit-batch.bad-name-hint"))
    return f"{path}:{function}"


def _cap(device: str, asked: int | None) -> float:
    """Return what a training on the CPU may take, in MB, so that the machine never swaps."""
    import psutil

    free = psutil.virtual_memory().available / 1e6
    cap = min(float(asked), PART * free) if asked else PART * free
    if device == "cpu" and PART * free < LEAST_ROOM:
        params = {"free": f"{free:.0f}", "needed": f"{LEAST_ROOM / PART:.0f}"}
        raise TrueupError(Message("fit-batch.no-room", params), Message("fit-batch.no-room-hint"))
    return round(cap, 1)


def _status(study: Study) -> int:
    failed = study.failed
    if failed is None:
        return 0
    fell_back = failed.outcome is not None and failed.outcome.value == "cpu-fallback"
    return 4 if fell_back else 1
