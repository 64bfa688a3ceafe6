"""Bundles of small made wheels, from the loopback index."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from made import FOO, question_of

from trueup.plan.request import LockRequest
from trueup.setup.bundle import own, sums
from trueup.setup.bundle.make import STATE, Made, Maker, partial_of
from trueup.setup.bundle.plan import Ask, Plan, Resolver, plan
from trueup.setup.uv import find

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trueup.fit.model import Alignment

TEXTS = {"README.md": "read me\n"}


def small_tools(platform: str, arch: str, glibc_minor: int | None) -> LockRequest:
    """Stand in for what trueup needs: the loopback index has neither click nor uv."""
    return LockRequest(
        own.OLDEST_PYTHON,
        "windows" if platform == "windows" else "linux",
        arch,
        glibc_minor,
        ("bar==1.0",),
        (),
    )


def planned(folder: Path, asks: Sequence[Ask] | None = None) -> Plan:
    uv = find()
    resolver = Resolver(uv, partial_of(folder) / STATE, lambda _: None)
    return plan(asks or [ask()], uv, resolver=resolver, pythons=False)


def ask(name: str = "here", alignment: Alignment = FOO) -> Ask:
    return Ask(name, ("foo",), alignment, question_of(alignment))


def make(folder: Path, *asks: Ask) -> Made:
    return Maker(planned(folder, asks), folder, find(), TEXTS).make()


def copied(bundle: Path, target: Path) -> Path:
    shutil.copytree(bundle, target)
    return target


def resummed(folder: Path) -> None:
    """Write the list of sums anew, as somebody would who changes more than a file."""
    (folder / sums.NAME).unlink()
    sums.write(folder, {})


@pytest.fixture
def no_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "question", small_tools)


def manifest_of(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "trueup-bundle.json").read_text("utf-8"))
    return found
