"""A cuDNN goes into a toolkit, another release goes aside, and undo brings the tree back to the byte."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from cudnn_archives import linux_files, tarred, windows_files, zipped
from sudden import killed

from trueup.cli.main import run
from trueup.cli.places import changes_store
from trueup.facts import load
from trueup.keep.cuda import add
from trueup.machine.host import this_host
from trueup.setup import SetupError
from trueup.setup.changes import Transaction
from trueup.values import TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the toolkit is Linux'; Windows' is tested under Wine"
)
SCHEMA = json.loads(
    resources.files("trueup.report").joinpath("schemas", "cuda-add-1.json").read_text("utf-8")
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a toolkit that holds an older cuDNN; the journal is in the same folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    root = tmp_path / "cuda 工具包"
    for name, text in linux_files("8.9.2.26").items():
        place = root / name.replace("cudnn-linux/", "").replace("lib/", "lib64/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(text) if isinstance(text, str) else place.write_bytes(text)
    (root / "lib64" / "libcudart.so.12.2.140").write_bytes(b"own")
    (root / "version.json").write_text('{"cuda": {"version": "12.2.2"}}')
    return root


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tarred(tmp_path / "cudnn-linux-x86_64-8.9.7.29_cuda12-archive.tar.xz", linux_files())


def tree(root: Path) -> dict[str, Any]:
    """Return everything that is there: content, mode, link's goal."""
    return {
        str(path.relative_to(root)): (
            str(path.readlink()) if path.is_symlink() else path.is_dir() or path.read_bytes(),
            path.lstat().st_mode,
        )
        for path in sorted(root.rglob("*"))
    }


def test_copy_and_undo(root: Path, archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(root)
    assert run(["cuda", "add-cudnn", str(archive), "--to", str(root), "--yes", "--lang", "en"]) == 0
    text = capsys.readouterr().out
    assert "cuDNN 8.9.7.29 for CUDA 12 goes into" in text
    assert "`trueup undo` takes all of it back" in text
    assert (root / "lib64" / "libcudnn.so").resolve().name == "libcudnn.so.8.9.7"
    assert not (root / "lib64" / "libcudnn.so.8.9.2").exists()
    [aside] = (root / add.ASIDE).iterdir()
    assert (aside / "lib64" / "libcudnn.so.8.9.2").read_bytes().endswith(b"8.9.2.26")
    assert str((aside / "lib64" / "libcudnn.so.8").readlink()) == "libcudnn.so.8.9.2"
    assert not list(changes_store().blobs.folder.iterdir())
    assert run(["undo", "--yes"]) == 0
    assert tree(root) == before


def test_power_loss_at_any_step_can_be_undone(root: Path, archive: Path) -> None:
    before = tree(root)
    addition = add.prepare(this_host(), load(), archive, root)
    survived, at = False, 1
    while not survived:
        survived = not killed(lambda: add.apply(addition, changes_store(), "now"), at)
        for record in changes_store().records():
            if not record.undone:
                assert {one.result for one in changes_store().undo(record)} <= {"restored", "already"}
        assert tree(root) == before, at
        at += 17  # a change has three steps: each of them comes, of another change
    assert at > 100


@pytest.mark.parametrize("number", [1, 5, 20, 30])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SetupError("disk-filled", quote="ENOSPC", what="x")])
def test_what_fails_or_is_interrupted_in_the_middle_is_taken_back_at_once(
    root: Path, archive: Path, monkeypatch: pytest.MonkeyPatch, number: int, error: Any
) -> None:
    before, real, made = tree(root), Transaction.apply, []

    def failing(self: Transaction, change: Any) -> Any:
        made.append(change)
        if len(made) == number:
            raise error
        return real(self, change)

    monkeypatch.setattr(Transaction, "apply", failing)
    with pytest.raises((KeyboardInterrupt, SetupError)):
        add.apply(add.prepare(this_host(), load(), archive, root), changes_store(), "now")
    assert tree(root) == before


