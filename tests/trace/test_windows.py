"""The two searches of Windows over DLLs made for the purpose; no Windows is needed."""

from __future__ import annotations

import io
from typing import BinaryIO

import pytest
from make_pe import PeMaker
from world import World

from trueup.diagnose.trace import Trace, trace
from trueup.diagnose.trace.windows import WindowsSearch
from trueup.proof.closure.tables import Wanted

APP, SITE, CUDA = "C:\\Python310", "D:\\env\\Lib\\site-packages\\tensorflow\\python", "C:\\cuda\\bin"
PYD = SITE + "\\_core.pyd"
SYSTEM = "C:\\Windows\\System32"


def pe(*imports: str, machine: int = 0x8664, version: tuple[int, int, int, int] | None = None) -> bytes:
    return PeMaker(imports={name: ["f"] for name in imports}, machine=machine, version=version).content()


def run(
    files: dict[str, bytes],
    loads: list[str] | None = None,
    *,
    python: tuple[int, int] = (3, 10),
    added: tuple[str, ...] = (),
) -> Trace:
    world = World(
        {
            "platform": "windows",
            "env": {"SYSTEMROOT": "C:\\Windows", "PATH": f'"{CUDA}";C:\\old\\bin'},
            "files": dict.fromkeys(files, ""),
        }
    )
    contents = {path.lower(): data for path, data in files.items()}

    def open_(path: str) -> BinaryIO:
        return io.BytesIO(contents[path.lower()])

    wanted = Wanted({"loads": loads}) if loads is not None else None
    return trace(WindowsSearch(world, APP, python, added), open_, [PYD], wanted)


def origins(found: Trace) -> dict[str, str | None]:
    return {node.name: node.found.origin for node in found.nodes}


def test_an_import_of_an_extension_module_is_not_searched_on_path() -> None:
    files = {PYD: pe("helper.dll"), CUDA + "\\helper.dll": pe()}
    found = run(files)
    assert origins(found)["helper.dll"] is None
    assert [node.name for node in found.broken] == ["helper.dll"]
    assert found.broken[0].found.looked == (SITE, APP, SYSTEM)


def test_before_python_3_8_it_was() -> None:
    files = {PYD: pe("helper.dll"), CUDA + "\\helper.dll": pe()}
    assert origins(run(files, python=(3, 7)))["helper.dll"] == "path"


def test_what_an_import_imports_is_searched_the_same_way() -> None:
    files = {PYD: pe("a.dll"), SITE + "\\a.dll": pe("b.dll"), CUDA + "\\b.dll": pe()}
    assert origins(run(files)) == {"_core.pyd": "given", "a.dll": "own-folder", "b.dll": None}


def test_a_name_loaded_at_run_time_is_searched_on_path_but_not_in_added_folders() -> None:
    files = {PYD: pe(), CUDA + "\\cudart64_110.dll": pe(), "D:\\added\\cudnn64_8.dll": pe()}
    found = run(files, ["cudart64_110.dll", "cudnn64_8.dll"], added=("D:\\added",))
    assert origins(found)["cudart64_110.dll"] == "path"
    assert origins(found)["cudnn64_8.dll"] is None


def test_ctypes_finds_the_runtime_in_added_folders_and_not_on_path() -> None:
    there = {PYD: pe(), "D:\\added\\msvcp140.dll": pe()}
    assert origins(run(there, ["msvcp140.dll"], added=("D:\\added",)))["msvcp140.dll"] == "added"
    on_path = {PYD: pe(), CUDA + "\\msvcp140.dll": pe()}
    assert origins(run(on_path, ["msvcp140.dll"]))["msvcp140.dll"] is None


def test_the_program_s_folder_and_system32_come_before_path() -> None:
    name = "cublas64_11.dll"
    files = {PYD: pe(), f"{SYSTEM}\\{name}": pe(), f"{CUDA}\\{name}": pe(), f"C:\\old\\bin\\{name}": pe()}
    node = run(files, [name]).nodes[1]
    assert node.found.origin == "system32"
    assert node.found.shadows == (f"{CUDA}\\{name}", f"C:\\old\\bin\\{name}")


def test_a_library_that_is_in_the_process_is_not_searched_again() -> None:
    files = {PYD: pe("cublas64_11.dll"), SITE + "\\cublas64_11.dll": pe(), CUDA + "\\cublas64_11.dll": pe()}
    found = run(files, ["CUBLAS64_11.dll"])
    assert origins(found) == {"_core.pyd": "given", "cublas64_11.dll": "own-folder"}


def test_api_sets_are_no_files() -> None:
    assert (
        origins(run({PYD: pe("api-ms-win-crt-math-l1-1-0.dll")}))["api-ms-win-crt-math-l1-1-0.dll"]
        == "api-set"
    )


def test_a_32_bit_copy_does_not_load() -> None:
    files = {PYD: pe(), CUDA + "\\cudart64_110.dll": pe(machine=0x14C)}
    (broken,) = run(files, ["cudart64_110.dll"]).broken
    assert broken.fault == "wrong-machine"


def test_a_file_that_is_no_library() -> None:
    files = {PYD: pe(), CUDA + "\\cudart64_110.dll": b"<html>"}
    (broken,) = run(files, ["cudart64_110.dll"]).broken
    assert broken.fault == "unreadable"


def test_cudnn_s_parts_are_asked_for_and_versions_are_told() -> None:
    files = {PYD: pe(), CUDA + "\\cudnn64_8.dll": pe(version=(8, 9, 5, 29))}
    found = run(files, ["cudnn64_8.dll"])
    assert found.nodes[1].version == "8.9.5.29"
    assert "cudnn_ops_infer64_8.dll" in [node.name for node in found.broken]


@pytest.mark.parametrize("loads", [None, []])
def test_unknown_names_are_not_no_names(loads: list[str] | None) -> None:
    assert run({PYD: pe()}, loads).loads_known is (loads is not None)
