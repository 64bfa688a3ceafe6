"""Every copy of CUDA with who uses it, on described machines."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from cuda_worlds import CUDA, linux, toolkit, windows

from trueup.cli.main import run
from trueup.keep.cuda.copies import Copies, User, all_copies
from trueup.keep.cuda.sizes import folder_size
from trueup.machine.host import Recording
from trueup.machine.survey import read_survey
from trueup.report.cuda import list_data, list_text
from trueup.values import Unknown

if TYPE_CHECKING:
    from pathlib import Path

    from world import World

V118, V112 = f"{CUDA}\\v11.8", f"{CUDA}\\v11.2"
ENV = "C:\\work\\.venv"
SITE = f"{ENV}\\Lib\\site-packages"


def schema(name: str) -> Any:
    return json.loads(resources.files("trueup.report").joinpath("schemas", f"{name}.json").read_text("utf-8"))


def copies(world: World) -> Copies:
    return all_copies(world, read_survey(world, env_dir=ENV))


def venv(*packages: str, cuda: str = "64_112") -> dict[str, Any]:
    info = f"build_info = {{'is_cuda_build': True, 'cuda_version': '{cuda}', 'cudnn_version': '64_8'}}"
    files = {
        f"{ENV}\\pyvenv.cfg": "home = C:\\Python310\nversion = 3.10.11\n",
        f"{SITE}\\tensorflow\\python\\platform\\build_info.py": info,
        f"{ENV}\\Scripts\\python.exe": "<pe64>",
    }
    files |= {
        f"{SITE}\\{name}.dist-info\\RECORD": f"nvidia/{name}.dll,sha256=x,1000000\n" for name in packages
    }
    return {"files": files, "packages": {SITE: ["tensorflow-2.10.1", *packages]}}


def test_toolkits_with_their_users_and_the_first_of_each_name() -> None:
    world = windows(
        toolkit(), toolkit("11.2", "8.1.0.77"), venv(), path=(f"{V112}\\bin", f"{V118}\\bin"),
        CUDA_PATH=V118, CUDA_PATH_V11_8=V118,
    )  # fmt: skip
    found = copies(world)
    by_path = {copy.path: copy for copy in found.copies}
    assert (by_path[V118].cuda, by_path[V118].cudnn) == ("11.8.0", "8.9.5.29")
    assert by_path[V112].users == (User("path", "PATH"), User("environment", ENV))
    names = {user.name for user in by_path[V118].users}
    assert names == {"CUDA_PATH", "CUDA_PATH_V11_8", "PATH"}
    first = {one.name: one for one in found.first}
    assert first["cudart64_110.dll"].path == f"{V112}\\bin\\cudart64_110.dll"
    assert first["cudnn64_8.dll"].shadows == (f"{V118}\\bin\\cudnn64_8.dll",)


@pytest.mark.parametrize(
    ("variable", "name"),
    [("", "/etc/ld.so.conf"), ("/opt/x:/usr/local/cuda-12.4/lib64", "LD_LIBRARY_PATH")],
)
def test_linux_names_what_leads_the_loader_to_a_toolkit(variable: str, name: str) -> None:
    root = "/usr/local/cuda-12.4"
    files = {
        f"{root}/version.json": '{"cuda": {"version": "12.4.1"}}',
        f"{root}/bin/nvcc": "",
        f"{root}/lib64/libcudart.so.12": "",
        "/etc/ld.so.conf.d/cuda.conf": f"{root}/lib64\n",
    }
    (copy,) = copies(linux(files, LD_LIBRARY_PATH=variable)).copies
    assert copy.users == (User("path", name),)


def test_wheels_of_an_environment_are_a_copy_and_spare_it_the_machine_s() -> None:
    world = windows(
        toolkit(),
        venv("nvidia_cuda_runtime_cu11-11.8.89", "nvidia_cudnn_cu11-8.9.5.29"),
        path=(f"{V118}\\bin",),
    )
    by_kind = {copy.kind: copy for copy in copies(world).copies}
    wheels = by_kind["wheels"]
    assert (wheels.cuda, wheels.cudnn, wheels.size) == ("11.8.89", "8.9.5.29", 2_000_000)
    assert wheels.users == (User("environment", ENV),)
    assert User("environment", ENV) not in by_kind["toolkit"].users


def test_conda_s_copy() -> None:
    prefix = "C:\\Users\\li\\miniconda3\\envs\\tf"
    meta = f"{prefix}\\conda-meta"
    record = json.dumps({"paths_data": {"paths": [{"size_in_bytes": 700}, {"size_in_bytes": 300}]}})
    names = ("cudatoolkit-11.2.2-h7d7167e_10", "cudnn-8.1.0.77-h3e0f4f4_0")
    files = {f"{meta}\\{name}.json": record for name in names}
    files |= {f"{meta}\\python-3.10.4-hcf16a7b_0.json": "{}", f"{prefix}\\python.exe": "<pe64>"}
    files["C:\\Users\\li\\.conda\\environments.txt"] = prefix + "\n"
    [copy] = copies(windows({"files": files})).copies
    assert (copy.kind, copy.cuda, copy.cudnn, copy.size) == ("conda", "11.2.2", "8.1.0.77", 2000)


def test_files_that_lie_loose_on_path() -> None:
    loose = {"versions": {"C:\\tools\\cuda\\bin\\cudnn64_8.dll": "8.1.0.77"}}
    [copy] = copies(windows(loose, path=("C:\\tools\\cuda\\bin",))).copies
    assert (copy.kind, copy.path, copy.cuda, copy.cudnn) == (
        "loose",
        "C:\\tools\\cuda\\bin",
        None,
        "8.1.0.77",
    )


def test_a_folder_too_large_has_no_size() -> None:
    world = windows(toolkit())
    assert isinstance(folder_size(world, V118, most=5), Unknown)
    assert isinstance(folder_size(world, V118), int)


def test_text_and_data_in_both_languages() -> None:
    found = copies(windows(toolkit(), venv(), path=(f"{V118}\\bin",), CUDA_PATH=V118))
    jsonschema.validate(list_data(found, "en"), schema("cuda-list-1"))
    assert "used by: variable `CUDA_PATH`, `PATH`, environment" in list_text(found, "en")
    assert "使用者：变量 `CUDA_PATH`" in list_text(found, "zh_CN")


def test_nothing_there_is_said_with_the_way_on() -> None:
    assert "none is needed" in list_text(copies(windows()), "en")


def test_the_commands_on_a_recorded_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from trueup.facts import load
    from trueup.keep.cuda.examined import examined
    from trueup.keep.cuda.model import Scene

    recording = Recording(windows(toolkit(), path=(f"{V118}\\bin",), CUDA_PATH=CUDA), ENV)
    survey = read_survey(recording, env_dir=ENV)
    assert not isinstance(survey.cuda, Unknown)
    all_copies(recording, survey)
    examined(Scene(recording, load(), survey.cuda), None)
    file = tmp_path / "machine.json"
    file.write_text(json.dumps(recording.document()), "utf-8")
    assert run(["cuda", "list", "--machine", str(file), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    jsonschema.validate(listed, schema("cuda-list-1"))
    assert [copy["kind"] for copy in listed["copies"]] == ["toolkit"]
    assert run(["cuda", "doctor", "--machine", str(file), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, schema("cuda-doctor-1"))
    assert [one["id"] for one in answer["variables"]] == ["variable-parent"]


def test_a_folder_that_is_no_toolkit_is_the_user_s_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["cuda", "doctor", str(tmp_path)]) == 2
    assert "is no CUDA toolkit" in capsys.readouterr().err
