"""What a survey finds beyond the machine itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

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


@dataclass(frozen=True, slots=True)
class Environment:
    """A folder with an interpreter and packages.

    `leftovers`: folders that pip renames while it uninstalls ("~ensorflow") and leaves when it is stopped.
    `strays`: packages' folders that no distribution owns. `found_by`: folder, pixi, editor, active, kernel,
    conda, installed. `hook`: start-up files that make the environment find its own libraries.
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
    unread: tuple[Message, ...] = ()
    home: str | None = None  # of a venv: the folder of the Python that it was made from

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
    """What slows, hides or breaks a card without being installed. None: not asked on this system.

    `page_file`: "automatic", "none", or Windows' own words. `tdr_delay` in seconds. `min_cpu` and `pcie` are the
    power plan's: percent, and 0 for no PCI Express link power management. `container`: docker, podman …
    """

    page_file: str | None = None
    tdr_delay: int | None = None
    scheduling: bool | None = None  # hardware-accelerated GPU scheduling
    fast_startup: bool | None = None
    power_plan: str | None = None
    min_cpu: int | None = None
    pcie: int | None = None
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
class Survey:
    """A machine with everything that is installed on it."""

    machine: Machine
    cards: Cards
    programs: Programs | Unknown
    environments: tuple[Environment, ...] | Unknown
    cuda: tuple[CudaCopy, ...] | Unknown
    kernels: tuple[Kernel, ...] | Unknown
    settings: Settings | Unknown
