"""The hook in every way that a program is started: what a user's tools do, not what a test finds handy."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hookenv import CUDA11, Env, make

from trueup.setup import hook

if TYPE_CHECKING:
    from pathlib import Path

ASK = f"import tensorflow as t; print('OPENS', all(t.opens(n) for n in {CUDA11}))"
FOUND, MISSED = "OPENS True", "OPENS False"


def needs(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"needs {module} beside pytest")


def beside(env: Env) -> None:
    """Let an environment see the test tools of this Python, behind its own packages."""
    folder = os.path.dirname(os.path.dirname(pytest.__file__))  # noqa: PTH120
    (env.site / "zz_tools.pth").write_text(folder + "\n", "utf-8")


def test_a_service_with_an_empty_environment(env: Env) -> None:
    for variables in ({}, {"LD_LIBRARY_PATH": str(env.driver)}):
        done = subprocess.run(
            [env.python, "-c", ASK], env=variables, capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stdout.strip() == (FOUND if variables else MISSED)  # no driver: nothing is done


def test_another_folder_and_no_terminal(env: Env) -> None:
    script = env.site.parents[2] / "脚本 1.py"
    script.write_text(ASK, "utf-8")
    done = subprocess.run(
        [env.python, script],
        env={"LD_LIBRARY_PATH": str(env.driver)},
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        start_new_session=True,
    )
    assert done.stdout.strip() == FOUND


def test_pytest(env: Env, tmp_path: Path) -> None:
    beside(env)
    (tmp_path / "test_gpu.py").write_text(f"def test_gpu():\n    {ASK}\n")
    arguments = ["-m", "pytest", "-s", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    assert FOUND in env.out([*arguments, str(tmp_path / "test_gpu.py")], PYTHONDONTWRITEBYTECODE="1")


def test_a_debugger(env: Env, tmp_path: Path) -> None:
    needs("debugpy")
    beside(env)
    (tmp_path / "job.py").write_text(ASK)
    arguments = ["-m", "debugpy", "--listen", "127.0.0.1:0", str(tmp_path / "job.py")]
    assert FOUND in env.out(arguments, PYTHONDONTWRITEBYTECODE="1")


def test_a_jupyter_kernel(env: Env, tmp_path: Path) -> None:
    """Start a kernel of the environment as Jupyter does: by the kernel's own command, asked over its sockets."""
    needs("ipykernel")
    needs("jupyter_client")
    beside(env)
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import KernelManager

    command = [str(env.python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel = KernelManager(connection_file=str(tmp_path / "kernel.json"))
    kernel._kernel_spec = KernelSpec(argv=command, display_name="env", language="python")
    variables = {"LD_LIBRARY_PATH": str(env.driver), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    kernel.start_kernel(env=variables)
    client = kernel.blocking_client()
    client.start_channels()
    said: list[str] = []
    try:
        client.wait_for_ready(timeout=120)
        client.execute_interactive(
            ASK, timeout=120, output_hook=lambda m: said.append(json.dumps(m["content"]))
        )
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    assert FOUND in "".join(said)


def test_a_module_that_went_without_its_pth_and_the_other_way(env: Env) -> None:
    pth = env.site / hook.PTH
    for name in (hook.WORK, hook.MODULE):
        (env.site / name).unlink()
        done = env.run(ASK)
        assert (done.returncode, done.stdout.strip()) == (0, MISSED)
        assert name == hook.WORK or done.stderr == ""  # a `.pth` alone does not complain at each start
    pth.unlink()
    hook.install(env.site)
    pth.unlink()
    assert env.out(ASK) == MISSED


def test_wheels_that_were_uninstalled_later(env: Env) -> None:
    shutil.rmtree(env.site / "nvidia")
    code = "import tensorflow, sys; print(sys.modules['_trueup_hook'].done[-1])"
    assert env.out(code) == "('skip', 'no nvidia folder')"
    assert env.out(ASK) == MISSED


def test_a_read_only_environment(env: Env) -> None:
    """Without a place for bytecode the modules are compiled anew at each start; nothing is written."""
    tree = sorted(p.name for p in env.site.iterdir())
    env.site.chmod(0o555)
    try:
        assert env.out(["-B", "-c", ASK]) == FOUND
    finally:
        env.site.chmod(0o755)
    assert sorted(p.name for p in env.site.iterdir()) == tree


@pytest.mark.slow
def test_a_frozen_program_has_nothing_to_do_with_it(env: Env, tmp_path: Path) -> None:
    needs("PyInstaller")
    beside(env)
    (tmp_path / "app.py").write_text("import sys; print('FROZEN', '_trueup_hook' in sys.modules)")
    arguments = ["-m", "PyInstaller", "--onefile", "--log-level", "ERROR", "--distpath", str(tmp_path)]
    where = ["--workpath", str(tmp_path / "w"), "--specpath", str(tmp_path)]
    subprocess.run(
        [env.python, *arguments, *where, tmp_path / "app.py"],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        check=True,
        capture_output=True,
        timeout=600,
    )
    told = subprocess.run([tmp_path / "app"], capture_output=True, text=True, check=True, timeout=120)
    assert told.stdout.strip() == "FROZEN False"


def test_threads_that_import_at_the_same_time(env: Env) -> None:
    code = (
        "import threading, sys, importlib\n"
        "def go(): importlib.import_module('tensorflow')\n"
        "ts = [threading.Thread(target=go) for _ in range(8)]\n"
        "[t.start() for t in ts]; [t.join() for t in ts]\n"
        "print([a for a, _ in sys.modules['_trueup_hook'].done].count('import'))"
    )
    assert env.out(code) == "1"


def test_a_forked_server_of_processes(tmp_path: Path, libraries: Path) -> None:
    env = make(tmp_path / "env", libraries)
    (env.site / "job.py").write_text(
        "import multiprocessing as m\n"
        f"def ask(_):\n    import tensorflow as t\n    return all(t.opens(n) for n in {CUDA11})\n"
        "if __name__ == '__main__':\n"
        "    print([m.get_context(w).Pool(1).map(ask, [0])[0] for w in ('fork', 'forkserver', 'spawn')])\n"
    )
    assert env.out(["-m", "job"]) == "[True, True, True]"
