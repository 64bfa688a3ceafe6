"""Small shared objects and a framework of three lines, in a real virtual environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.setup import hook

if TYPE_CHECKING:
    from pathlib import Path

FRAMEWORK = """
import ctypes
def opens(name):
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
"""
CUDA11 = ("libcudart.so.11.0", "libcublasLt.so.11", "libcublas.so.11", "libcudnn.so.8")
FOLDERS = {"libcudart": "cuda_runtime", "libcublas": "cublas", "libcublasLt": "cublas", "libcudnn": "cudnn"}


@dataclass(frozen=True)
class Env:
    """An environment with a framework in it. `driver` is a folder with a stand-in libcuda.so.1."""

    python: Path
    site: Path
    driver: Path

    def run(
        self, code: str | list[str], *, driver: bool = True, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("TRUEUP", "XLA", "LD_", "PYTHON"))}
        env |= {"LD_LIBRARY_PATH": str(self.driver)} if driver else {}
        arguments = ["-c", code] if isinstance(code, str) else code
        return subprocess.run(
            [self.python, *arguments],
            env=env | variables,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )

    def out(self, code: str | list[str], *, driver: bool = True, **variables: str) -> str:
        done = self.run(code, driver=driver, **variables)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def framework(self, version: str, package: str = "tensorflow") -> None:
        for old in self.site.glob("tensorflow*.dist-info"):
            old.rmdir()
        (self.site / f"{package}-{version}.dist-info").mkdir()


def build(target: Path, *needs: Path, cudnn: int | None = None) -> None:
    """Compile a library whose soname is its file name and that needs the others by soname.

    `cudnn` is the version that it says of itself.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    source = f"int {''.join(c if c.isalnum() else '_' for c in target.name)}(void) {{ return 1; }}"
    source += f"unsigned long cudnnGetVersion(void) {{ return {cudnn}; }}" if cudnn else ""
    command = ["gcc", "-shared", "-fPIC", f"-Wl,-soname,{target.name}", "-Wl,--no-as-needed", "-x", "c", "-"]
    subprocess.run([*command, "-o", target, "-x", "none", *needs], input=source.encode(), check=True)


def make(folder: Path, libraries: Path) -> Env:
    """Make an environment of this Python with TensorFlow 2.10's name, NVIDIA's folders and the hook."""
    venv.create(folder, with_pip=False, symlinks=True)
    site = next(folder.glob("lib/python*/site-packages"))
    shutil.copytree(libraries / "nvidia", site / "nvidia")
    for name in ("tensorflow", "torch"):
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(FRAMEWORK, "utf-8")
    env = Env(folder / "bin" / "python", site, libraries / "driver")
    env.framework("2.10.1")
    hook.install(site)
    return env
