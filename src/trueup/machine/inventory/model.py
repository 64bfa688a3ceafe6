"""What a survey finds beyond the machine itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trueup.machine.model import NOT_READ

if TYPE_CHECKING:
    from trueup.machine.cards import Cards
    from trueup.machine.model import Machine, Python
    from trueup.values import Message, Unknown

CudaKind = Literal["toolkit", "runtime", "cudnn", "zlib", "library"]
CudaOrigin = Literal["toolkit", "variable", "path", "conda", "wheel", "system"]


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution by its dist-info folder. `name` is canonical; `place` the site-packages that holds it."""

    name: str
    version: str
    place: str
    folder: str | None = None  # the name of the dist-info folder


@dataclass(frozen=True, slots=True)
class CondaPackage:
    name: str
    version: str
    build: str  # "mkl_py39h…", "cuda112py39h…": says what the version does not


@dataclass(frozen=True, slots=True)
class FrameworkBuild:
    """What an installed framework says of itself in its files. `cuda` is None in a build without CUDA."""

    framework: str  # tensorflow, torch, jax, onnxruntime, paddlepaddle
    package: str
    version: str
    cuda: str | Unknown | None
    cudnn: str | Unknown | None
    place: str
    requires: tuple[str, ...] = ()  # Requires-Dist of its packages
    other: str | None = None  # what else than CUDA it was built for: rocm, xpu, metal


@dataclass(frozen=True, slots=True)
class Proven:
    """A training that passed in an environment of ours: on `device`, cpu or gpu, at `date`, ISO 8601.

    `intact`: every package that was built is still there in its version.
    """

    device: str
    date: str
    frameworks: tuple[str, ...]
    intact: bool


@dataclass(frozen=True, slots=True)
class Environment:
    """A folder with an interpreter and packages.

    `leftovers`: folders that pip renames while it uninstalls ("~ensorflow") and leaves when it is stopped.
    `strays`: packages' folders that no distribution owns. `found_by`: folder, pixi, editor, active, kernel,
    conda, installed. `hook`: start-up files that make the environment find its own libraries. `lacks_python`: the
    interpreter, or the Python that a venv was made from, that is not there any more.
    """

    path: str
    kind: Literal["venv", "conda", "installed"]
    python: Python
    places: tuple[str, ...]
    packages: tuple[Package, ...]
    found_by: tuple[str, ...]
    active: bool = False
    conda: tuple[CondaPackage, ...] = ()
    builds: tuple[FrameworkBuild, ...] = ()
    leftovers: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
    hook: bool = False
    ours: bool = False  # built by trueup
    proven: Proven | None = None
    unread: tuple[Message, ...] = ()
    home: str | None = None  # of a venv: the folder of the Python that it was made from
    lacks_python: str | None = None
    chosen: tuple[str, ...] = ()  # folders of a toolkit that it names for itself, to be found by its hook

    def package(self, name: str) -> Package | None:
        return next((found for found in self.packages if found.name == name), None)

    def build(self, framework: str) -> FrameworkBuild | None:
        return next((found for found in self.builds if found.framework == framework), None)


@dataclass(frozen=True, slots=True)
class CudaCopy:
    """One copy of CUDA or cuDNN. `order` is its folder's place in the loader's search; None: not searched."""

    kind: CudaKind
    version: str | Unknown
    path: str
    origin: CudaOrigin
    order: int | None = None


@dataclass(frozen=True, slots=True)
class Programs:
    """What a shell starts for a word, in the order of PATH. `pip_python`: the interpreter that pip belongs to."""

    python: tuple[str, ...] = ()
    pip: tuple[str, ...] = ()
    stubs: tuple[str, ...] = ()
    pip_python: str | Unknown | None = None


@dataclass(frozen=True, slots=True)
class Kernel:
    """A Jupyter kernel: the name that the notebook shows, and the interpreter that it starts."""

    name: str
    python: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What slows, hides or breaks a card without being installed. None: not set, or not a thing of this system.

    `page_file`: "automatic", "none", or Windows' own words. `tdr_delay` in seconds. `min_cpu` and `pcie` are the
    power plan's: percent, and 0 for no PCI Express link power management. `container`: docker, podman …
    `driver_library`: whether the driver's CUDA library, nvcuda.dll or libcuda.so.1, is where the loader looks.
    `stub`: a folder of LD_LIBRARY_PATH whose libcuda is the toolkit's stub, for linking only.
    """

    page_file: str | Unknown | None = None
    tdr_delay: int | Unknown | None = None
    scheduling: bool | Unknown | None = None  # hardware-accelerated GPU scheduling
    fast_startup: bool | Unknown | None = None
    power_plan: str | Unknown | None = None
    min_cpu: int | Unknown | None = None
    pcie: int | Unknown | None = None
    app_control: str | Unknown | None = None  # Smart App Control: off, on, evaluation
    driver_library: bool | Unknown | None = None
    stub: str | None = None
    path_length: int = 0
    path_dead: tuple[str, ...] = ()
    container: str | None = None
    shell: str | None = None  # powershell, cmd, bash …
    nouveau: bool | None = None
    uvm_device: bool | None = None  # Linux: /dev/nvidia-uvm is there
    dxg_device: bool | None = None  # WSL: /dev/dxg is there
    wsl_libcuda: bool | None = None  # WSL: /usr/lib/wsl/lib/libcuda.so.1 is there
    foreign_libcuda: tuple[str, ...] = ()  # WSL: a Linux driver's libcuda beside it


@dataclass(frozen=True, slots=True)
class Memory:
    """In MiB. `commit_free`: what the system can still promise to programs; None where it promises without limit.

    `limit`: of the control group that a container runs in.
    """

    total: int
    available: int
    commit_limit: int | None = None
    commit_free: int | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A row of Windows' event log. `time` is ISO 8601, `text` the file or the words of the event."""

    provider: str
    number: int
    time: str
    text: str = ""
    gone: bool = False  # of a file that the event names: it is not there any more


@dataclass(frozen=True, slots=True)
class Survey:
    """A machine with everything that is installed on it. None: not a thing of this system."""

    machine: Machine
    cards: Cards
    programs: Programs | Unknown
    environments: tuple[Environment, ...] | Unknown
    cuda: tuple[CudaCopy, ...] | Unknown
    kernels: tuple[Kernel, ...] | Unknown
    settings: Settings | Unknown
    memory: Memory | Unknown = NOT_READ
    resets: tuple[Event, ...] | Unknown | None = None  # of the graphics driver
    shadows: tuple[str, ...] = ()  # the user's own scripts that are named like a package
    quarantined: tuple[Event, ...] | Unknown | None = None  # libraries that Defender took away
