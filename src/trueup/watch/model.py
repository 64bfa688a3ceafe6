"""What one look at the machine finds. Memory is in MiB, rates in MB/s (10^6), power in W, clocks in MHz."""

from __future__ import annotations

from dataclasses import dataclass, field

from trueup.values import Message, Unknown

Reading = float | Unknown

NOT_ASKED = Unknown(Message("watch.not-asked"))


@dataclass(frozen=True, slots=True)
class Process:
    """A process with a context on a card. `kind`: compute or graphics."""

    pid: int
    name: str | Unknown
    kind: str
    memory: Reading = NOT_ASKED
    sm: Reading = NOT_ASKED


@dataclass(frozen=True, slots=True)
class Slice:
    """A MIG device: a part of a card."""

    index: int
    name: str | Unknown
    memory_used: Reading
    memory_total: Reading


@dataclass(frozen=True, slots=True)
class Gpu:
    """One card at one time. `trouble` says why nothing else could be read.

    `sm` and `memory_busy`: percent of the last interval in which kernels ran, or memory was accessed.
    `reasons`: why the clocks are lower than they could be, by name; see `reasons.py`.
    `model`: WDDM, TCC or MCDM on Windows, None elsewhere.
    """

    index: int
    name: str
    uuid: str | None = None
    model: str | None = None
    trouble: Message | None = None
    sm: Reading = NOT_ASKED
    memory_busy: Reading = NOT_ASKED
    memory_used: Reading = NOT_ASKED
    memory_total: Reading = NOT_ASKED
    temperature: Reading = NOT_ASKED
    temperature_slows: Reading = NOT_ASKED
    fan: Reading = NOT_ASKED
    power: Reading = NOT_ASKED
    power_limit: Reading = NOT_ASKED
    clock_sm: Reading = NOT_ASKED
    clock_sm_max: Reading = NOT_ASKED
    clock_memory: Reading = NOT_ASKED
    clock_memory_max: Reading = NOT_ASKED
    pcie_gen: Reading = NOT_ASKED
    pcie_gen_max: Reading = NOT_ASKED
    pcie_width: Reading = NOT_ASKED
    pcie_width_max: Reading = NOT_ASKED
    pcie_received: Reading = NOT_ASKED
    pcie_sent: Reading = NOT_ASKED
    pstate: Reading = NOT_ASKED
    reasons: tuple[str, ...] | Unknown = NOT_ASKED
    processes: tuple[Process, ...] | Unknown = NOT_ASKED
    slices: tuple[Slice, ...] = ()


@dataclass(frozen=True, slots=True)
class Cards:
    """What the management library said. `trouble`: why it says nothing at all."""

    gpus: tuple[Gpu, ...] = ()
    driver: str | Unknown = NOT_ASKED
    cuda: str | Unknown = NOT_ASKED
    trouble: Message | None = None


@dataclass(frozen=True, slots=True)
class HostLoad:
    """The machine beside its cards. `cpu`: of all cores; `cpu_top`: of the busiest one.

    `disk`, `disk_*`: the device that moved most. `plugged`: None where there is no battery.
    """

    cpu: Reading
    cpu_top: Reading
    cores: int
    memory_used: Reading
    memory_total: Reading
    swap_rate: Reading
    disk: str | None
    disk_read: Reading
    disk_written: Reading
    disk_busy: Reading
    plugged: bool | None


@dataclass(frozen=True, slots=True)
class Tree:
    """A program and all that it started. `cpu` is in percent of one core, `busiest` that of one process."""

    pids: frozenset[int]
    cpu: Reading
    busiest: Reading
    memory: Reading
    disk_read: Reading
    cache: Reading = NOT_ASKED  # of compiled kernels (`ComputeCache`), MiB


@dataclass(frozen=True, slots=True)
class Sample:
    """`at`: seconds on a clock that never jumps, from the first sample; `time`: seconds since 1970."""

    at: float
    time: float
    cards: Cards
    host: HostLoad
    tree: Tree | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """The latest values of each line that is drawn, oldest first; None where nothing was read."""

    cpu: tuple[float | None, ...] = ()
    disk: tuple[float | None, ...] = ()
    sm: dict[str, tuple[float | None, ...]] = field(default_factory=dict)
    memory: dict[str, tuple[float | None, ...]] = field(default_factory=dict)
