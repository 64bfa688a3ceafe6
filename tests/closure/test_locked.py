"""A closure proof of a lock: the wheels' file lists, from a server, and the machine it is for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from make_wheel import wheel
from served import Manner, index

from trueup.facts.catalog import load
from trueup.facts.harvest.client import Client
from trueup.facts.store import table
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.machine.model import Gpu, Machine, Python
from trueup.plan.lock import Artifact, Lock, Locked
from trueup.proof import closure
from trueup.report.closure import as_text

ROW = next(r for r in table("loads")["frameworks"] if ">=2.5" in r["versions"] and r["os"] == "windows")
PARTS = next(r["loads"] for r in table("loads")["files"] if r["file"] == "cudnn64_8.dll")
PC = Machine(
    "windows",
    arch="x86_64",
    os_build="10.0.22631",
    gpus=(Gpu("NVIDIA GeForce RTX 3060", vendor="nvidia"),),
    driver="531.14",
    pythons=(Python("3.9.13"),),
    disk_free_gb=100.0,
)


def locked_set(address: str, files: dict[str, bytes]) -> Lock:
    base = address.removesuffix("/simple")
    rows = [Artifact(name, f"{base}/files/{name}", "0" * 64, len(data)) for name, data in files.items()]
    packages = tuple(Locked(a.filename.partition("-")[0], "1", a, (a.sha256,)) for a in rows)
    return Lock("", "", None, packages)


@pytest.mark.parametrize("left_out", [None, "cufft64_10.dll"])
def test_a_lock_is_proven_from_the_ends_of_its_wheels(left_out: str | None) -> None:
    names = [n for n in (*ROW["loads"], *ROW["at_import"], *PARTS) if n != left_out]
    filler = b"\0" * (1 << 20)
    members = {f"nvidia/x/bin/{name}": b"MZ" for name in names} | {"nvidia/x/big.bin": filler}
    files = dict([wheel(name="nvidia-x", tag="py3-none-win_amd64", members=members)])
    manner = Manner()
    with index(files, manner) as address:
        found = closure.locked(locked_set(address, files), Client(address))
    target = target_of(PC)
    assert target is not None
    report = closure.prove(found, target)
    assert [m.name for m in report.needed] == ([left_out] if left_out else [])
    assert report.closed == (left_out is None)
    assert not report.complete
    assert ("not all read" in as_text(report, "en")) == report.closed
    assert all(asked for _, asked in manner.asked)  # by ranges only


def target_of(machine: Machine) -> closure.Target | None:
    best = solve(Wish(("tensorflow",)), machine, load()).best
    assert best is not None
    return closure.target_of(best, machine)


def test_the_target_is_read_off_the_alignment_and_the_machine() -> None:
    target = target_of(PC)
    assert target is not None
    assert (target.os, target.framework, target.version, target.python) == (
        "windows",
        "tensorflow",
        "2.10.1",
        "3.9",
    )
    assert target.capabilities == ("8.6",)  # by the name, where no driver says it
    assert not target.system_runtime
    told = replace(PC, gpus=(Gpu("some card", capability="8.9", vendor="nvidia"),), vc_runtime="14.40.1")
    found = target_of(told)
    assert found is not None
    assert (found.capabilities, found.system_runtime) == (("8.9",), True)


@pytest.mark.parametrize("gpus", [(), (Gpu("AMD Radeon RX 6600", vendor="amd"),)])
def test_a_build_for_the_processor_has_no_target(gpus: Any) -> None:
    best = solve(Wish(("tensorflow",), routes=("cpu",)), replace(PC, gpus=gpus), load()).best
    assert best is not None
    assert closure.target_of(best, PC) is None
