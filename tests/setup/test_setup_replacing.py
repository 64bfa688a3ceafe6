"""A file that is written anew stays the file that it was: its owner, its rights, its attributes, its link."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from trueup.setup import files, replacing
from trueup.setup.changes import Store
from trueup.setup.changes.files import FRESH, file_change

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX's rights")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "journal")


def change(store: Store, path: Path, data: bytes = b"new") -> None:
    with store.begin("trueup fix") as transaction:
        transaction.apply(file_change(path, data, store.blobs))


def undo(store: Store) -> list[str]:
    return [outcome.result for outcome in store.undo(store.records()[0])]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
@pytest.mark.parametrize("bits", [0o600, 0o640, 0o755, 0o444, 0o664])
def test_the_mode_stays_through_a_change_and_its_undo(store: Store, tmp_path: Path, bits: int) -> None:
    path = tmp_path / "a.sh"
    path.write_bytes(b"old")
    path.chmod(bits)
    change(store, path)
    assert (path.read_bytes(), mode(path)) == (b"new", bits)
    assert undo(store) == ["restored"]
    assert (path.read_bytes(), mode(path)) == (b"old", bits)
    assert list(tmp_path.glob("*" + FRESH)) == []


@posix
def test_a_link_stays_a_link_and_its_target_changes(store: Store, tmp_path: Path) -> None:
    target, link = tmp_path / "dotfiles" / "profile", tmp_path / ".profile"
    target.parent.mkdir()
    target.write_bytes(b"old")
    link.symlink_to(Path("dotfiles") / "profile")
    change(store, link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert undo(store) == ["restored"]
    assert (os.readlink(link), target.read_bytes()) == ("dotfiles/profile", b"old")  # noqa: PTH115
    assert [path.name for path in target.parent.iterdir()] == ["profile"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files away")
def test_root_leaves_a_user_s_file_the_user_s(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "user.txt"
    path.write_bytes(b"old")
    if sys.platform != "win32":
        os.chown(path, 1234, 2345)
    path.chmod(0o640)
    change(store, path)
    assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (1234, 2345, 0o640)
    assert undo(store) == ["restored"]
    assert (path.stat().st_uid, path.stat().st_gid, path.read_bytes()) == (1234, 2345, b"old")


@posix
def test_whose_owner_cannot_be_given_is_written_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "shared.txt"
    path.write_bytes(b"a longer old text")
    number = path.stat().st_ino
    real = os.stat_result

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    stat_of = Path.stat

    def other_owner(self: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        found = stat_of(self, follow_symlinks=follow_symlinks)
        return real((*found[:4], found.st_uid + (self == path), *found[5:])) if self == path else found

    monkeypatch.setattr(os, "chown", refused)
    monkeypatch.setattr(Path, "stat", other_owner)
    fresh = tmp_path / "fresh"
    fresh.write_bytes(b"new")
    replacing.replace(fresh, path)
    monkeypatch.undo()
    assert (path.read_bytes(), path.stat().st_ino) == (b"new", number)
    assert not fresh.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has the calls")
def test_extended_attributes_stay(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    if sys.platform == "linux":
        try:
            os.setxattr(path, "user.note", b"mine")
        except OSError:
            pytest.skip("a file system without attributes")
        change(store, path)
        assert os.getxattr(path, "user.note") == b"mine"
        assert undo(store) == ["restored"]
        assert os.getxattr(path, "user.note") == b"mine"


@posix
def test_a_file_of_our_own_is_written_through_a_link_with_its_mode(tmp_path: Path) -> None:
    target, link = tmp_path / "real.toml", tmp_path / "pylock.toml"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    files.write_whole(link, "new")
    assert link.is_symlink()
    assert (target.read_text(), mode(target)) == ("new", 0o600)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pylock.toml", "real.toml"]


@pytest.mark.skipif(sys.platform != "win32", reason="Windows' rights")
def test_the_acl_stays_on_windows(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    subprocess.run(["icacls", str(path), "/grant", "*S-1-5-32-546:(R)"], check=True, capture_output=True)

    def rights() -> bytes:
        return subprocess.run(["icacls", str(path)], check=True, capture_output=True).stdout

    before = rights()
    change(store, path)
    assert (path.read_bytes(), rights()) == (b"new", before)
    assert undo(store) == ["restored"]
    assert (path.read_bytes(), rights()) == (b"old", before)