def test_a_second_copy_of_the_same_changes_nothing(
    root: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["cuda", "add-cudnn", str(archive), "--to", str(root), "--yes"]
    assert run(words) == 0
    once = tree(root)
    capsys.readouterr()
    assert run([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    assert answer["outcome"] == "already"
    assert tree(root) == once


def test_a_dry_run_and_nobody_to_ask_change_nothing(
    root: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(root)
    words = ["cuda", "add-cudnn", str(archive), "--to", str(root)]
    assert run([*words, "--dry-run", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    assert answer["outcome"] == "planned"
    assert len(answer["aside"]) == 22
    assert run([*words, "--json"]) == 2
    assert tree(root) == before


def test_a_folder_of_the_administrator_s_is_one_line(
    root: Path, archive: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(add, "writable", lambda _: False)
    before = tree(root)
    assert run(["cuda", "add-cudnn", str(archive), "--to", str(root), "--yes", "--lang", "zh"]) == 1
    text = capsys.readouterr().out
    assert "只有管理员能写入" in text
    assert f"  sudo {sys.executable} -m trueup cuda add-cudnn {archive} --to '{root}' --yes" in text
    assert tree(root) == before


def refused(archive: Path, root: Path) -> str:
    with pytest.raises(TrueupError) as caught:
        add.apply(add.prepare(this_host(), load(), archive, root), changes_store(), "now")
    assert caught.value.hint is not None
    return caught.value.message.code


def test_what_does_not_fit_is_refused_and_nothing_is_changed(root: Path, tmp_path: Path) -> None:
    before = tree(root)
    other = tarred(tmp_path / "a.tar.xz", linux_files(line="11"))
    assert refused(other, root) == "cuda.add-other-line"
    assert refused(zipped(tmp_path / "a.zip", windows_files(line="12")), root) == "cuda.archive-other-system"
    assert refused(other, tmp_path) == "cuda.not-a-folder"
    (root / "version.json").write_text("{}")
    assert refused(other, root) == "cuda.not-a-folder"
    (root / "version.json").write_text('{"cuda": {"version": "12.2.2"}}')
    assert tree(root) == before


def test_no_room(root: Path, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(add, "SPARE", 1 << 60)
    assert refused(archive, root) == "cuda.add-no-room"


def test_a_pair_that_nvidia_does_not_list_is_said(root: Path, tmp_path: Path) -> None:
    files = linux_files("8.1.1.33")
    addition = add.prepare(this_host(), load(), tarred(tmp_path / "a.tar.xz", files), root)
    assert [note.code for note in addition.notes] == ["cuda.add-not-in-table"]


SHARED = Path("/dev/shm")  # noqa: S108  # a disk of its own wherever Linux runs


@pytest.fixture
def other_disk(tmp_path: Path) -> Iterator[Path]:
    if not SHARED.is_dir() or SHARED.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("one disk")
    with tempfile.TemporaryDirectory(dir=SHARED) as folder:
        yield Path(folder)


def test_a_toolkit_on_another_disk_than_the_journal_is_served_alike(
    root: Path, archive: Path, other_disk: Path
) -> None:
    away = other_disk / "工具 包"
    shutil.copytree(root, away, symlinks=True)
    before = tree(away)
    assert run(["cuda", "add-cudnn", str(archive), "--to", str(away), "--yes"]) == 0
    assert (away / "lib64" / "libcudnn.so").resolve().name == "libcudnn.so.8.9.7"
    assert run(["undo", "--yes"]) == 0
    assert tree(away) == before


def test_libraries_behind_a_link_to_another_disk_are_refused_and_nothing_stays_half(
    root: Path, archive: Path, other_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    away = other_disk / "lib64"
    shutil.copytree(root / "lib64", away, symlinks=True)
    shutil.rmtree(root / "lib64")
    (root / "lib64").symlink_to(away)
    before = (tree(root), tree(away))
    assert run(["cuda", "add-cudnn", str(archive), "--to", str(root), "--yes", "--lang", "en"]) == 2
    assert "different disks" in capsys.readouterr().err
    assert (tree(root), tree(away)) == before


def test_read_only_files_make_room_and_come_back_read_only(root: Path, archive: Path) -> None:
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.chmod(0o444)
    before = tree(root)
    assert run(["cuda", "add-cudnn", str(archive), "--to", str(root), "--yes"]) == 0
    assert run(["undo", "--yes"]) == 0
    assert tree(root) == before
