"""The whole way: a bundle from the real index, then its own script with the network off and nothing but Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trueup.cli.main import run

pytestmark = [pytest.mark.network, pytest.mark.slow]
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
CPU: dict[str, object] = {
    "os": "linux",
    "arch": "x86_64",
    "gpus": [],
    "driver": None,
    "glibc": "2.28",
    "disk_free_gb": 100,
}


def off(*command: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a network name space of its own, with no variable of ours."""
    env = {"HOME": str(home), "PATH": f"{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin", "LANG": "C.UTF-8"}
    return subprocess.run(
        ["unshare", "-n", *command],
        capture_output=True,
        text=True,
        env=env,
        cwd=home,
        timeout=900,
        check=False,
    )


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("unshare"), reason="takes the network away")
def test_script_of_the_bundle_needs_no_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if off("true", home=tmp_path).returncode:
        pytest.skip("may not take the network away")
    (tmp_path / "pc.json").write_text(json.dumps(CPU), "utf-8")
    folder = tmp_path / "离线 b"
    wish = ["onnxruntime", "--python", HERE, "--machine", str(tmp_path / "pc.json")]
    assert run(["bundle", *wish, "--no-pythons", "--yes", "--json", "-o", str(folder)]) == 0
    made = json.loads(capsys.readouterr().out)["made"]
    sums = subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=folder, check=False)
    assert sums.returncode == 0
    done = off("sh", folder / "install.sh", "--yes", "--no-prove", "--json", home=tmp_path)
    answer = json.loads(done.stdout)
    assert answer["status"] == "unproven", done.stderr
    assert answer["bundle"]["sha256"] == made["sha256"]
    code = "import onnxruntime; print(onnxruntime.get_available_providers())"
    shown = off(tmp_path / ".venv" / "bin" / "python", "-c", code, home=tmp_path)
    assert "CPUExecutionProvider" in shown.stdout
    (folder / "tools" / "linux-x86_64" / "extra.whl").write_bytes(b"x")
    spoiled = off("sh", folder / "install.sh", "--yes", home=tmp_path)
    assert spoiled.returncode == 2
    assert "extra.whl" in spoiled.stderr
    assert not [name for name in os.listdir(tmp_path) if "building" in name]  # noqa: PTH208  # names are all that counts
