from __future__ import annotations

import hashlib
import io
import struct
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_wheel import BUILD_INFO, wheel

from trueup.facts.harvest.refuse import Refused
from trueup.facts.harvest.rows import row_of
from trueup.facts.harvest.run import document, from_folder
from trueup.facts.harvest.wheel import installed, open_wheel

if TYPE_CHECKING:
    from pathlib import Path


def read(name: str, content: bytes, sha256: str | None = None) -> dict[str, object]:
    with open_wheel(io.BytesIO(content), name, sha256) as opened:
        return row_of(opened, deep=True)


def reason(name: str, content: bytes, sha256: str | None = None) -> str | None:
    try:
        read(name, content, sha256)
    except Refused as refused:
        return refused.reason
    return None


def with_member(member: str | zipfile.ZipInfo, data: bytes) -> tuple[str, bytes]:
    name, content = wheel()
    buffer = io.BytesIO(content)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, data)
    return name, buffer.getvalue()


def test_a_wheel_says_what_it_is() -> None:
    name, content = wheel()
    row = read(name, content)
    assert row["sha256"] == hashlib.sha256(content).hexdigest()
    assert (row["package"], row["version"], row["platform"], row["pythons"]) == (
        "tensorflow",
        "2.10.1",
        "windows",
        ["3.10"],
    )
    assert row["build"] == {
        "member": BUILD_INFO,
        "framework": "tensorflow",
        "is_cuda": True,
        "cuda": "11.2",
        "cudnn": "8",
        "version": None,
        "sass": ["3.5", "5.0", "7.5", "8.0"],
        "ptx": ["8.0"],
    }
    assert row["metadata"] == {
        "member": "tensorflow-2.10.1.dist-info/METADATA",
        "requires_python": ">=3.7",
        "requires": ["absl-py (>=1.0.0)", "numpy (>=1.20)"],
        "extras": ["and-cuda"],
    }


def test_two_harvests_of_the_same_wheels_give_the_same_bytes(tmp_path: Path) -> None:
    for version in ("2.9.3", "2.10.1"):
        name, content = wheel(version=version)
        (tmp_path / name).write_bytes(content)
    first, second = (document(from_folder(tmp_path, deep=True, tell=lambda _: None).rows) for _ in range(2))
    assert first == second
    assert first.index('"2.9.3"') < first.index('"2.10.1"')


def test_one_bad_wheel_does_not_hide_the_others(tmp_path: Path) -> None:
    name, content = wheel()
    (tmp_path / name).write_bytes(content)
    (tmp_path / "tensorflow-2.9.0-cp39-cp39-win_amd64.whl").write_bytes(content[:500])
    (tmp_path / "odd.whl").write_bytes(content)
    outcome = from_folder(tmp_path, deep=False, tell=lambda _: None)
    assert len(outcome.rows) == 1
    assert sorted(r.reason for r in outcome.refused) == ["broken-zip", "not-a-wheel"]
    with pytest.raises(Refused):
        from_folder(tmp_path / "none", deep=False, tell=lambda _: None)


@pytest.mark.parametrize("keep", [0, 10, 100, 0.5, 0.99])
def test_a_truncated_wheel(keep: float) -> None:
    name, content = wheel()
    assert reason(name, content[: int(keep if keep > 1 else keep * len(content))]) == "broken-zip"


def test_a_wrong_hash() -> None:
    name, content = wheel()
    assert reason(name, content, "0" * 64) == "wrong-hash"
    assert reason(name, content, hashlib.sha256(content).hexdigest().upper()) is None


@pytest.mark.parametrize(
    "member",
    [
        "../evil.py",
        "a/../../evil.py",
        "/etc/evil",
        "C:/evil.py",
        "C:evil.py",
        "a\\..\\..\\evil",
        "\\\\h\\s\\e",
    ],
)
def test_names_that_lead_out_of_the_folder(member: str) -> None:
    name, content = with_member("x" * len(member), b"x")
    assert reason(name, content.replace(b"x" * len(member), member.encode())) == "unsafe-name"


def test_a_name_given_twice() -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        name, content = with_member(BUILD_INFO, b"build_info = {'is_cuda_build': False}")
    assert reason(name, content) == "unsafe-name"


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    assert reason(*with_member("zeros.dll", bytes(100 << 20))) == "zip-bomb"


def test_a_huge_text_is_not_read_into_memory() -> None:
    members = {BUILD_INFO: b"# " + bytes(range(256)) * (33 << 12)}
    assert reason(*wheel(members=members)) == "zip-bomb"


def test_a_member_larger_than_it_says() -> None:
    name, content = wheel(members={BUILD_INFO: b"#" * 5000})
    size = struct.pack("<I", 5000)
    assert content.count(size) >= 2
    assert reason(name, content.replace(size, struct.pack("<I", 50))) == "broken-zip"


def test_a_directory_of_members_too_large_for_memory() -> None:
    name, content = wheel()
    at = content.rindex(b"PK\5\6")
    forged = content[: at + 12] + struct.pack("<I", 0x7FFFFFFF) + content[at + 16 :]
    assert reason(name, forged) == "zip-bomb"


def test_content_that_record_contradicts() -> None:
    wrong = {BUILD_INFO: "sha256=" + "A" * 43}
    assert reason(*wheel(record=wrong)) == "wrong-hash"


def test_metadata_of_something_else() -> None:
    assert (
        reason(*wheel(metadata="Metadata-Version: 2.1\nName: torch\nVersion: {version}\n"))
        == "wrong-metadata"
    )
    assert reason(*wheel(metadata="Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")) == "wrong-metadata"
    assert reason(*wheel(metadata="nothing")) == "wrong-metadata"


def test_build_information_that_is_no_python() -> None:
    assert reason(*wheel(members={BUILD_INFO: b"build_info = {"})) == "bad-source"
    assert reason(*wheel(members={BUILD_INFO: b"x = " + b"(" * 5000})) == "bad-source"


def test_build_information_is_read_and_never_run() -> None:
    evil = b"import os\nbuild_info = os.abort()\nis_cuda_build = os.abort() or True\n"
    assert read(*wheel(members={BUILD_INFO: evil}))["build"]["is_cuda"] is None  # type: ignore[index]


def test_a_wheel_without_metadata() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("x.py", "")
    assert reason("x-1-py3-none-any.whl", buffer.getvalue()) == "missing-member"


def test_where_a_member_lands() -> None:
    assert installed("tensorflow_gpu-1.14.0.data/purelib/tensorflow/x.py") == "tensorflow/x.py"
    assert installed("tensorflow/x.py") == "tensorflow/x.py"


@settings(max_examples=150, deadline=2000)
@given(st.lists(st.tuples(st.integers(0, 2000), st.binary(min_size=1, max_size=8)), max_size=6), st.data())
def test_forged_bytes_are_refused_and_never_crash(
    edits: list[tuple[int, bytes]], data: st.DataObject
) -> None:
    name, whole = wheel()
    content = bytearray(whole)
    for at, new in edits:
        content[at : at + len(new)] = new
    cut = data.draw(st.integers(0, len(content)))
    assert all(isinstance(reason(name, bytes(part)), str | None) for part in (content, content[:cut]))
