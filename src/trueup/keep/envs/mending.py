"""What would bring an environment into order, in place: decided from what is there, as data, before anybody is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from packaging.utils import canonicalize_name

from trueup.plan.writers import requirements
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from trueup.keep.envs.content import Content
    from trueup.keep.envs.faults import Faults
    from trueup.machine.inventory.model import Environment
    from trueup.plan.lock import Locked
    from trueup.plan.writers.order import Order

Act = Literal[
    "remove",  # rests, by their path
    "pip-out",  # distributions of pip, by name
    "conda-out",  # packages of conda, by name
    "conda-again",  # packages of conda just as they were, by the address of their file
    "pip-in",  # what the lock names
    "pip-again",  # distributions of pip just as they were, `name==version`
    "hook",  # the start-up files that find CUDA inside the environment
]
# conda's names of what a framework consists of; its requirements stay
OF_FRAMEWORK: Final = {
    "tensorflow": ("tensorflow", "_tflow", "libtensorflow"),
    "torch": ("pytorch", "libtorch", "torch"),
    "jax": ("jax", "libjax"),
    "onnxruntime": ("onnxruntime",),
    "paddlepaddle": ("paddlepaddle",),
}
NOT_PART: Final = (
    "tensorflow-hub",
    "tensorflow-datasets",
    "tensorflow-probability",
    "torchmetrics",
    "pytorch-lightning",
)


@dataclass(frozen=True, slots=True)
class Seen:
    """An environment as it is. `owned`: distribution -> the package of conda that brought it."""

    environment: Environment
    content: Content
    faults: Faults
    owned: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Target:
    """What a framework needs here: the packages of an order. `family`: all distributions of the framework.

    `wheels`: whether NVIDIA's wheels belong to it, which they do not where conda's CUDA fits. `hook`: whether libraries
    in the environment are only found by it. `alone`: no other framework is there, which might need other wheels.
    `anew`: what is there of the framework is not to be trusted, whatever its version.
    """

    framework: str
    order: Order
    family: tuple[str, ...]
    wheels: bool
    hook: bool
    alone: bool
    anew: bool = False

    @property
    def packages(self) -> tuple[Locked, ...]:
        return self.order.for_pip(wheels=self.wheels)

    def requirements(self, names: Container[str]) -> str:
        """Return these packages as a requirements.txt with hashes."""
        some = tuple(p for p in self.packages if canonicalize_name(p.name) in names)
        order = replace(self.order, lock=replace(self.order.lock, packages=some))
        return "\n".join(requirements.lines(order)) + "\n"


def download(plan: Plan, target: Target | None) -> int | None:
    """Return the bytes that would be downloaded at most for what the target names; None where nobody says."""
    names = {word for step in plan.steps if step.act == "pip-in" for word in step.what}
    packages = target.packages if target else ()
    sizes = [p.artifact.size for p in packages if canonicalize_name(p.name) in names]
    return None if None in sizes else sum(size or 0 for size in sizes)


@dataclass(frozen=True, slots=True)
class Row:
    """One package. `goes` and `comes` are versions, None: there is none. `by`: conda, pip, rest; `source`: of what comes."""

    name: str
    goes: str | None
    by: str
    comes: str | None
    source: str


@dataclass(frozen=True, slots=True)
class Step:
    act: Act
    what: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """`stays`: what was seen and is left as it is, with the reason. `hindered`: why it cannot be done in place."""

    rows: tuple[Row, ...]
    steps: tuple[Step, ...]
    stays: tuple[Message, ...] = ()
    hindered: tuple[Message, ...] = ()


def plan(seen: Seen, target: Target | None, wrong: frozenset[str] = frozenset()) -> Plan:
    """Return what to do. `wrong`: distributions that break another one.

    What the target names comes as the target says; what pip put over conda's package goes back where it is wrong.
    """
    work = _Work(seen, target, wrong)
    rows = [*work.rests(), *work.framework(), *work.shadows(), *work.missing(), *work.robbed()]
    return Plan(tuple(rows), tuple(_joined(work.steps)), tuple(work.stays), tuple(work.hindered))


class _Work:
    """One decision: each part yields its rows, and adds to the steps."""

    def __init__(self, seen: Seen, target: Target | None, wrong: frozenset[str]) -> None:
        self.environment, self.content, self.faults = seen.environment, seen.content, seen.faults
        self.owned, self.target, self.wrong = seen.owned, target, wrong
        self.steps: list[Step] = []
        self.stays: list[Message] = []
        self.hindered: list[Message] = []
        self.handled: set[str] = set()

    def rests(self) -> Iterator[Row]:
        for path in self.faults.leftovers:
            self.steps.append(Step("remove", (path,)))
            yield Row(path, "", "rest", None, "")

    def framework(self) -> Iterator[Row]:
        target = self.target
        if target is None:
            return
        pip = {row.name: row.version for row in self.content.pip}
        damaged = {one.name for one in self.faults.missing if one.by == "pip"}
        wanted = {str(canonicalize_name(package.name)): package for package in target.packages}
        yield from self._goes(target, pip, wanted)
        parts = any(
            step.act == "conda-out" for step in self.steps
        )  # what goes from conda takes the files along
        for name, package in wanted.items():
            there = self.environment.package(name)
            owner = self.owned.get(name)
            own = name in target.family and (target.anew or parts)
            suspect = own or name in damaged or owner in self.handled or self._loses(name)
            if there is not None and there.version == package.version and not suspect:
                continue
            if owner is not None and owner not in self.handled:
                self._conda_out(owner)
            self.handled |= {name}
            self.steps.append(Step("pip-in", (name,)))
            by = "conda" if owner else "pip"
            yield Row(
                name, there.version if there else None, by if there else "", package.version, _source(package)
            )
        if target.hook and not self.environment.hook:
            self.steps.append(Step("hook", ()))

    def _loses(self, name: str) -> bool:
        """Tell whether a distribution loses files with one that goes."""
        gone = {word for step in self.steps if step.act == "pip-out" for word in step.what}
        return bool(gone & self.faults.shared.get(name, frozenset()))

    def robbed(self) -> Iterator[Row]:
        """Yield what only shared files with something that goes."""
        for row in self.content.pip:
            if row.name not in self.handled and self._loses(row.name):
                if row.origin == "index":
                    self.steps.append(Step("pip-again", (f"{row.name}=={row.version}",)))
                    yield Row(row.name, row.version, "pip", row.version, "PyPI")
                else:
                    params = {"name": row.name, "version": row.version}
                    self.hindered.append(Message("repair.no-address", params))

    def _goes(self, target: Target, pip: Mapping[str, str], wanted: Mapping[str, Locked]) -> Iterator[Row]:
        """Yield what is in the way of the framework: its other distributions, conda's parts of it, other lines of CUDA."""
        for name, version in pip.items():
            line = target.alone and name.startswith("nvidia-") and "-cu" in name
            if name not in wanted and (name in target.family or (line and target.wheels)):
                self.handled.add(name)
                self.steps.append(Step("pip-out", (name,)))
                yield Row(name, version, "pip", None, "")
        starts = OF_FRAMEWORK.get(target.framework, ())
        for row in self.environment.conda:
            if row.name.startswith(starts) and row.name not in NOT_PART:
                self._conda_out(row.name)
                if canonicalize_name(row.name) not in wanted:
                    yield Row(row.name, row.version, "conda", None, "")

    def _conda_out(self, name: str) -> None:
        self.handled.add(name)
        self.steps.append(Step("conda-out", (name,)))

    def shadows(self) -> Iterator[Row]:
        for one in self.faults.shadows:
            if one.name in self.handled:
                continue
            if one.name not in self.wrong:
                params = {"name": one.name, "pip": one.pip, "conda": one.conda}
                self.stays.append(Message("repair.stays-shadow", params))
                continue
            if not _can_come(one.address):
                self.hindered.append(Message("repair.no-address", {"name": one.name, "version": one.conda}))
                continue
            self.handled.add(one.name)
            self.steps += [Step("pip-out", (one.name,)), Step("conda-again", (one.address,))]
            yield Row(one.name, one.pip, "pip", one.conda, _host(one.address))

    def missing(self) -> Iterator[Row]:
        origins = {row.name: row for row in self.content.pip}
        for one in self.faults.missing:
            if one.name in self.handled or canonicalize_name(one.name) in self.handled:
                continue
            params = {"name": one.name, "version": one.version}
            if one.by == "conda" and _can_come(one.address):
                self.steps.append(Step("conda-again", (one.address,)))
                yield Row(one.name, one.version, "conda", one.version, _host(one.address))
            elif one.by == "pip" and origins[one.name].origin == "index":
                self.handled.add(one.name)
                self.steps.append(Step("pip-again", (f"{one.name}=={one.version}",)))
                yield Row(one.name, one.version, "pip", one.version, "PyPI")
            else:
                self.hindered.append(Message("repair.no-address", params))


def _can_come(address: str) -> bool:
    return address.startswith(("http://", "https://", "file:"))


def _host(address: str) -> str:
    parts = urlsplit(address)
    folder = parts.path.rpartition("/")[0].rpartition("/")[0].strip("/")
    return folder.rpartition("/")[2] or parts.hostname or "-"


def _source(package: Locked) -> str:
    return urlsplit(package.artifact.url).hostname or "PyPI"


ORDER: Final[tuple[Act, ...]] = (
    "remove",
    "pip-out",
    "conda-out",
    "conda-again",
    "pip-again",
    "pip-in",
    "hook",
)


def _joined(steps: list[Step]) -> Iterator[Step]:
    """Yield one step an act, in the order in which they do not undo each other."""
    for act in ORDER:
        same = [step for step in steps if step.act == act]
        if same:
            yield Step(act, tuple(dict.fromkeys(word for step in same for word in step.what)))
