"""Environments that a real conda makes from a channel on loopback: listed, exported, repaired, undone.

The program is conda's own library, py-rattler, behind conda's words; with `TRUEUP_CONDA`, the path of a conda, that too.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml
from conda_packages import MINOR, SITE, Package, dist, into, pip_package, python_package, served, wheel
from uv import find_uv_bin

from trueup.cli.main import run
from trueup.setup.conda import overrides

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.setup.conda import Program

pytest.importorskip("rattler")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the packages are for Linux"),
]
SCHEMA = json.loads(
    resources.files("trueup.report").joinpath("schemas", "env-repair-1.json").read_text("utf-8")
)
REAL = os.environ.get("TRUEUP_CONDA", "")
BUILD_INFO = "build_info = {'is_cuda_build': False, 'is_rocm_build': False}\n"
TENSORFLOW = dist(
    "tensorflow",
    "2.13.0",
    {
        "tensorflow/__init__.py": "__version__ = '2.13.0'\n",
        "tensorflow/python/platform/build_info.py": BUILD_INFO,
    },
)
PACKAGES = (
    Package(
        "numpy", "1.24.4", "py_0", dist("numpy", "1.24.4", {"numpy/__init__.py": "__version__ = '1.24.4'\n"})
    ),
    Package("tensorflow", "2.13.0", "cpu_py_0", TENSORFLOW, ("python", "numpy")),
    pip_package(),
    Package("blas", "1.0", "openblas", {"lib/blas.txt": "openblas"}, more={"track_features": "openblas"}),
    Package("blas", "1.0", "mkl", {"lib/blas.txt": "mkl"}),
    Package(
        "libthing", "3.1", "h1_2", {"lib/libthing.so": "\x7fELF thing", "lib/libthing.so.3": "->libthing.so"}
    ),
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("channel"), python_package(), *PACKAGES) as found:
        yield found


@pytest.fixture(params=["rattler", *(["conda"] if REAL else [])])
def lab(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """Return a home whose `conda` works against the channel and nothing else."""
    home = tmp_path / "lab"
    (home / "bin").mkdir(parents=True)
    program = home / "bin" / "conda"
    if request.param == "rattler":
        script = Path(__file__).with_name("rattler_conda.py")
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
    else:
        program.write_text(f'#!/bin/sh\nexec "{REAL}" "$@"\n')
    program.chmod(0o755)
    (home / "condarc").write_text(
        "channels: []\ndefault_channels: []\nsolver: classic\nnotify_outdated_conda: false\n"
    )
    for name in (
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
        "CONDA_EXE",
        "MAMBA_EXE",
        "CONDA_PREFIX",
        "VIRTUAL_ENV",
        "PYTHONPATH",
    ):
        monkeypatch.delenv(name, raising=False)
    values = {
        "HOME": home, "PATH": f"{home / 'bin'}{os.pathsep}{os.defpath}", "CHANNEL_ALIAS": address, "UV": find_uv_bin(),
        "PKGS": home / "pkgs", "CONDARC": home / "condarc", "CONDA_CHANNEL_ALIAS": address,
        "CONDA_PKGS_DIRS": home / "pkgs", "UV_CACHE_DIR": tmp_path_factory.getbasetemp() / "uv-cache",
        "CONDA_LOG": home / "log",
    }  # fmt: skip
    for name, value in values.items():
        monkeypatch.setenv(name, str(value))
    return home


def conda(lab: Path, *words: str) -> None:
    done = subprocess.run([lab / "bin" / "conda", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def made(lab: Path, name: str = "训练", *specs: str) -> Path:
    """Let conda make an environment, as a user would."""
    env = lab / "envs" / name
    env.parent.mkdir(exist_ok=True)
    wanted = specs or ("tensorflow", "numpy", "pip", "libthing")
    file = lab / "environment.yml"
    document = {
        "name": name,
        "channels": ["conda-forge"],
        "dependencies": [f"python={MINOR}", *wanted],
    }
    file.write_text(yaml.safe_dump(document))
    conda(lab, "env", "create", "--file", str(file), "--prefix", str(env))
    return env


def picture(folder: Path) -> dict[str, Any]:
    """Return every path with what it is: what must be the same after an undo."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        about: tuple[Any, ...] = (state.st_mode, state.st_mtime_ns if not path.is_dir() else 0, state.st_ino)
        if path.is_symlink():
            about += (os.readlink(path),)  # noqa: PTH115
        elif path.is_file():
            about += (hashlib.sha256(path.read_bytes()).hexdigest(),)
        found[str(path.relative_to(folder))] = about
    return found


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Mapping[str, Any]]:
    capsys.readouterr()
    status = run([*words, "--json"])
    answer: Mapping[str, Any] = json.loads(capsys.readouterr().out)
    if words[0] == "env" and words[1] != "list":
        jsonschema.validate(answer, SCHEMA)
    return status, answer


