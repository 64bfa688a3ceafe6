"""What is wrong with a global toolkit: one trouble a test, and none where nothing is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cuda_worlds import CUDA, PARTS8, PARTS9, header, linux, resource, toolkit, windows
from world import World

from trueup.facts import load
from trueup.keep.cuda.examined import Examined, examined
from trueup.keep.cuda.model import Scene
from trueup.machine.host import HostError, RecordedHost, Recording
from trueup.machine.inventory.cuda import read_cuda, toolkit_version
from trueup.machine.inventory.model import Environment, FrameworkBuild
from trueup.machine.model import Python
from trueup.report.cuda import doctor_text
from trueup.report.say import LANGUAGES
from trueup.values import Message, TrueupError

V118, V112 = f"{CUDA}\\v11.8", f"{CUDA}\\v11.2"
BIN = f"{V118}\\bin"


def plain(path: str) -> tuple[str, ...]:
    """Return what a cuDNN imports that has its zlib inside."""
    assert path
    return ("kernel32.dll",)


def look(world: World, asked: str | None = None, *envs: Environment, imports: Any = plain) -> Examined:
    return examined(Scene(world, load(), read_cuda(world), envs, imports), asked)


def told(world: World, *envs: Environment, imports: Any = plain) -> list[tuple[str, str]]:
    found = look(world, None, *envs, imports=imports)
    rows = [*found.variables, *(one for _, findings in found.toolkits for one in findings)]
    assert doctor_text(found, "en") != doctor_text(found, "zh_CN")
    return [(one.code, one.level) for one in rows]


def without(part: dict[str, Any], *names: str) -> dict[str, Any]:
    return {
        key: {path: value for path, value in rows.items() if not path.endswith(names)}
        for key, rows in part.items()
    }


def fine(**env: str) -> dict[str, Any]:
    return {"path": (BIN,), "CUDA_PATH": V118, **env}


def test_nothing_is_said_of_a_whole_toolkit() -> None:
    found = look(windows(toolkit(), **fine(CUDA_PATH_V11_8=V118)))
    assert found.outcome == "fine"
    assert [kit.version for kit, _ in found.toolkits] == ["11.8.0"]
    assert "CUDA 11.8.0, cuDNN 8.9.5.29" in doctor_text(found, "en")


def test_no_toolkit_is_no_trouble() -> None:
    assert look(windows()).outcome == "none"


@pytest.mark.parametrize(
    ("value", "code", "goal"),
    [
        (CUDA, "variable-parent", V118),
        (BIN, "variable-inside", V118),
        (f"{CUDA}\\v10.1", "variable-missing", V118),
        ("C:\\Windows\\System32\\..", "variable-no-toolkit", None),
    ],
)
def test_a_variable_that_leads_to_no_toolkit(value: str, code: str, goal: str | None) -> None:
    world = windows(
        toolkit(), {"files": {"C:\\Windows\\explorer.exe": "<pe64>"}}, path=(BIN,), CUDA_PATH=value
    )
    [found] = look(world).variables
    assert (found.code, found.admin) == (code, True)
    new = f"'{goal}'" if goal else "$null"
    assert found.command == f"[Environment]::SetEnvironmentVariable('CUDA_PATH', {new}, 'Machine')"


def test_a_variable_of_one_release_that_leads_to_another() -> None:
    assert told(windows(toolkit(), **fine(CUDA_PATH_V11_2=V118))) == [("variable-other-version", "problem")]


def test_bin_is_not_on_path() -> None:
    assert told(windows(toolkit(), CUDA_PATH=V118)) == [("not-on-path", "problem")]


def test_files_of_two_cudnns_are_told_by_their_resources() -> None:
    mixed = toolkit()
    mixed["versions"][f"{BIN}\\cudnn_cnn_infer64_8.dll"] = "8.1.0.77"
    assert told(windows(mixed, **fine())) == [("cudnn-mixed", "problem")]


def test_a_header_of_another_release_hurts_only_who_compiles() -> None:
    other = toolkit()
    other["files"][f"{V118}\\include\\cudnn_version.h"] = header("8.1.0")
    assert told(windows(other, **fine())) == [("cudnn-header-differs", "notice")]


def test_parts_of_cudnn_are_missing() -> None:
    part = without(toolkit(), "cudnn_ops_infer64_8.dll")
    assert told(windows(part, **fine())) == [("cudnn-incomplete", "problem")]


def test_only_the_libraries_were_copied() -> None:
    part = without(toolkit(), "cudnn_version.h", "cudnn.lib")
    assert told(windows(part, **fine())) == [("cudnn-half-copied", "notice")]


def test_only_the_headers_were_copied() -> None:
    part = without(toolkit(), *(f"{name}.dll" for name in PARTS8))
    assert told(windows(part, **fine())) == [("cudnn-only-headers", "problem")]


def test_a_toolkit_that_was_copied_in_part() -> None:
    part = without(toolkit(), "cublas64_11.dll", "cufft64_10.dll")
    assert told(windows(part, **fine())) == [("half-toolkit", "problem")]


def test_a_runtime_of_another_toolkit_was_copied_over() -> None:
    mixed = toolkit()
    mixed["versions"][f"{BIN}\\cudart64_110.dll"] = resource("11.2")
    assert told(windows(mixed, **fine())) == [("toolkit-mixed", "problem"), ("nvcc-differs", "problem")]


def test_a_cublas_of_another_toolkit_was_copied_over() -> None:
    mixed = toolkit()
    mixed["versions"][f"{BIN}\\cublas64_11.dll"] = "6.14.11.11040"
    assert told(windows(mixed, **fine())) == [("toolkit-mixed", "problem")]


def test_runtimes_of_two_lines_in_one_folder() -> None:
    both = {
        "versions": {f"{BIN}\\cudart64_12.dll": resource("12.4")},
        "files": {f"{BIN}\\cudart64_12.dll": "<pe64>"},
    }
    assert told(windows(toolkit(), both, **fine())) == [
        ("toolkit-mixed", "problem"),
        ("two-runtimes", "problem"),
    ]


def test_the_32_bit_runtime_that_nvidia_ships_is_no_trouble() -> None:
    small = {"files": {f"{BIN}\\cudart32_110.dll": "<pe32>"}}
    assert told(windows(toolkit(), small, **fine())) == []


def test_a_32_bit_library_among_the_64_bit_ones() -> None:
    small = {"files": {f"{BIN}\\zlibwapi.dll": "<pe32>"}}
    assert told(windows(toolkit(), small, **fine())) == [("x86-library", "problem")]


def test_zlibwapi_is_asked_for_by_the_release_or_better_by_the_file() -> None:
    world = windows(toolkit(cudnn="8.6.0.163"), **fine())
    assert told(world, imports=None) == [("zlib-asked-for", "notice")]
    assert told(world, imports=lambda _: ("kernel32.dll", "zlibwapi.dll")) == [("zlib-missing", "problem")]
    assert told(world, imports=lambda _: ("kernel32.dll",)) == []
    there = {"files": {f"{BIN}\\zlibwapi.dll": "<pe64>"}}
    assert told(windows(toolkit(cudnn="8.6.0.163"), there, **fine())) == []


def test_cudnn_9_in_an_11_toolkit_is_told_and_counts_where_a_build_asks_for_8() -> None:
    world = windows(toolkit(cudnn="9.1.0.70", parts=PARTS9), **fine())
    assert told(world) == [("cudnn-9-on-11", "notice")]
    build = FrameworkBuild("tensorflow", "tensorflow", "2.10.1", "11.2", "8", "C:\\v\\Lib\\site-packages")
    env = Environment("C:\\v", "venv", Python("3.10.11"), (), (), ("folder",), builds=(build,))
    assert told(world, env) == [("cudnn-other-major", "problem")]
    assert told(windows(toolkit(), **fine()), env) == []


def test_a_cudnn_that_never_was_for_this_cuda() -> None:
    world = windows(toolkit("11.8", cudnn="8.0.5.39"), **fine())
    assert ("cudnn-not-for-cuda", "notice") in told(world)
    later = toolkit("11.8", cudnn="9.20.0.48", parts=PARTS9)
    assert ("cudnn-not-for-cuda", "problem") in told(windows(later, **fine()))


def test_another_toolkit_stands_first_on_path() -> None:
    world = windows(toolkit(), toolkit("11.2", "8.1.0.77"), path=(f"{V112}\\bin", BIN), CUDA_PATH=V118)
    codes = told(world)
    assert ("shadowed", "notice") in codes
    assert ("other-nvcc-first", "notice") in codes
    assert {level for _, level in codes} == {"notice"}


def test_nvcc_of_another_release() -> None:
    other = toolkit()
    other["runs"] = {f"{BIN}\\nvcc.exe --version": {"code": 0, "out": "release 12.1, V12.1.66"}}
    assert told(windows(other, **fine())) == [("nvcc-differs", "problem")]


def test_a_silent_nvcc_and_files_without_a_version_are_said_to_be_unknown() -> None:
    silent = {**toolkit(), "runs": {}, "versions": {}}
    found = look(windows(silent, **fine()))
    [(kit, _)] = found.toolkits
    assert {one.code for one in found.unread(kit)} == {"cuda.nvcc-silent", "cuda.doctor-not-seen"}
    assert "[??]" in doctor_text(found, "en")


def test_a_named_folder_that_is_no_toolkit_is_refused_with_the_way_out() -> None:
    with pytest.raises(TrueupError) as caught:
        look(windows(toolkit(), **fine()), CUDA)
    assert caught.value.hint is not None
    assert caught.value.hint.params == {"names": "v11.8"}


def test_linux_a_link_that_the_loader_knows_by_another_name() -> None:
    root = "/usr/local/cuda-12.4"
    files = {f"{root}/version.json": '{"cuda": {"version": "12.4.1"}}', f"{root}/bin/nvcc": ""}
    files |= {
        f"{root}/lib64/libcudart.so.12": "",
        "/etc/ld.so.conf.d/cuda.conf": f"{root}/targets/x86_64-linux/lib\n",
    }
    links = {f"{root}/lib64": f"{root}/targets/x86_64-linux/lib"}
    links[f"{root}/lib64/libcudart.so.12"] = f"{root}/lib64/libcudart.so.12.4.127"
    assert told(linux(files, links, CUDA_HOME=root)) == [("part-toolkit", "notice")]


def test_linux_a_toolkit_that_the_loader_does_not_know() -> None:
    root = "/usr/local/cuda-12.4"
    files = {f"{root}/version.json": '{"cuda": {"version": "12.4.1"}}', f"{root}/lib64/libcudart.so.12": ""}
    assert told(linux(files)) == [("part-toolkit", "notice"), ("not-on-path", "problem")]


class Closed(World):
    """A PC whose user may not list the folder of the toolkit's libraries."""

    def list_dir(self, path: str) -> tuple[str, ...] | None:
        if path == BIN:
            raise HostError(Message("machine.not-read"))
        return super().list_dir(path)


