"""Starts trueup out of this bundle. Standard library only, Python 3.10 or newer."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MAIN = "from trueup.__main__ import main\nmain()\n"


def main() -> int:
    arch = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    system = "windows" if os.name == "nt" else "linux"
    tools = HERE / "tools" / f"{system}-{arch}"
    if not tools.is_dir():
        return refuse(f"this bundle is not for {system} on {arch}")
    work = Path(tempfile.mkdtemp(prefix=f"trueup-start-{os.getpid()}-"))
    try:
        for wheel in sorted(tools.glob("*.whl")):
            if not checked(wheel):
                return refuse(f"{wheel.name} is not the file that the bundle was made with")
            unpack(wheel, work)
        (work / "__main__.py").write_text(MAIN, "utf-8")
        command = [sys.executable, "-I", str(work), "up", "--from", str(HERE), *sys.argv[1:]]
        return subprocess.run(command, check=False).returncode
    finally:
        shutil.rmtree(work, ignore_errors=True)


def checked(wheel: Path) -> bool:
    name = wheel.relative_to(HERE).as_posix()
    found = f"{hashlib.sha256(wheel.read_bytes()).hexdigest()}  {name}"
    return found in (HERE / "SHA256SUMS").read_text("utf-8").splitlines()


def unpack(wheel: Path, work: Path) -> None:
    """Unpack a wheel; its scripts go to `bin`, where uv's package looks for its program."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            path = Path(archive.extract(member, work))
            _, mark, script = member.filename.partition(".data/scripts/")
            if mark and script:
                (work / "bin").mkdir(exist_ok=True)
                target = work / "bin" / script
                path.replace(target)
                target.chmod(0o755)


def refuse(text: str) -> int:
    print("error: " + text, file=sys.stderr)  # noqa: T201  # trueup is not there yet
    return 2


if __name__ == "__main__":
    sys.exit(main())
