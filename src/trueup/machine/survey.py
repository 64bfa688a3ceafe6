"""Reads a machine with all that is installed on it, once for all rooms above."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING

from trueup.machine.cards import Cards
from trueup.machine.inventory.cuda import read_cuda
from trueup.machine.inventory.environments import read_environments
from trueup.machine.inventory.events import read_quarantined, read_resets
from trueup.machine.inventory.kernels import read_kernels
from trueup.machine.inventory.memory import read_memory
from trueup.machine.inventory.model import Survey
from trueup.machine.inventory.programs import read_programs
from trueup.machine.inventory.settings import read_settings
from trueup.machine.inventory.shadows import read_shadows
from trueup.machine.read import Reader, machine_of, machine_readers, run_readers
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.machine.host import Host


def read_survey(host: Host, *, env_dir: str | PathLike[str] | None = None) -> Survey:
    """Return everything. Environments are read last: the interpreters tell where to look."""
    folder = None if env_dir is None else fspath(env_dir)
    answers = run_readers(
        (
            *machine_readers(host, folder or "."),
            Reader("programs", lambda: read_programs(host), 10.0),
            Reader("cuda", lambda: read_cuda(host), 15.0),
            Reader("kernels", lambda: read_kernels(host), 5.0),
            Reader("settings", lambda: read_settings(host), 10.0),
            Reader("memory", lambda: read_memory(host), 5.0),
            Reader("shadows", lambda: read_shadows(host, folder), 5.0),
            Reader("resets", lambda: read_resets(host), 5.0),
            Reader("quarantine", lambda: read_quarantined(host), 5.0),
        )
    )
    machine = machine_of(host, answers)
    pythons = () if isinstance(machine.pythons, Unknown) else machine.pythons
    second = run_readers((Reader("environments", lambda: read_environments(host, folder, pythons), 20.0),))
    cards = answers["cards"]
    return Survey(
        machine=machine,
        cards=cards if isinstance(cards, Cards) else Cards(cards, cards, cards),
        programs=answers["programs"],
        environments=second["environments"],
        cuda=answers["cuda"],
        kernels=answers["kernels"],
        settings=answers["settings"],
        memory=answers["memory"],
        resets=answers["resets"],
        shadows=() if isinstance(answers["shadows"], Unknown) else answers["shadows"],
        quarantined=answers["quarantine"],
    )
