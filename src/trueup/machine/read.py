"""Reads a machine. Readers run side by side, each with its own time; one that fails leaves an Unknown behind."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from trueup.machine import system
from trueup.machine.cards import Cards, read_cards
from trueup.machine.host import HostError
from trueup.machine.model import Machine
from trueup.machine.pythons import read_pythons
from trueup.machine.wsl import read_wsl
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trueup.machine.host import Host


@dataclass(frozen=True, slots=True)
class Reader:
    """One question that may take `seconds`."""

    name: str
    ask: Callable[[], Any]
    seconds: float


def read_machine(host: Host, *, env_dir: str | PathLike[str] | None = None) -> Machine:
    """Return what this machine is. `env_dir` tells on which volume the free space counts."""
    return machine_of(host, run_readers(machine_readers(host, fspath(env_dir or "."))))


def machine_readers(host: Host, env_dir: str) -> tuple[Reader, ...]:
    return (
        Reader("cards", lambda: read_cards(host), 20.0),
        Reader("pythons", lambda: read_pythons(host), 15.0),
        Reader(
            "wsl",
            lambda: read_wsl(host) if host.platform == "windows" else system.read_wsl_inside(host),
            10.0,
        ),
        Reader("disk", lambda: system.read_disk_free_gb(host, env_dir), 5.0),
        *(
            Reader(name, lambda ask=ask: ask(host), 5.0)  # type: ignore[misc]  # bound now
            for name, ask in _SYSTEM.items()
        ),
    )


_SYSTEM: Mapping[str, Callable[[Host], Any]] = {
    "arch": system.read_arch,
    "os_build": system.read_os_build,
    "os_name": system.read_os_name,
    "libc": system.read_libc,
    "kernel": system.read_kernel,
    "cpu_flags": system.read_cpu_flags,
    "long_paths": system.read_long_paths,
    "vc_runtime": system.read_vc_runtime,
}


def machine_of(host: Host, answers: Mapping[str, Any]) -> Machine:
    """Put the readers' answers together."""
    cards = answers["cards"] if isinstance(answers["cards"], Cards) else None
    why = answers["cards"]
    pythons, libc = answers["pythons"], answers["libc"]
    return Machine(
        os=system.read_os(host),
        arch=answers["arch"],
        os_build=answers["os_build"],
        gpus=cards.gpus if cards else why,
        driver=cards.driver if cards else why,
        cuda_driver=cards.cuda if cards else why,
        pythons=pythons if isinstance(pythons, Unknown) else pythons.pythons,
        wsl=answers["wsl"],
        libc=libc if isinstance(libc, Unknown) else libc[0],
        glibc=libc if isinstance(libc, Unknown) else libc[1],
        kernel=answers["kernel"],
        cpu_flags=answers["cpu_flags"],
        disk_free_gb=answers["disk"],
        long_paths=answers["long_paths"],
        vc_runtime=answers["vc_runtime"],
        os_name=answers["os_name"],
        environment=system.read_environment(host),
    )


def run_readers(readers: tuple[Reader, ...]) -> dict[str, Any]:
    """Return each reader's answer. A reader that hangs is left behind: its thread ends with the process."""
    answers: dict[str, Any] = {}
    threads = [
        (reader, threading.Thread(target=_fill, args=(answers, reader), daemon=True)) for reader in readers
    ]
    start = time.monotonic()
    for _, thread in threads:
        thread.start()
    for reader, thread in threads:
        thread.join(max(0.0, start + reader.seconds - time.monotonic()))
    late = {
        r.name: Unknown(Message("machine.timed-out", {"what": r.name, "seconds": r.seconds})) for r in readers
    }
    return late | answers


def _fill(answers: dict[str, Any], reader: Reader) -> None:
    try:
        answers[reader.name] = reader.ask()
    except HostError as error:
        answers[reader.name] = Unknown(error.why)
    except Exception as error:  # noqa: BLE001  # a machine stranger than we thought costs one answer, not all
        text = f"{type(error).__name__}: {error}"
        answers[reader.name] = Unknown(Message("machine.reader-failed", {"what": reader.name, "text": text}))
