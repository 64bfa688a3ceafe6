"""The course of a training is kept, thinned, and only that of the device that was announced."""

from __future__ import annotations

import json
from importlib import resources

from trueup.proof.model import Event
from trueup.report.progress import progress
from trueup.report.proof import POINTS, Training


def course(*events: Event) -> list[dict[str, object]]:
    watched = Training(progress(lambda _: None, quiet=True), "en")
    for event in events:
        watched.show(event)
    return watched.course()


def step(number: int, *, phase: str = "train", epoch: int = 1, loss: float = 1.0) -> Event:
    return Event(phase, "/GPU:0", epoch, 2, number, 1000, loss, 0.5)  # type: ignore[arg-type]


def test_steps_go_on_over_epochs_and_end_with_the_last() -> None:
    found = course(*(step(n, epoch=epoch) for epoch in (1, 2) for n in range(1, 1001)))
    assert len(found) <= POINTS + 1
    assert found[0]["step"] == 1
    assert found[-1]["step"] == 2000
    steps = [int(str(one["step"])) for one in found]
    assert steps == sorted(steps)


def test_the_epoch_beside_it_is_no_part_of_it() -> None:
    assert course(step(1, phase="compare")) == []
    assert course(Event("train")) == []


def test_a_loss_that_is_no_number_is_unknown() -> None:
    assert course(step(1, loss=float("nan")))[0]["loss"] is None


def test_the_schema_knows_it() -> None:
    text = resources.files("trueup.report").joinpath("schemas", "verify-1.json").read_text("utf-8")
    assert set(course(step(1))[0]) == set(json.loads(text)["properties"]["course"]["items"]["required"])
