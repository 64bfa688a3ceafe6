"""What is a cuDNN archive, and what only passes for one."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest
from cuda_worlds import header
from cudnn_archives import dll, linux_files, tarred, windows_files, zipped

from trueup.keep.cuda import archive as archives
from trueup.keep.cuda.archive import inspect, target_of
from trueup.values import TrueupError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "cudnn-windows-x86_64-8.9.7.29_cuda11-archive.zip"


def refused(path: Path) -> str:
    with pytest.raises(TrueupError) as caught:
        inspect(path)
    assert caught.value.hint is not None
    return caught.value.message.code.removeprefix("cuda.archive-")


def test_a_zip_of_nvidia_s(tmp_path: Path) -> None:
    found = inspect(zipped(tmp_path / NAME, windows_files()))
    assert (found.system, found.version, found.cuda) == ("windows", "8.9.7.29", "11")
    assert {m.target for m in found.members} >= {
        "bin/cudnn64_8.dll",
        "include/cudnn_version.h",
        "lib/x64/cudnn.lib",
    }
    assert found.left_out == ("cudnn-archive/LICENSE",)


def test_the_older_layout_and_name(tmp_path: Path) -> None:
    files = windows_files("8.1.1.33", folder="cuda")
    found = inspect(zipped(tmp_path / "cudnn-11.2-windows-x64-v8.1.1.33.zip", files))
    assert (found.version, found.cuda) == ("8.1.1.33", "11")


def test_a_renamed_archive_is_told_by_its_libraries(tmp_path: Path) -> None:
    found = inspect(zipped(tmp_path / "下载 (1).zip", windows_files(line="12")))
    assert (found.version, found.cuda) == ("8.9.7.29", "12")


@pytest.mark.parametrize("name", ["cudnn-linux-x86_64-8.9.7.29_cuda12-archive.tar.xz", "cudnn.tgz"])
def test_a_tar_with_its_links(tmp_path: Path, name: str) -> None:
    found = inspect(tarred(tmp_path / name, linux_files()))
    assert (found.system, found.version.startswith("8.9.7"), found.cuda) == ("linux", True, "12")
    links = {m.target: m.link for m in found.members if m.link}
    assert links["lib64/libcudnn.so"] == "libcudnn.so.8"


@pytest.mark.parametrize(
    "name",
    ["../x.dll", "a/../../x", "/etc/x", "C:/x", "a\\..\\x", "a/b:stream", "a/nul\x01", "a/bin/x. ", "a//b"],
)
def test_names_that_leave_the_folder(tmp_path: Path, name: str) -> None:
    assert refused(zipped(tmp_path / NAME, windows_files() | {name: b"x"})) == "unsafe-name"


def test_links(tmp_path: Path) -> None:
    assert (
        refused(zipped(tmp_path / NAME, {**windows_files(), "cudnn-archive/bin/x.dll": "/etc/passwd"}))
        == "link"
    )
    for goal in ("/etc/passwd", "../../x", "nowhere.so"):
        files = {**linux_files(), "cudnn-linux/lib/libcudnn_x.so": goal}
        assert refused(tarred(tmp_path / "cudnn.tar.xz", files)) == "link"


def test_one_name_twice(tmp_path: Path) -> None:
    assert (
        refused(zipped(tmp_path / NAME, windows_files() | {"cudnn-archive/BIN/cudnn64_8.dll": b"x"}))
        == "twice"
    )


def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = zipped(tmp_path / NAME, windows_files())
    monkeypatch.setattr(archives, "ENTRIES_MOST", 5)
    assert refused(whole) == "bomb"
    monkeypatch.setattr(archives, "ENTRIES_MOST", 1000)
    monkeypatch.setattr(archives, "BYTES_MOST", 1000)
    assert refused(whole) == "bomb"
    monkeypatch.setattr(archives, "BYTES_MOST", 8 << 30)
    monkeypatch.setattr(archives, "SMALL", 1 << 20)
    assert (
        refused(zipped(tmp_path / NAME, windows_files() | {"cudnn-archive/zero": bytes(4 << 20)})) == "bomb"
    )


def test_what_is_no_cudnn(tmp_path: Path) -> None:
    assert (
        refused(zipped(tmp_path / "a.zip", {"x/bin/other.dll": b"", "x/include/cudnn_version.h": b""}))
        == "not-cudnn"
    )
    assert refused(zipped(tmp_path / "b.zip", {"x/bin/cudnn64_8.dll": dll("8.9.7.29")})) == "not-cudnn"
    (tmp_path / "c.zip").write_bytes(b"<html>please log in</html>")
    assert refused(tmp_path / "c.zip") == "damaged"
    assert refused(tmp_path / "none.zip") == "unreadable"


def test_a_damaged_member(tmp_path: Path) -> None:
    path = zipped(tmp_path / NAME, windows_files())
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        row = archive.getinfo("cudnn-archive/bin/cudnn64_8.dll")
        start = row.header_offset + 30 + len(row.filename)
    data[start : start + 20] = bytes(20)
    path.write_bytes(data)
    assert refused(path) == "damaged"


def test_releases_that_disagree(tmp_path: Path) -> None:
    other = windows_files() | {"cudnn-archive/include/cudnn_version.h": header("8.6.0.163").encode()}
    assert refused(zipped(tmp_path / NAME, other)) == "versions-differ"
    assert refused(zipped(tmp_path / NAME, windows_files("8.6.0.163"))) == "versions-differ"


def test_lines_that_disagree_or_are_not_told(tmp_path: Path) -> None:
    assert refused(zipped(tmp_path / NAME, windows_files(line="12"))) == "lines-differ"
    silent = windows_files() | {"cudnn-archive/bin/cudnn_ops_infer64_8.dll": dll("8.9.7.29")}
    assert refused(zipped(tmp_path / "cudnn.zip", silent)) == "no-line"
    assert inspect(zipped(tmp_path / NAME, silent)).cuda == "11"


def test_a_library_for_another_processor(tmp_path: Path) -> None:
    files = windows_files() | {"cudnn-archive/bin/cudnn64_8.dll": dll("8.9.7.29", machine=0x14C)}
    assert refused(zipped(tmp_path / NAME, files)) == "x86"
    files["cudnn-archive/bin/cudnn64_8.dll"] = b"not a library"
    assert refused(zipped(tmp_path / NAME, files)) == "not-a-library"


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("a/bin/cudnn64_9.dll", "bin/cudnn64_9.dll"),
        ("a/bin/x64/cudnn64_9.dll", "bin/x64/cudnn64_9.dll"),
        ("a/lib/cudnn.lib", "lib/x64/cudnn.lib"),
        ("./a/lib64/libcudnn_static_v8.a", "lib64/libcudnn_static_v8.a"),
        ("a/bin/cudart64_110.dll", None),
        ("a/include/evil.h", None),
        ("bin/cudnn64_9.dll", None),
    ],
)
def test_where_each_file_goes(name: str, target: str | None) -> None:
    assert target_of(name) == target
