"""The self-finding hook on Windows Python, with DLLs compiled for the purpose and TensorFlow's own call."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from winehost import Wine, dll, windows

from trueup.setup import hook

pytestmark = pytest.mark.wine

FRAMEWORK = """
import ctypes
kernel32 = ctypes.WinDLL("kernel32")
kernel32.LoadLibraryExW.restype = kernel32.GetModuleHandleW.restype = ctypes.c_void_p
def opens(name):
    return bool(kernel32.LoadLibraryExW(ctypes.c_wchar_p(name), None, 8))
def where(name):
    text = ctypes.create_unicode_buffer(1024)
    handle = kernel32.GetModuleHandleW(name)
    if handle:
        kernel32.GetModuleFileNameW(ctypes.c_void_p(handle), text, 1024)
    return text.value
"""
DLLS = {
    "cudart64_110.dll": "cuda_runtime/bin",
    "cublasLt64_11.dll": "cublas/lib/x64",
    "cublas64_11.dll": "cublas/lib/x64",
    "cudnn_ops_infer64_8.dll": "cudnn/bin",
    "cudnn64_8.dll": "cudnn/bin",
}
OPENS = f"import tensorflow as t; print([n for n in {list(DLLS)} if not t.opens(n)])"
DONE = "import sys, json; print(json.dumps(sys.modules['_trueup_hook'].done))"
LINE = "__declspec(dllexport) int {0}(void) {{ return 1; }}"


@dataclass(frozen=True)
class Env:
    wine: Wine
    folder: Path
    driver: Path

    @property
    def site(self) -> Path:
        return self.folder / "Lib" / "site-packages"

    def out(self, *arguments: str | Path, driver: bool = True, **variables: str) -> str:
        variables |= {"WINEPATH": windows(self.driver)} if driver else {}
        done = self.wine.run(self.folder / "Scripts" / "python.exe", *arguments, timeout=120, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def done(
        self, code: str = "import tensorflow", *, driver: bool = True, **variables: str
    ) -> list[list[str]]:
        answer: list[list[str]] = json.loads(self.out("-c", f"{code}; {DONE}", driver=driver, **variables))
        return answer


def make(wine: Wine, folder: Path, driver: Path) -> Env:
    env = Env(wine, folder, driver)
    wine.out("-m", "venv", "--without-pip", folder)
    for name, place in DLLS.items():
        target = env.site / "nvidia" / place / name
        needs = [target.with_name("cublasLt64_11.dll")] if name == "cublas64_11.dll" else []
        dll(target, LINE.format(target.stem), *needs)
    libdevice = env.site / "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc"
    libdevice.parent.mkdir(parents=True)
    libdevice.write_bytes(b"BC")
    for name in ("tensorflow", "torch"):
        (env.site / name).mkdir()
        (env.site / name / "__init__.py").write_text(FRAMEWORK)
    (env.site / "tensorflow_gpu-2.10.1.dist-info").mkdir()
    hook.install(env.site)
    return env


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("driver")
    dll(folder / "nvcuda.dll", LINE.format("cuInit"))
    return folder


@pytest.fixture(scope="module")
def env(wine: Wine, driver: Path, tmp_path_factory: pytest.TempPathFactory) -> Env:
    return make(wine, tmp_path_factory.mktemp("plain") / "env", driver)


@pytest.mark.slow
def test_works_in_a_folder_with_spaces_and_chinese(wine: Wine, driver: Path, tmp_path: Path) -> None:
    env = make(wine, tmp_path / "深度 学习", driver)
    assert env.out("-c", OPENS) == "[]"
    assert [a for a, _ in env.done()] == ["import", "path", "skip"]  # XLA reads no such path


def test_finds_what_is_missed_without_it(env: Env) -> None:
    assert env.out("-c", OPENS) == "[]"
    assert env.out("-c", OPENS, TRUEUP_HOOK="0") == str(list(DLLS))


def test_added_folders_alone_would_not_do(env: Env) -> None:
    add = f"import os; os.add_dll_directory({str(windows(env.site / 'nvidia/cuda_runtime/bin'))!r}); "
    assert env.out("-c", add + OPENS, TRUEUP_HOOK="0") == str(list(DLLS))


def test_does_nothing_without_a_driver(env: Env) -> None:
    assert env.done(driver=False) == [["import", "tensorflow"], ["skip", "no driver"]]


def test_loads_nothing_before_it_is_asked_for(env: Env) -> None:
    assert [a for a, _ in env.done()] == ["import", "path", "xla"]
    assert env.out("-c", "import tensorflow as t; print(repr(t.where('cudnn64_8.dll')))") == "''"


def test_its_own_copy_wins_over_one_that_windows_would_find_before(env: Env, tmp_path: Path) -> None:
    dll(tmp_path / "cudnn64_8.dll", LINE.format("older"))
    code = (
        f"import os; os.chdir({windows(tmp_path)!r}); import tensorflow as t; "
        "assert t.opens('cudnn64_8.dll'); print(t.where('cudnn64_8.dll'))"
    )
    assert "nvidia" not in env.out("-c", code, TRUEUP_HOOK="0")
    assert "nvidia" in env.out("-c", code)


def test_loads_by_full_path_on_demand(env: Env) -> None:
    loaded = [Path(d.replace("\\", "/")).name for a, d in env.done(TRUEUP_HOOK="preload") if a == "preload"]
    assert loaded == list(DLLS)


def test_leaves_another_framework_alone(env: Env) -> None:
    assert env.done("import torch") == [["import", "torch"]]


def test_a_build_without_gpu_support_is_left_alone(env: Env) -> None:
    mark = env.site / "tensorflow_gpu-2.10.1.dist-info"
    other = mark.rename(env.site / "tensorflow_intel-2.11.0.dist-info")
    try:
        assert [a for a, _ in env.done()] == ["import", "skip"]
    finally:
        other.rename(mark)


def test_children_find_it_too_and_path_does_not_grow(env: Env) -> None:
    (env.site / "job.py").write_text(
        "import multiprocessing as m, os\n"
        f"def ask(_):\n    import tensorflow as t\n"
        f"    return all(t.opens(n) for n in {list(DLLS)}), len(os.environ['PATH'])\n"
        "if __name__ == '__main__':\n"
        "    import tensorflow\n"
        "    answer = m.get_context('spawn').Pool(1).map(ask, [0])\n"
        "    print(answer == [(True, len(os.environ['PATH']))])\n"
    )
    assert env.out("-m", "job") == "True"
    assert env.out(env.site / "job.py") == "True"


@pytest.mark.parametrize(("system", "taken"), [(None, True), ("14,0,0,0", True), ("14,42,1,0", False)])
def test_takes_its_vc_runtime_only_where_it_is_newer(
    wine: Wine, driver: Path, tmp_path: Path, system: str | None, taken: bool
) -> None:
    env = Env(wine, tmp_path / "env", driver)
    wine.out("-m", "venv", "--without-pip", env.folder)
    hook.install(env.site)
    (env.site / "torch").mkdir()
    (env.site / "torch" / "__init__.py").write_text(FRAMEWORK)
    for name in ("msvcp140.dll", "msvcp140_1.dll"):
        dll(env.folder / "Scripts" / name, LINE.format("x"), version="14,42,1,0")
        if system:
            dll(tmp_path / "System32" / name, LINE.format("x"), version=system)
    overrides = wine.variables["WINEDLLOVERRIDES"] + ";msvcp140,msvcp140_1=n,b"
    code = f"import os; os.environ['SYSTEMROOT'] = {windows(tmp_path)!r}; import torch as t; print(t.where('msvcp140_1.dll'))"
    answer = env.out("-c", code, driver=False, WINEDLLOVERRIDES=overrides)
    assert answer.lower().endswith(r"env\scripts\msvcp140_1.dll") == taken


def test_costs_a_start_less_than_a_small_module_of_the_library(env: Env) -> None:
    """Under Wine opening any file takes milliseconds, and the machine may be busy: what counts is a ratio."""
    code = (
        "import sys, time; sys.modules.pop('_trueup_hook'); sys.meta_path[:1] = []\n"
        "t = time.perf_counter(); import json; j = time.perf_counter() - t\n"
        "t = time.perf_counter(); import _trueup_hook as h; h.arm(); print((time.perf_counter() - t) / j)"
    )
    assert min(float(env.out("-c", code)) for _ in range(5)) < 1
