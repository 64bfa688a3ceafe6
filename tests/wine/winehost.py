"""CPython for Windows under Wine: how a test starts it."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
ROOT = Path(os.environ.get("TRUEUP_WINE") or CACHE / "trueup-wine")
MINGW = "x86_64-w64-mingw32-gcc"


@dataclass(frozen=True)
class Wine:
    """`python` is a Windows path; `variables` are those of Wine itself."""

    prefix: Path
    python: str
    variables: dict[str, str] = field(default_factory=dict)

    def path(self, windows: str) -> Path:
        r"""Return where a Windows path such as `C:\x` lies on this machine."""
        drive, _, rest = windows.replace("\\", "/").partition(":/")
        return self.prefix / "dosdevices" / f"{drive.lower()}:" / rest

    def run(
        self, *command: str | Path, stdin: str | None = None, timeout: float = 120, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a Windows program. Its streams are pipes: under Wine 8 Python dies on regular files."""
        kept = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("PYTHON", "TRUEUP", "XLA", "UV_", "VIRTUAL"))
        }
        env = kept | {"LC_ALL": "C.UTF-8"} | self.variables | variables
        env.pop("DISPLAY", None)
        return subprocess.run(
            ["wine", *map(windows, command)],
            env=env,
            input=stdin or "",
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=timeout,
        )

    def py(
        self, *arguments: str | Path, timeout: float = 120, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return self.run(self.python, *arguments, timeout=timeout, **variables)

    def out(self, *arguments: str | Path, timeout: float = 120, **variables: str) -> str:
        done = self.py(*arguments, timeout=timeout, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()


def windows(path: str | Path) -> str:
    """Return a path of this machine as Windows programs under Wine see it; other arguments as they are."""
    return "Z:" + str(path).replace("/", "\\") if isinstance(path, Path) else path


def dll(target: Path, source: str, *needs: Path, version: str | None = None) -> None:
    """Compile a DLL; `version` such as "14,42,0,0" goes into its resource."""
    target.parent.mkdir(parents=True, exist_ok=True)
    parts = [target.with_suffix(".c")]
    parts[0].write_text(source)
    if version:
        script, resource = target.with_suffix(".rc"), target.with_suffix(".res.o")
        script.write_text(f"1 VERSIONINFO FILEVERSION {version} BEGIN END\n")
        subprocess.run(["x86_64-w64-mingw32-windres", script, resource], check=True)
        parts.append(resource)
    subprocess.run([MINGW, "-shared", "-s", "-o", target, *parts, *needs], check=True)
    for part in target.parent.glob(f"{target.stem}.*"):
        if part != target:
            part.unlink()
