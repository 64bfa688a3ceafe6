"""Where faults are made: a home folder of its own, an environment by uv, a driver that answers questions only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from model import Place

ROOT = Path(__file__).parents[1]
STAND_INS = ROOT / "tests" / "wine" / "c"
HOME = Path("/home/user")
DRIVER = Path("/usr/local/nvidia/lib64")
CARD = {
    "NVCUDA_NAME": "NVIDIA GeForce RTX 3060",
    "NVCUDA_CC": "8.6",
    "NVCUDA_DRIVER": "12020",
    "NVML_DRIVER": "535.129.03",
}


class Bench:
    """One environment in its home. Paths are the neutral ones that the log shows."""

    def __init__(self, place: Place, uv: Path, source: Path) -> None:
        self.place = place
        self.source = source  # of trueup, that reads the machine
        self.home = HOME
        self.env = HOME / "venv"
        self._uv = uv

    @property
    def python(self) -> Path:
        return self.env / "bin" / "python"

    @property
    def site(self) -> Path:
        return next(self.env.glob("lib/python*/site-packages"))

    def run_words(self, words: list[str]) -> list[str]:
        """Return how a program of the environment is started."""
        return words

    def spelled(self, path: Path) -> str:
        """Return a path as the programs of the environment see it."""
        return str(path)

    def reader(self) -> str:
        """Return the Python that runs trueup there."""
        return sys.executable

    def clean(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self.env, ignore_errors=True)

    def path(self, target: str) -> Path:
        """Return a path below the home folder; `site/` at its start is the environment's site-packages."""
        if target.startswith("/"):
            return Path(target)
        first, _, rest = target.partition("/")
        return self.site / rest if first == "site" else self.home / target

    def names(self) -> Mapping[str, str]:
        nvidia = sorted(str(path) for path in self.site.glob("nvidia/*/lib"))
        return {
            "driver": str(DRIVER),
            "nvidia": ":".join(nvidia),
            "home": str(self.home),
            "site": str(self.site),
            "env": str(self.env),
            "python": str(self.python),
            "uv": str(self._uv),
        }

    def build(self) -> None:
        shutil.rmtree(self.env, ignore_errors=True)
        interpreter = next((HOME / ".pyenv" / "versions").glob(f"{self.place.python}.*")) / "bin" / "python"
        self.uv("venv", "-q", "--no-project", "-p", str(interpreter), str(self.env))
        self.restore()

    def prepare(self) -> None:
        """Build ahead, and keep it aside: an environment works only under the path where it was built."""
        self.build()
        self._aside.parent.mkdir(exist_ok=True)
        shutil.rmtree(self._aside, ignore_errors=True)
        self.env.rename(self._aside)

    def begin(self) -> None:
        shutil.rmtree(self.env, ignore_errors=True)
        self._aside.rename(self.env)

    @property
    def _aside(self) -> Path:
        return self.home / ".built" / self.place.name

    def restore(self) -> None:
        """Bring every package back to the release that the place names."""
        for step in self.place.steps:
            self.install(step, deps="--no-deps" not in step)

    def install(self, requirements: Iterable[str], *, deps: bool) -> None:
        words = [word for word in requirements if word != "--no-deps"]
        self.uv("pip", "install", "-q", "-p", str(self.python), *([] if deps else ["--no-deps"]), *words)

    def uv(self, *words: str) -> None:
        done = subprocess.run(
            [self._uv, *words],
            env=os.environ | self.base(),
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr[-3000:])

    def base(self) -> dict[str, str]:
        """Return the variables of a plain user's shell with this environment active."""
        return {
            "HOME": str(self.home),
            "PATH": f"{self.env}/bin:/usr/local/bin:/usr/bin",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
            "VIRTUAL_ENV": str(self.env),
            "UV_NO_CONFIG": "1",
            "PIP_CONFIG_FILE": os.devnull,
            "UV_LINK_MODE": "hardlink",
        } | {name: value for name, value in os.environ.items() if name.startswith("SSL_CERT")}

    def variables(self, more: Mapping[str, str]) -> dict[str, str]:
        filled = {name: value.format_map(self.names()) for name, value in more.items()}
        given = {"LD_LIBRARY_PATH": str(DRIVER), **CARD, **filled}
        return self.base() | {name: value for name, value in given.items() if value != "-"}


SCRIPT = """set -e
hide() { mount -t tmpfs -o mode=755 lab "$1"; }
mount --make-rprivate /
hide /home; hide /opt; hide /proc/driver; hide /sys/bus/pci/devices
cp -a /etc/ld.so.conf.d/. "$LAB/conf/"; hide /etc/ld.so.conf.d; cp "$LAB"/conf/*linux-gnu.conf /etc/ld.so.conf.d/
mkdir /home/user
mount --bind "$LAB/home" /home/user
mkdir -p /home/user/.pyenv/versions
mount --bind "$LAB/pythons" /home/user/.pyenv/versions
hide /usr/local
mkdir -p DRIVER /usr/local/bin /proc/driver/nvidia /sys/bus/pci/devices/0000:01:00.0
cp -a "$LAB"/driver/* DRIVER/
printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC 2023\\n' \
  >/proc/driver/nvidia/version
cd /sys/bus/pci/devices/0000:01:00.0
echo 0x10de >vendor; echo 0x2503 >device; echo 0x030000 >class; echo -1 >numa_node
mkdir "$LAB/dev"; mount -t tmpfs -o mode=755 lab "$LAB/dev"
for name in null zero full random urandom tty; do
  touch "$LAB/dev/$name"; mount --bind /dev/$name "$LAB/dev/$name"
done
touch "$LAB"/dev/nvidia0 "$LAB"/dev/nvidiactl "$LAB"/dev/nvidia-uvm
ln -s /proc/self/fd "$LAB/dev/fd"; mkdir -m 1777 "$LAB/dev/shm"
mount --move "$LAB/dev" /dev; rmdir "$LAB/dev"
cd /home/user
exec "$@"
"""


def enter(scratch: Path, pythons: Path, words: list[str]) -> int:
    """Run this program again where `/home/user` is a folder of the scratch, and where a card seems to be."""
    for name in ("home", "driver", "pythons", "conf"):
        (scratch / name).mkdir(parents=True, exist_ok=True)
    for source, library in (("nvcuda.c", "libcuda.so"), ("nvml.c", "libnvidia-ml.so")):
        file = scratch / "driver" / f"{library}.{CARD['NVML_DRIVER']}"
        command = ["gcc", "-shared", "-fPIC", "-s", "-O1", f"-Wl,-soname,{library}.1", "-w"]
        subprocess.run([*command, "-o", file, STAND_INS / source], check=True)
        link = scratch / "driver" / f"{library}.1"
        link.unlink(missing_ok=True)
        link.symlink_to(file.name)
    script = SCRIPT.replace("DRIVER", str(DRIVER)).replace("$LAB/pythons", str(pythons))
    if sys.platform == "win32":
        raise SystemExit("the laboratory runs on Linux")
    alone = [] if os.geteuid() == 0 else ["--map-root-user"]
    command = ["unshare", *alone, "-m", "bash", "-c", script, "lab", *words]
    return subprocess.run(command, env=os.environ | {"LAB": str(scratch)}, check=False).returncode
