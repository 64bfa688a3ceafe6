"""The real TensorFlow 2.10.1 for Windows with NVIDIA's wheels and a stand-in driver: what the hook changes.

No kernel can run: the driver answers questions only. Each start takes about a minute.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from test_starts_windows import TOOLS, kernel_asks
from winehost import MINGW, ROOT, Wine, windows

from trueup.proof import closure
from trueup.setup import hook

SET = ROOT / "cache" / "tf210win"
pytestmark = [
    pytest.mark.wine,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (SET / "tensorflow").is_dir(),
        reason="needs 2.2 GB: `.ci/wine.sh --tensorflow` downloads TensorFlow 2.10.1 for Windows and CUDA 11.8",
    ),
]
EIGHT = (
    *("cudart64_110", "cublas64_11", "cublasLt64_11", "cufft64_10"),
    *("curand64_10", "cusolver64_11", "cusparse64_11", "cudnn64_8"),
)
ASK = "import tensorflow as tf\nprint('GPUS', [d.name for d in tf.config.list_physical_devices('GPU')])\n"
LISTED = "GPUS ['/physical_device:GPU:0']"


@pytest.fixture(scope="module")
def env(wine: Wine) -> Path:
    """Return an environment, in a folder with spaces and Chinese characters, that shares the set's files."""
    folder = wine.prefix / "drive_c" / "envs" / "测试 环境"
    shutil.rmtree(folder, ignore_errors=True)
    wine.out("-m", "venv", "--without-pip", folder)
    site = folder / "Lib" / "site-packages"
    shutil.copytree(SET, site, copy_function=os.link, dirs_exist_ok=True)
    for dll in (*(site / "Scripts").glob("*.dll"), *site.glob("*140*.dll")):
        shutil.move(dll, folder / ("Scripts" if dll.parent.name == "Scripts" else ".") / dll.name)
    hook.install(site)
    return folder


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("driver")
    source = Path(__file__).parent / "c" / "nvcuda.c"
    subprocess.run([MINGW, "-shared", "-s", "-O1", "-o", folder / "nvcuda.dll", source], check=True)
    return windows(folder)


def run(wine: Wine, env: Path, *arguments: str | Path, **variables: str) -> str:
    done = wine.run(env / "Scripts" / "python.exe", *arguments, timeout=600, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_without_the_hook_eight_libraries_are_missed(wine: Wine, env: Path, driver: str) -> None:
    told = run(wine, env, "-c", ASK, WINEPATH=driver, TRUEUP_HOOK="0")
    assert all(f"Could not load dynamic library '{name}.dll'" in told for name in EIGHT)
    assert "Cannot dlopen some GPU libraries" in told
    assert "GPUS []" in told


def test_a_script_lists_the_gpu(wine: Wine, env: Path, driver: str) -> None:
    script = env / "脚本 1.py"
    script.write_text(ASK, "utf-8")
    told = run(wine, env, script, WINEPATH=driver)
    assert LISTED in told
    assert "Could not load" not in told


def test_a_spawned_child_of_a_module_lists_the_gpu(wine: Wine, env: Path, driver: str) -> None:
    (env / "Lib" / "site-packages" / "childjob.py").write_text(
        "import multiprocessing as m\ndef ask(_):\n"
        "    import tensorflow as tf\n    return [d.name for d in tf.config.list_physical_devices('GPU')]\n"
        "if __name__ == '__main__':\n    print('GPUS', m.get_context('spawn').Pool(1).map(ask, [0])[0])\n"
    )
    assert LISTED in run(wine, env, "-m", "childjob", WINEPATH=driver)


def test_pythonw_lists_the_gpu(wine: Wine, env: Path, driver: str) -> None:
    """It has no streams at all."""
    answer, script = env / "answer.txt", env / "窗口.py"
    answer.unlink(missing_ok=True)
    script.write_text(f"import sys\nsys.stdout = open(sys.argv[1], 'w')\n{ASK}sys.stdout.close()\n", "utf-8")
    done = wine.run(env / "Scripts" / "pythonw.exe", script, answer, timeout=600, WINEPATH=driver)
    assert (done.returncode, answer.read_text().strip()) == (0, LISTED)


@pytest.mark.skipif(
    not TOOLS.is_dir(), reason="needs `.ci/wine.sh --starts`: debugpy and Jupyter for Windows, 90 MB"
)
def test_a_jupyter_kernel_lists_the_gpu(wine: Wine, env: Path, driver: str) -> None:
    beside = env / "Lib" / "site-packages" / "zz_tools.pth"
    beside.write_text(f"{windows(TOOLS)}\n", "utf-8")
    script = env / "kernel.py"
    script.write_text(kernel_asks(ASK), "utf-8")
    try:
        assert LISTED in run(wine, env, script, WINEPATH=driver, PYTHONDONTWRITEBYTECODE="1")
    finally:
        beside.unlink()


def test_pytest_lists_the_gpu(wine: Wine, env: Path, driver: str) -> None:
    (env / "test_gpu.py").write_text(
        f"def test_gpu():\n    {ASK.replace(chr(10), chr(10) + '    ')}\n", "utf-8"
    )
    base = wine.python.replace("python.exe", "Lib\\site-packages")
    arguments = ("-m", "pytest", "-s", "-p", "no:cacheprovider", "--rootdir", env, env / "test_gpu.py")
    assert LISTED in run(wine, env, *arguments, WINEPATH=driver, PYTHONPATH=base)


def test_it_trains_on_the_cpu_without_a_driver(wine: Wine, env: Path) -> None:
    code = (
        "import numpy as np, tensorflow as tf, sys\n"
        "x = np.random.RandomState(0).rand(256, 4).astype('float32'); y = x.sum(1)\n"
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)]); m.compile('sgd', 'mse')\n"
        "h = m.fit(x, y, epochs=3, verbose=0).history['loss']\n"
        "print('LEARNS', h[-1] < h[0], sys.modules['_trueup_hook'].done[-1])\n"
    )
    assert "LEARNS True ('skip', 'no driver')" in run(wine, env, "-c", code)


def test_the_set_is_closed(env: Path) -> None:
    target = closure.Target(
        "windows", "tensorflow", "2.10.1", python="3.10", capabilities=("7.5", "8.6", "8.9")
    )
    report = closure.prove(closure.environment(env / "Lib" / "site-packages"), target)
    assert report.complete
    assert report.symbols > 6000
    assert report.code_unknown == ()
    assert all(g.level(c) in ("native", "mixed") for g in report.gpu for c in target.capabilities)
