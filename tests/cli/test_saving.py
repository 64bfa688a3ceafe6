"""A file that the user named is written wholly or not at all."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from trueup.cli.saving import save_text
from trueup.report.say import say
from trueup.values import TrueupError


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_what_is_written_is_whole(tmp_path: Path) -> None:
    place = tmp_path / "页.html"
    assert save_text(place, "一\n") == 4
    assert save_text(str(place), "二\udc80\n") == 10
    assert place.read_bytes() == "二\\udc80\n".encode()
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("before", [None, "what was there"])
def test_a_full_disk_leaves_what_was_there(
    before: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "pc.json"
    if before:
        place.write_text(before)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TrueupError) as caught:
        save_text(place, "new")
    assert caught.value.hint is not None
    assert say(caught.value.hint, "en") == "free some space, or name a folder on another disk"
    assert [one.read_text() for one in tmp_path.iterdir()] == ([before] if before else [])


def test_a_place_that_is_a_folder_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(TrueupError) as caught:
        save_text(tmp_path, "new")
    assert caught.value.hint is not None
    assert say(caught.value.hint, "en") == "name a folder that you may write to"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="devices are files elsewhere only")
def test_a_device_is_written_to_and_stays_a_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    save_text("/dev/stdout", "hello\n")
    assert capfd.readouterr().out == "hello\n"
    assert save_text(os.devnull, "x") == 1
    assert Path(os.devnull).is_char_device()
