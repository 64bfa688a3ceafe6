"""Builds with the real uv from a loopback index: what is made, and what is left when it does not come to that."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fake_index import WHEELS
from made import FOO, HERE, alignment_of, build_of, machine_here, question_of

from trueup import setup
from trueup.facts.model import CudaFrom
from trueup.machine.model import Machine, Python
from trueup.setup import files, record
from trueup.setup.events import Event, Finished, Note
from trueup.setup.inspection import vanished
from trueup.setup.places import Places
from trueup.setup.room import check_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.fit.model import Alignment
    from trueup.setup.model import Environment

CHILD = Path(__file__).with_name("build_child.py")


def build(env_dir: Path, alignment: Alignment = FOO, **more: object) -> Environment:
    options: dict[str, object] = {"machine": machine_here(), **more}
    return setup.build(alignment, question_of(alignment), env_dir, **options)  # type: ignore[arg-type]


def left_beside(env_dir: Path) -> list[str]:
    return sorted(path.name for path in env_dir.parent.iterdir() if path.name not in {env_dir.name, "cache"})


def test_environment_is_whole_and_says_what_it_is(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    env_dir = tmp_path / "my 环境" / ".venv"
    made = build(env_dir)
    shown = subprocess.run(
        [made.python, "-c", "import foo; print(foo.version)"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "1.0"
    assert setup.inspect(env_dir).name == "complete"
    assert setup.answers(setup.inspect(env_dir), FOO, question_of())
    assert left_beside(env_dir) == []
    assert json.loads((env_dir / "trueup.json").read_text("utf-8"))["schema"] == "trueup.environment/1"
    assert made.record.device == "cpu"
    assert made.record.proof is None
    setup.mark_proven(env_dir, {"device": "cpu"})
    state = setup.inspect(env_dir)
    assert state.name == "complete"
    assert state.environment is not None
    assert state.environment.record.proof is not None
    assert state.environment.record.proof["device"] == "cpu"


def test_environment_knows_nothing_of_where_it_was_built(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    made = build(tmp_path / ".venv")
    assert "relocatable = true" in (made.path / "pyvenv.cfg").read_text("utf-8")
    small = [path for path in made.path.rglob("*") if path.is_file() and path.stat().st_size < 100_000]
    assert not [path for path in small if b"trueup-building" in path.read_bytes()]


@pytest.mark.parametrize("kind", ["venv", "folder", "empty", "file", "link"])
def test_what_is_not_ours_is_never_touched(mood: Callable[[str], None], tmp_path: Path, kind: str) -> None:
    mood("good")
    env_dir = tmp_path / ".venv"
    if kind == "venv":
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", env_dir], check=True)
    elif kind == "file":
        env_dir.write_text("mine", "utf-8")
    elif kind == "link":
        env_dir.symlink_to(tmp_path / "nowhere")
    else:
        env_dir.mkdir()
    if kind == "folder":
        (env_dir / "thesis.txt").write_text("mine", "utf-8")
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    assert setup.inspect(env_dir).name == "foreign"
    with pytest.raises(setup.SetupError) as caught:
        build(env_dir)
    assert caught.value.kind == "foreign"
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before


def test_finished_environment_is_not_built_over(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    build(tmp_path / ".venv")
    with pytest.raises(setup.SetupError) as caught:
        build(tmp_path / ".venv")
    assert caught.value.kind == "exists"


def test_somebody_elses_building_folder_is_left_alone(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    theirs = tmp_path / ".venv.trueup-building" / "notes.txt"
    theirs.parent.mkdir()
    theirs.write_text("mine", "utf-8")
    with pytest.raises(setup.SetupError) as caught:
        build(tmp_path / ".venv")
    assert caught.value.kind == "foreign"
    assert theirs.read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("wheel-404", "not-found"),
        ("wheel-portal", "broken-file"),
        ("wheel-other", "hash"),
        ("wheel-cut", "download"),
        ("hang-file", "hang"),
        ("403", "refused"),
        ("500", "server"),
    ],
)
def test_bad_mirror_leaves_nothing_that_looks_whole(
    mood: Callable[[str], None], tmp_path: Path, index: str, name: str, kind: str
) -> None:
    mood("good")
    env_dir = tmp_path / ".venv"
    lock = setup.lock(question_of())
    spoiled = setup.read_lock(lock.text.replace(f"{index}/good/", f"{index}/{name}/"), question_of())
    with pytest.raises(setup.SetupError) as caught:
        build(env_dir, lock=spoiled)
    assert caught.value.kind == kind
    assert not env_dir.exists()
    assert setup.inspect(env_dir).name == "building"
    build(env_dir, lock=lock)
    assert setup.inspect(env_dir).name == "complete"
    assert left_beside(env_dir) == []


def test_interrupted_build_goes_on_with_what_was_done(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    env_dir = tmp_path / ".venv"
    seen: list[Event] = []

    def stop(event: Event) -> None:
        if isinstance(event, Finished) and event.step == "install":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(env_dir, on_event=stop)
    assert setup.inspect(env_dir).name == "building"
    assert not Places(env_dir).lock_file.exists()
    mood("500")  # nothing may be asked of the index again
    build(env_dir, on_event=seen.append)
    reused = {event.step: event.reused for event in seen if isinstance(event, Finished)}
    assert reused["lock"]
    assert not reused["record"]
    assert setup.inspect(env_dir).name == "complete"


def test_second_environment_asks_the_index_for_no_file(
    mood: Callable[[str], None], tmp_path: Path, index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("good")
    own = alignment_of(build_of("foo", "1.0", index=f"{index}/good2/simple"), build_of("bar", "1.0"))
    lock = setup.lock(question_of(own))
    build(tmp_path / "one", own, lock=lock)
    monkeypatch.setenv("UV_OFFLINE", "1")
    build(tmp_path / "two", own, lock=lock)
    assert setup.inspect(tmp_path / "two").name == "complete"


def test_another_wish_starts_anew(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    env_dir = tmp_path / ".venv"

    def stop(event: Event) -> None:
        if isinstance(event, Finished) and event.step == "install":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(env_dir, on_event=stop)
    made = build(env_dir, alignment_of(build_of("foo", "2.0")))
    assert dict(made.record.fingerprint["distributions"])["foo"][0] == "2.0"


def test_broken_interpreter_is_passed_over(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    broken = tmp_path / "python3"
    broken.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    broken.chmod(0o755)
    here = machine_here()
    assert isinstance(here.pythons, tuple)
    pythons = (Python(f"{HERE}.99", 64, str(broken), "python.org"), *here.pythons)
    assert setup.find_python(replace(here, pythons=pythons), HERE) == broken
    seen: list[Event] = []
    build(tmp_path / ".venv", machine=replace(here, pythons=pythons), on_event=seen.append)
    notes = [event.text.params for event in seen if isinstance(event, Note)]
    assert [params["path"] for params in notes] == [str(broken)]
    assert setup.inspect(tmp_path / ".venv").name == "complete"


def test_python_that_cannot_be_had_names_ways_out(
    mood: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("good")
    monkeypatch.setenv("UV_PYTHON_DOWNLOADS", "never")
    with pytest.raises(setup.SetupError) as caught:
        build(tmp_path / ".venv", machine=Machine(os="linux", pythons=()))
    assert caught.value.kind == "python"
    assert caught.value.message.params["version"] == HERE
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize(
    ("bits", "version"), [(32, f"{HERE}.1"), (64, f"{HERE}.0rc1"), (64, "3.1.1"), (64, "odd")]
)
def test_unfit_interpreters_are_no_candidates(bits: int, version: str) -> None:
    machine = Machine(os="linux", pythons=(Python(version, bits, sys.executable),))
    assert setup.find_python(machine, HERE) is None


def test_hook_is_put_where_it_is_needed(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    made = build(tmp_path / ".venv", alignment_of(build_of("foo", "1.0", cuda_from=CudaFrom.ADDED)))
    assert "trueup.pth" in made.record.fingerprint["tree"]
    assert setup.inspect(tmp_path / ".venv").name == "complete"


def test_long_windows_path_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 90) / ".venv"
    windows = Machine(os="windows", long_paths=False)
    with pytest.raises(setup.SetupError) as caught:
        build(deep, machine=windows)
    assert caught.value.kind == "path-too-long"
    assert not deep.parent.exists()


@pytest.mark.parametrize(
    ("framework", "long_paths", "most"),
    [("tensorflow", False, 71), ("onnxruntime", False, 90), ("tensorflow", True, None)],
)
def test_room_for_paths_is_what_the_longest_file_leaves(
    framework: str, long_paths: bool, most: int | None
) -> None:
    alignment = alignment_of(build_of(framework, "1.0"))
    machine = Machine(os="windows", long_paths=long_paths)
    fits = Path("/" + "x" * ((most or 250) - 1))
    check_path(fits, machine, alignment)
    if most:
        with pytest.raises(setup.SetupError) as caught:
            check_path(Path(f"{fits}y"), machine, alignment)
        assert caught.value.message.params["most"] == most


def test_full_disk_is_told_before_the_download(
    mood: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("good")
    big = replace(FOO, disk_mb=4000)
    with monkeypatch.context() as patched:
        patched.setattr("trueup.setup.room._free_mb", lambda _: 300)
        with pytest.raises(setup.SetupError) as caught:
            build(tmp_path / ".venv", big)
    assert caught.value.kind == "disk-full"
    assert caught.value.message.params["free_mb"] == 300
    build(tmp_path / ".venv", big)
    other = tmp_path / "other"
    monkeypatch.setattr("trueup.setup.room._free_mb", lambda _: 300)
    build(other, big)  # all of it is in uv's cache by now, so that only links are written
    assert setup.inspect(other).name == "complete"


def test_errors_of_the_file_system_get_our_words(tmp_path: Path) -> None:
    full = files.failed(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), tmp_path)
    assert full.kind == "disk-filled"
    assert files.failed(PermissionError(errno.EACCES, "denied"), tmp_path).kind == "unwritable"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounts a read-only folder")
def test_unwritable_folder_is_named(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    locked = tmp_path / "locked"
    locked.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "ro", "none", locked], check=False, capture_output=True
    ).returncode:
        pytest.skip("may not mount")
    try:
        with pytest.raises(setup.SetupError) as caught:
            build(locked / ".venv")
    finally:
        subprocess.run(["umount", locked], check=True)
    assert caught.value.kind == "unwritable"
    assert str(locked) in str(caught.value.message.params["what"])


def test_second_run_is_refused_and_names_the_first(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("slow")
    env_dir = tmp_path / ".venv"
    first = subprocess.Popen([sys.executable, CHILD, env_dir], stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None
    assert "Started" in first.stdout.readline()
    with pytest.raises(setup.SetupError) as caught:
        build(env_dir)
    assert caught.value.kind == "busy"
    assert caught.value.message.params["pid"] == first.pid
    assert first.wait(60) == 0
    assert setup.inspect(env_dir).name == "complete"


def test_lock_of_a_dead_run_holds_nobody(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    env_dir = tmp_path / ".venv"
    dead = {"pid": os.getpid(), "created": 1.0, "since": "2026-11-30T00:00:00+00:00"}
    Places(env_dir).lock_file.write_text(json.dumps(dead), "utf-8")
    build(env_dir)
    assert not Places(env_dir).lock_file.exists()


def test_wheels_of_the_index_are_all_used() -> None:
    assert {name.split("-")[0] for name in WHEELS} == {"foo", "bar", "pip"}


def test_library_that_a_virus_scanner_took_is_named(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    made = build(tmp_path / ".venv")
    assert vanished(made.path) == []
    (info,) = record.site_packages(made.path).glob("foo-*.dist-info/RECORD")
    with info.open("a", encoding="utf-8") as file:
        file.write("foo/kernels.DLL,,5\n")
    assert vanished(made.path) == ["foo/kernels.DLL"]


def test_move_that_fails_loses_nothing(
    mood: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("good")
    env_dir = tmp_path / ".venv"

    def held(self: Path, target: Path) -> Path:
        raise PermissionError(errno.EACCES, "held by another program", str(self), 32, str(target))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", held)
        patched.setattr(files, "MOVE_WAITS_S", (0.0,))
        with pytest.raises(setup.SetupError) as caught:
            build(env_dir)
    assert caught.value.kind in {"in-use", "unwritable"}  # only Windows has a number for it
    assert setup.inspect(env_dir).name == "building"
    seen: list[Event] = []
    build(env_dir, on_event=seen.append)
    assert {event.step for event in seen if isinstance(event, Finished) and event.reused} >= {
        "lock",
        "install",
    }
    assert setup.inspect(env_dir).name == "complete"
    assert left_beside(env_dir) == []
