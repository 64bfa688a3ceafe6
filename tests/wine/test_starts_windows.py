"""The hook on Windows Python in the ways that Windows programs are started."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_hook_windows import DLLS, LINE, OPENS, Env, make
from winehost import ROOT, Wine, dll, windows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.wine
TOOLS = ROOT / "cache" / "starts"  # debugpy and Jupyter for Windows
ASK = OPENS.replace("print(", "print('MISSED', ")
NOTHING = "MISSED []"


def kernel_asks(code: str) -> str:
    """Return a program that starts a kernel of its own environment and lets it run some code."""
    return (
        "import sys\n"
        "from jupyter_client.kernelspec import KernelSpec\n"
        "from jupyter_client.manager import KernelManager\n"
        "command = [sys.executable, '-m', 'ipykernel_launcher', '-f', '{connection_file}']\n"
        "kernel = KernelManager()\n"
        "kernel._kernel_spec = KernelSpec(argv=command, display_name='env', language='python')\n"
        "kernel.start_kernel()\n"
        "client = kernel.blocking_client()\n"
        "client.start_channels()\n"
        "try:\n"
        "    client.wait_for_ready(timeout=200)\n"
        f"    client.execute_interactive({code!r}, timeout=400)\n"
        "finally:\n"
        "    client.stop_channels()\n"
        "    kernel.shutdown_kernel(now=True)\n"
    )


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("driver")
    dll(folder / "nvcuda.dll", LINE.format("cuInit"))
    return folder


@pytest.fixture(scope="module")
def env(wine: Wine, driver: Path, tmp_path_factory: pytest.TempPathFactory) -> Env:
    return make(wine, tmp_path_factory.mktemp("starts") / "my 环境", driver)


@pytest.fixture
def tools() -> Callable[[Env], dict[str, str]]:
    if not TOOLS.is_dir():
        pytest.skip("needs `.ci/wine.sh --starts`: debugpy and Jupyter for Windows, 90 MB")

    def beside(env: Env) -> dict[str, str]:
        """Let an environment see the tools, behind its own packages."""
        (env.site / "zz_tools.pth").write_text(f"{windows(TOOLS)}\n", "utf-8")
        return {"PYTHONDONTWRITEBYTECODE": "1"}

    return beside


def test_pythonw_has_no_streams(env: Env) -> None:
    script, answer = env.folder / "窗口.py", env.folder / "answer.txt"
    script.write_text(
        f"import tensorflow as t\nmissed = [n for n in {list(DLLS)} if not t.opens(n)]\n"
        f"open({str(windows(answer))!r}, 'w').write(str(missed))\n",
        "utf-8",
    )
    pythonw = env.folder / "Scripts" / "pythonw.exe"
    done = env.wine.run(pythonw, script, WINEPATH=windows(env.driver), TRUEUP_HOOK="trace")
    assert (done.returncode, answer.read_text()) == (0, "[]")


def test_a_service_with_hardly_an_environment(env: Env) -> None:
    """Without PATH, HOME or a user: `nvcuda.dll` lies where Windows looks before PATH."""
    script = env.folder / "service.py"
    script.write_text(ASK)
    code = (
        "import subprocess, sys; print(subprocess.run([sys.argv[1], sys.argv[2]], cwd=sys.argv[3], "
        "env={'SYSTEMROOT': 'C:\\\\windows'}, capture_output=True, text=True).stdout)"
    )
    python = env.folder / "Scripts" / "python.exe"
    assert env.wine.out("-c", code, python, script, env.driver, timeout=240).strip() == NOTHING


def test_a_debugger(env: Env, tools: Callable[[Env], dict[str, str]]) -> None:
    script = env.folder / "job.py"
    script.write_text(ASK)
    python = env.folder / "Scripts" / "python.exe"
    variables = {"WINEPATH": windows(env.driver)} | tools(env)
    done = env.wine.run(python, "-m", "debugpy", "--listen", "127.0.0.1:0", script, timeout=240, **variables)
    assert NOTHING in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_a_jupyter_kernel(env: Env, tools: Callable[[Env], dict[str, str]]) -> None:
    script = env.folder / "kernel.py"
    script.write_text(kernel_asks(ASK))
    variables = {"WINEPATH": windows(env.driver)} | tools(env)
    done = env.wine.run(env.folder / "Scripts" / "python.exe", script, timeout=400, **variables)
    assert NOTHING in done.stdout, done.stdout + done.stderr
