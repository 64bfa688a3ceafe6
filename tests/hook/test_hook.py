"""The self-finding hook on Linux, in real interpreters, with libraries compiled for the purpose."""

from __future__ import annotations

import json
import subprocess
import sys
import zipapp
from pathlib import Path

import pytest
from hookenv import CUDA11, Env, build, make

from trueup.setup import hook

OPENS = f"import tensorflow as t; print(all(t.opens(n) for n in {CUDA11}))"
DONE = "import sys, json; print(json.dumps(sys.modules['_trueup_hook'].done))"
PYTHONS = sorted(Path(sys.base_prefix).parent.glob("3.*/bin/python"))


def done(
    env: Env, code: str = "import tensorflow", *, driver: bool = True, **variables: str
) -> list[list[str]]:
    answer: list[list[str]] = json.loads(env.out(f"{code}; {DONE}", driver=driver, **variables))
    return answer


def actions(env: Env, *, driver: bool = True, **variables: str) -> set[str]:
    return {action for action, _ in done(env, driver=driver, **variables)}


def test_installs_replaces_and_removes(tmp_path: Path) -> None:
    (tmp_path / "trueup.pth").write_text("an older one")
    written = hook.install(tmp_path)
    assert {p.name: p.read_text("ascii") for p in written} == hook.files()
    assert written[-1].suffix == ".pth"  # an interrupted writing starts nothing that is not there
    assert sorted(hook.remove(tmp_path)) == sorted(written)
    assert list(tmp_path.iterdir()) == []
    assert hook.remove(tmp_path) == []


@pytest.mark.parametrize("name", ["env", "深度 学习 envs"])
def test_finds_the_libraries_that_are_missed_without_it(tmp_path: Path, libraries: Path, name: str) -> None:
    env = make(tmp_path / name, libraries)
    assert env.out(OPENS) == "True"
    assert env.out(OPENS, TRUEUP_HOOK="0") == "False"
    hook.remove(env.site)
    assert env.out(OPENS) == "False"


@pytest.mark.parametrize("python", PYTHONS, ids=lambda p: p.parent.parent.name)
def test_runs_on_every_python(python: Path, env: Env) -> None:
    start = f"import site; site.addsitedir({str(env.site)!r}); "
    other = Env(python, env.site, env.driver)
    assert other.out(start + OPENS) == "True"


def test_does_nothing_without_a_driver(env: Env) -> None:
    assert done(env, driver=False) == [["import", "tensorflow"], ["skip", "no driver"]]
    assert env.out("import tensorflow, os; print(os.environ.get('XLA_FLAGS'))", driver=False) == "None"


def test_a_question_changes_nothing(env: Env) -> None:
    code = "import importlib.util as u; assert u.find_spec('tensorflow').origin; import sys"
    assert done(env, code) == []


def test_an_ordinary_start_loads_nothing(env: Env) -> None:
    code = "import sys; print(sorted(sys.modules))"
    assert set(eval(env.out(code))) - set(eval(env.out(code, TRUEUP_HOOK="0"))) == set()  # noqa: S307


def test_a_start_costs_no_more_than_a_small_module_of_the_library(env: Env) -> None:
    """`bench/hook.py` measures it in milliseconds; here the machine may be busy, so what counts is a ratio."""
    code = (
        "import sys, time; t = time.perf_counter(); import json; j = time.perf_counter() - t\n"
        "sys.path.append(%r); sys.modules.pop('_trueup_hook', None); sys.meta_path[:1] = []\n"
        "t = time.perf_counter(); import _trueup_hook; _trueup_hook.arm(); print((time.perf_counter() - t) / j)"
    )
    assert min(float(env.out(code % str(env.site))) for _ in range(7)) < 1


def test_leaves_another_framework_alone(env: Env) -> None:
    assert done(env, "import torch") == [["import", "torch"]]