@pytest.mark.parametrize("where", ["bin", "a recording"])
def test_what_could_not_be_looked_at_is_neither_whole_nor_broken(where: str) -> None:
    """A folder without rights, and a recording of a check, which never asked for the folder."""
    made = windows(toolkit())
    host = Closed(made.data) if where == "bin" else _replayed(made)
    found = examined(Scene(host, load(), (), ()), V118)
    assert found.outcome == "unknown"
    [finding] = found.toolkits[0][1]
    assert (finding.code, finding.level) == ("hidden", "unknown")
    for lang in LANGUAGES:
        text = doctor_text(found, lang)
        assert "[ok]" not in text
        assert "[!!]" not in text


def _replayed(made: World) -> RecordedHost:
    recording = Recording(made)
    toolkit_version(recording, V118)
    return RecordedHost(json.loads(json.dumps(recording.document())))


def test_two_copies_of_one_cudnn_are_told_by_their_own_versions() -> None:
    """Of one name in two folders a process loads what the search finds first, whoever put it there."""
    made = toolkit()
    second = f"{BIN}\\x64\\cudnn64_8.dll"
    made["versions"][second] = "8.1.0.77"
    made["files"][second] = "<pe64>"
    found = look(windows(made, path=(BIN,)))
    [mixed] = [one for one in found.toolkits[0][1] if one.code == "cudnn-mixed"]
    assert second in str(mixed.text.params["names"])
    made["versions"][second] = "8.9.5.29"
    again = look(windows(made, path=(BIN,)))
    assert not any(one.code == "cudnn-mixed" for one in again.toolkits[0][1])
