"""A file that a running program holds is named with the program; what a virus scanner refuses is called so."""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from made import FOO, machine_here, question_of

from trueup import setup
from trueup.report.say import LANGUAGES, say
from trueup.setup import files, holding
from trueup.setup.events import Finished
from trueup.setup.failures import explain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trueup.setup.events import Event

HOLDS = (
    "import mmap, sys; f = open(sys.argv[1], 'rb'); m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ); "
    "print('ready', flush=True); sys.stdin.read()"
)
USED = "The process cannot access the file because it is being used by another process. (os error 32)"


@contextlib.contextmanager
def held(path: Path) -> Iterator[int]:
    """Let another program map a file as a loader does; yield its process number."""
    command = [sys.executable, "-c", HOLDS, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        yield child.pid
        child.communicate("")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "site-packages" / "cudnn64_8.dll"
    path.parent.mkdir()
    path.write_bytes(b"MZ" * 4096)
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="looks through processes as on Linux")
def test_the_program_that_holds_a_file_is_named(library: Path) -> None:
    said = f"error: Failed to install: foo\n  cause: failed to remove file `{library}`: {USED}"
    assert holding.named(explain(said)).kind == "in-use"  # nobody is found: nobody is named
    with held(library) as pid:
        error = holding.named(explain(said))
        assert error.kind == "held"
        assert f"({pid})" in str(error.message.params["by"])
        assert f"({pid})" in " ".join(holding.programs(library.parent))
        for lang in LANGUAGES:
            told = say(error.message, lang)
            assert str(library) in told
            assert USED in told
            assert error.hint is not None
            assert f"({pid})" in say(error.hint, lang)


def test_a_move_that_is_refused_names_the_program(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "programs", lambda path: (f"Code.exe (77) {path.name}",))
    refused = PermissionError(13, "Access is denied")
    refused.winerror = 5  # type: ignore[attr-defined,unused-ignore]
    error = files.failed(refused, library.parent)
    assert (error.kind, error.message.params["by"]) == ("held", "Code.exe (77) site-packages")


@pytest.mark.parametrize("code", [225, 226])
def test_what_a_virus_scanner_refuses_is_called_so(library: Path, code: int) -> None:
    said = (
        "error: Failed to install: nvidia-cudnn-cu11\n"
        f"  cause: failed to copy file to `{library}`: Operation did not complete successfully because the "
        f"file contains a virus or potentially unwanted software. (os error {code})"
    )
    error = explain(said)
    assert (error.kind, error.message.params["what"]) == ("virus", str(library))
    refused = OSError(22, "contains a virus")
    refused.winerror = code  # type: ignore[attr-defined,unused-ignore]
    assert files.failed(refused, library).kind == "virus"


class Manager:
    """What `rstrtmgr.dll` does, with a list of programs that grows while it is asked."""

    def __init__(self, *programs: tuple[int, str]) -> None:
        self.programs = programs
        self.files: list[str] = []
        self.open = 0

    def RmStartSession(self, session: Any, _: int, key: Any) -> int:  # noqa: N802
        assert len(key) == holding.KEY
        session._obj.value = 5
        self.open += 1
        return 0

    def RmRegisterResources(self, session: Any, count: int, names: Any, *_: Any) -> int:  # noqa: N802
        assert session.value == 5
        self.files = list(names[:count])
        return 0

    def RmGetList(self, _: Any, needed: Any, count: Any, rows: Any, __: Any) -> int:  # noqa: N802
        needed._obj.value = len(self.programs)
        if count._obj.value < len(self.programs):
            return holding.MORE_DATA
        for row, (pid, name) in zip(rows, self.programs, strict=False):
            row.process.pid, row.name = pid, name
        count._obj.value = len(self.programs)
        return 0

    def RmEndSession(self, _: Any) -> int:  # noqa: N802
        self.open -= 1
        return 0


def test_the_restart_manager_is_asked_until_all_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [(100 + n, f"Program {n}") for n in range(20)]
    manager = Manager((os.getpid(), "trueup itself"), *many)
    monkeypatch.setattr(ctypes, "WinDLL", lambda _: manager, raising=False)
    found = holding._restart_manager(["C:\\x\\a.dll"])
    assert found == tuple(f"{name} ({pid})" for pid, name in many)
    assert manager.files == ["C:\\x\\a.dll"]
    assert manager.open == 0


def test_a_restart_manager_that_does_not_answer_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Manager, "RmGetList", lambda *_: 120)  # ERROR_CALL_NOT_IMPLEMENTED
    monkeypatch.setattr(ctypes, "WinDLL", lambda _: Manager(), raising=False)
    assert holding._restart_manager(["C:\\x\\a.dll"]) is None


def test_the_layout_is_windows_own() -> None:
    assert ctypes.sizeof(holding._Info) == 28 + (256 + 64) * ctypes.sizeof(ctypes.c_wchar)


@pytest.mark.usefixtures("mood")
def test_a_scanner_that_takes_a_file_in_the_middle_stops_the_build(tmp_path: Path) -> None:
    """What a package's own list names is gone when the installation ends: on Windows that has one cause."""
    env = tmp_path / ".venv"
    windows = replace(machine_here(), os="windows", long_paths=True)

    def scanner(event: Event) -> None:
        if isinstance(event, Finished) and event.step == "install":
            (record,) = tmp_path.glob(
                ".venv.trueup-building/env-*/lib/*/site-packages/foo-*.dist-info/RECORD"
            )
            text = record.read_text("utf-8") + "foo/kernels.dll,,5\n"
            record.unlink()  # uv's cache may share it
            record.write_text(text, "utf-8")

    with pytest.raises(setup.SetupError) as caught:
        setup.build(FOO, question_of(), env, machine=windows, on_event=scanner)
    assert (caught.value.kind, caught.value.message.params["what"]) == ("vanished", "foo/kernels.dll")
    assert not env.exists()
    for lang in LANGUAGES:
        assert caught.value.hint is not None
        assert say(caught.value.hint, lang)
    setup.build(FOO, question_of(), env, machine=windows)
    assert setup.inspect(env).name == "complete"