def test_serves_onnxruntime_where_it_is_a_gpu_build(env: Env) -> None:
    capi = env.site / "onnxruntime" / "capi"
    capi.mkdir(parents=True)
    (env.site / "onnxruntime" / "__init__.py").write_text("")
    assert done(env, "import onnxruntime")[-1] == ["skip", "a build without GPU support"]
    (capi / "libonnxruntime_providers_cuda.so").write_bytes(b"")
    loaded = {Path(d).name for a, d in done(env, "import onnxruntime") if a == "preload"}
    assert {"libcudart.so.12", "libcudnn.so.8"} <= loaded
    assert env.out("import onnxruntime, os; print(os.environ.get('XLA_FLAGS'))") == "None"


def test_leaves_a_build_for_the_processor_alone(env: Env) -> None:
    env.framework("2.10.1", "tensorflow_cpu")
    assert done(env)[-1] == ["skip", "a build without GPU support"]


def test_takes_what_another_framework_has_loaded(env: Env, tmp_path: Path) -> None:
    other = tmp_path / "torch" / "lib" / "libcudnn.so.8"
    build(other)
    answer = done(env, f"import torch; assert torch.opens({str(other)!r}); import tensorflow")
    assert ["loaded-before", "libcudnn.so.8"] in answer
    assert not any(detail.endswith("cudnn.so.8") for action, detail in answer if action == "preload")


@pytest.mark.parametrize(("version", "whose"), [(8500, "nvidia"), (8600, "nvidia"), (8700, "torch")])
def test_torch_is_never_given_an_older_cudnn_than_its_own(env: Env, version: int, whose: str) -> None:
    build(env.site / "torch" / "lib" / "libcudnn.so.8", cudnn=version)
    code = (
        "import tensorflow as t, torch; assert torch.opens('libcudnn.so.8'); "
        "print({l.split()[-1] for l in open('/proc/self/maps') if 'libcudnn' in l})"
    )
    (loaded,) = eval(env.out(code))  # noqa: S307
    assert Path(loaded).relative_to(env.site).parts[0] == whose


def test_names_what_it_did(env: Env) -> None:
    told = env.run("import tensorflow", TRUEUP_HOOK="trace").stderr.splitlines()
    assert f"[trueup hook] preload {env.site}/nvidia/cudnn/lib/libcudnn.so.8" in told
    assert env.run("import tensorflow").stderr == ""


def test_survives_missing_and_broken_files(env: Env) -> None:
    (env.site / "nvidia/cudnn/lib/libcudnn.so.8").unlink()
    (env.site / "nvidia/cuda_runtime/lib/libcudart.so.11.0").write_bytes(b"")
    answer = done(env)
    assert [a for a, d in answer if "libcudart.so.11.0" in d] == ["failed"]
    assert any(a == "preload" and d.endswith("libcublas.so.11") for a, d in answer)


def test_an_error_of_its_own_stops_no_framework(env: Env) -> None:
    module = env.site / hook.WORK
    text = module.read_text("utf-8")
    module.write_text(text.replace("version = _version(site)", "raise KeyError"), "utf-8")
    assert done(env)[-1][0] == "error"
    module.unlink()
    assert done(env)[-1][0] == "error"


@pytest.mark.parametrize("flag", ["-S", "-I", "-E", "-s", "-B"])
def test_bears_interpreter_flags(env: Env, flag: str) -> None:
    found = env.out([flag, "-c", "import sys; print('_trueup_hook' in sys.modules)"])
    assert found == str(flag != "-S")


def test_bears_zipapps_and_other_pth_users(env: Env, tmp_path: Path) -> None:
    (env.site / "zzz.pth").write_text("import sys; sys.zzz = 1\n")
    source = tmp_path / "app"
    source.mkdir()
    (source / "__main__.py").write_text(f"import sys; assert sys.zzz; {OPENS}")
    zipapp.create_archive(source, tmp_path / "app.pyz")
    assert env.out([str(tmp_path / "app.pyz")]) == "True"