def imported(env: Path, name: str) -> str:
    command = [str(env / "bin" / "python"), "-c", f"import {name}; print({name}.__version__)"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return str(done.stdout).strip()


def break_it(env: Path, folder: Path) -> None:
    """Do what guides do: another NumPy by pip, a broken uninstallation, a library that a scanner took away."""
    newer = wheel(folder, "numpy", "2.0.2", {"numpy/__init__.py": "__version__ = '2.0.2'\n"})
    into(env, str(newer))
    (env / SITE / "~ensorflow").mkdir()
    (env / SITE / "~ensorflow" / "rest.py").write_text("rest")
    (env / "lib" / "libthing.so").unlink()


def test_it_is_looked_into_mended_and_taken_back(
    lab: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env = made(lab)
    status, whole = asked(capsys, "env", "check", str(env))
    assert (status, whole["sound"], whole["tool"]) == (0, True, "conda")
    break_it(env, tmp_path)
    before = picture(env)

    status, wrong = asked(capsys, "env", "check", str(env))
    assert status == 1
    assert [one["id"] for one in wrong["problems"]] == ["numpy-2-abi"]
    assert wrong["shadows"] == [{"name": "numpy", "pip": "2.0.2", "conda": "1.24.4"}]
    assert [(one["by"], one["name"], one["files"]) for one in wrong["missing"]] == [
        ("conda", "libthing", ["lib/libthing.so"])
    ]

    status, shown = asked(capsys, "env", "repair", str(env))
    assert (status, shown["mode"]) == (1, "planned")
    rows = {
        row["name"].rpartition("/")[2]: (row["goes"], row["comes"], row["source"])
        for row in shown["plan"]["rows"]
    }
    assert rows == {
        "~ensorflow": ("", None, ""),
        "numpy": ("2.0.2", "1.24.4", "conda-forge"),
        "libthing": ("3.1", "3.1", "conda-forge"),
    }
    assert picture(env) == before  # a look changes nothing

    status, done = asked(capsys, "env", "repair", str(env), "--apply", "--yes")
    assert (status, done["mode"], done["sound"]) == (0, "repaired", True)
    assert imported(env, "numpy") == "1.24.4"
    assert (env / "lib" / "libthing.so").read_text() == "\x7fELF thing"
    assert not (env / SITE / "~ensorflow").exists()
    assert picture(Path(done["kept"].replace("~", str(lab), 1))) == before

    assert run(["undo", "--yes"]) == 0
    after = picture(env)
    assert {name: row for name, row in after.items() if "__pycache__" not in name} == {
        name: row for name, row in before.items() if "__pycache__" not in name
    }
    assert imported(env, "numpy") == "2.0.2"
    assert [path.name for path in env.parent.iterdir()] == [env.name]


def test_a_failure_in_the_middle_brings_it_back(
    lab: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env = made(lab)
    break_it(env, tmp_path)
    before = picture(env)
    shutil.rmtree(lab / "pkgs", ignore_errors=True)
    (lab / "bin" / "conda").write_text("#!/bin/sh\necho CondaHTTPError >&2\nexit 1\n")
    assert run(["env", "repair", str(env), "--apply", "--yes"]) == 2
    said = capsys.readouterr().err
    assert "conda did not do it" in said
    assert f"`{env}` is again as it was" in said
    assert picture(env) == before
    assert [path.name for path in env.parent.iterdir()] == [env.name]


def test_what_was_done_since_stays_beside(lab: Path, tmp_path: Path) -> None:
    env = made(lab)
    break_it(env, tmp_path)
    assert run(["env", "repair", str(env), "--apply", "--yes", "--lang", "zh"]) == 0
    (env / SITE / "mine.py").write_text("work = 1")
    assert run(["undo", "--yes"]) == 0
    aside = [path for path in env.parent.iterdir() if ".trueup-undone-" in path.name]
    assert [(path / SITE / "mine.py").read_text() for path in aside] == ["work = 1"]
    assert imported(env, "numpy") == "2.0.2"


def test_up_builds_by_it_and_undo_takes_it_away(
    lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from trueup.cli import up_conda

    wheel(tmp_path, "locked", "1.5", {"locked.py": "__version__ = '1.5'\n"})

    def text(_walk: object, _chosen: object, program: Program) -> str:
        alone = [] if overrides(program) else ["  - nodefaults"]
        pins = ["--no-index", f"--find-links {tmp_path}", "locked==1.5"]
        head = [
            "name: tensorflow",
            "channels:",
            "  - conda-forge",
            *alone,
            "dependencies:",
            f"  - python={MINOR}",
        ]
        rows = ["  - tensorflow", "  - pip", "  - pip:", *(f"      - {json.dumps(pin)}" for pin in pins)]
        return "\n".join([*head, *rows]) + "\n"

    (lab / "condarc").write_text("channels: [other]\nsolver: classic\nnotify_outdated_conda: false\n")
    monkeypatch.setattr(up_conda, "written", text)
    env = lab / "envs" / "深度学习"
    words = [
        "up",
        "tensorflow",
        "--route",
        "cpu",
        "--installer",
        "conda",
        "--env",
        str(env),
        "--yes",
        "--no-prove",
    ]
    assert run([*words, "--json"]) == 1  # unproven, as asked
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "unproven"
    assert (imported(env, "tensorflow"), imported(env, "locked")) == ("2.13.0", "1.5")
    _, listed = asked(capsys, "env", "list", "--env", str(tmp_path / "none"))
    [mine] = [one for one in listed["environments"] if one["path"].endswith("深度学习")]
    assert (mine["tool"], mine["frameworks"][0]["version"]) == ("conda", "2.13.0")
    assert run(["undo", "--yes"]) == 0
    assert list(env.parent.iterdir()) == []


def test_an_exported_environment_is_made_again(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = made(lab, "源", "tensorflow", "pip", "blas ==1.0 openblas")
    status, answer = asked(capsys, "export", "--env", str(env))
    assert status == 0
    document = yaml.safe_load(answer["text"])
    assert "blas ==1.0 openblas" in document["dependencies"]
    assert str(env) not in answer["text"]
    (lab / "again.yml").write_text(answer["text"], encoding="utf-8")
    again = lab / "envs" / "again"
    conda(lab, "env", "create", "--file", str(lab / "again.yml"), "--prefix", str(again))
    assert (again / "lib" / "blas.txt").read_text() == "openblas"
    records = [sorted(path.name for path in (one / "conda-meta").glob("*.json")) for one in (env, again)]
    assert records[0] == records[1]


@pytest.mark.network
def test_a_framework_comes_from_the_index_and_conda_s_numpy_stays(
    lab: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two ONNX Runtimes share one folder: one goes, the other comes anew, with what it asks for."""
    monkeypatch.delenv("UV_CACHE_DIR")
    env = made(lab, "推理", "numpy", "pip")
    for name in ("onnxruntime", "onnxruntime_gpu"):
        into(env, str(wheel(tmp_path, name, "1.20.1", {"onnxruntime/__init__.py": "__version__ = 'fake'\n"})))
    before = picture(env)
    status, shown = asked(capsys, "env", "repair", str(env))
    assert (status, shown["mode"]) == (1, "planned")
    assert "onnxruntime-cpu-and-gpu-both" in {one["id"] for one in shown["problems"]}
    rows = {row["name"]: (row["goes"], row["comes"]) for row in shown["plan"]["rows"]}
    assert rows["onnxruntime-gpu"] == ("1.20.1", None)
    assert rows["onnxruntime"] == ("1.20.1", "1.20.1")
    assert "numpy" not in rows
    status, done = asked(capsys, "env", "repair", str(env), "--apply", "--yes")
    assert (status, done["sound"]) == (0, True)
    assert list((env / SITE / "onnxruntime" / "capi").glob("onnxruntime_pybind11_state*.so"))
    assert run(["undo", "--yes"]) == 0
    assert picture(env) == before