def test_reaches_module_starts_and_spawned_children(env: Env) -> None:
    (env.site / "job.py").write_text(
        "import multiprocessing as m\n"
        f"def ask(_):\n    import tensorflow as t\n    return all(t.opens(n) for n in {CUDA11})\n"
        "if __name__ == '__main__':\n    print(m.get_context('spawn').Pool(1).map(ask, [0]))\n"
    )
    assert env.out(["-m", "job"]) == "[True]"
    assert env.out([str(env.site / "job.py")]) == "[True]"


def test_the_framework_keeps_its_loader(env: Env) -> None:
    code = (
        "import tensorflow as t, importlib; s = t.__spec__; "
        "print(type(s.loader).__name__, 'exec_module' in vars(s.loader), importlib.reload(t) is t)"
    )
    assert env.out(code) == "SourceFileLoader False True"


def test_an_empty_folder_of_that_name_is_left_alone(env: Env) -> None:
    (env.site / "tensorflow" / "__init__.py").unlink()
    assert done(env) == []


@pytest.mark.parametrize(
    ("version", "package", "expected"),
    [
        ("2.10.1", "tensorflow", {"11.0"}),
        ("2.13.1", "tensorflow", {"11.0"}),
        ("2.14.1", "tensorflow", {"11.0"}),
        ("2.15.1", "tensorflow", {"12"}),
        ("2.16.1", "tensorflow", {"12"}),
        ("2.21.0", "tensorflow", {"12"}),
        ("2.10.1", "tensorflow_gpu", {"11.0"}),
        ("9", "unrelated", {"11.0", "12"}),  # an own build: whatever is there
    ],
)
def test_loads_the_line_that_the_release_asks_for(
    env: Env, version: str, package: str, expected: set[str]
) -> None:
    env.framework(version, package)
    loaded = {Path(d).name for a, d in done(env) if a == "preload"}
    assert {n.removeprefix("libcudart.so.") for n in loaded if n.startswith("libcudart")} == expected


def test_names_libdevice_to_xla(env: Env) -> None:
    code = "import tensorflow, os; print(os.environ.get('XLA_FLAGS'))"
    mine = f"--xla_gpu_cuda_data_dir={env.site}/nvidia/cuda_nvcc"
    assert env.out(code) == mine
    assert env.out(code, XLA_FLAGS="--xla_dump_to=/x") == "--xla_dump_to=/x"
    assert env.out(code, XLA_FLAGS="--xla_gpu_cuda_data_dir=/other/nvidia/cuda_nvcc") == mine
    env.framework("2.17.0")
    assert env.out(code) == "None"


def test_quotes_a_path_with_spaces_for_xla(tmp_path: Path, libraries: Path) -> None:
    env = make(tmp_path / "with space", libraries)
    code = "import tensorflow, os; print(os.environ['XLA_FLAGS'])"
    assert env.out(code) == f"--xla_gpu_cuda_data_dir='{env.site}/nvidia/cuda_nvcc'"


def test_needs_no_sys_stderr(env: Env) -> None:
    code = "import sys; sys.stderr = None; import tensorflow; print('ran')"
    assert env.out(code, TRUEUP_HOOK="trace") == "ran"


def test_sees_the_soname_not_a_second_copy(env: Env) -> None:
    """A library opened by the hook is the one that a later bare name gets."""
    code = (
        "import tensorflow as t; t.opens('libcudnn.so.8'); "
        "print({l.split()[-1] for l in open('/proc/self/maps') if 'libcudnn' in l})"
    )
    assert env.out(code) == str({f"{env.site}/nvidia/cudnn/lib/libcudnn.so.8"})


def test_the_module_is_parsed_by_the_oldest_python() -> None:
    oldest = next((p for p in PYTHONS if p.parent.parent.name.startswith("3.6")), None)
    if oldest is None:
        pytest.skip("no Python 3.6 beside this one")
    for text in hook.files().values():
        subprocess.run(
            [oldest, "-c", "import ast, sys; ast.parse(sys.stdin.read())"], input=text.encode(), check=True
        )
