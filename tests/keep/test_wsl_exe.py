"""What `wsl.exe` says, in its languages and as the bytes that it writes."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from wsl_worlds import EXE, Windows

from trueup.keep.wsl import wslexe
from trueup.keep.wsl.read import read
from trueup.machine.host.local import LocalFiles
from trueup.machine.wsl import parse_versions
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world import World

    from trueup.machine.host.base import RunResult

LANGUAGES = json.loads((Path(__file__).with_name("wsl_languages.json")).read_text("utf-8"))["languages"]
NUMBERS = (
    "2.3.26.0",
    "5.15.167.4-1",
    "1.0.65",
    "1.2.5620",
    "1.611.1-81528511",
    "10.0.26100.1",
    "10.0.22631.4460",
)
ROWS = (
    ("NAME", "STATE", "VERSION", "Running", "Stopped"),
    ("名称", "状态", "版本", "正在运行", "已停止"),
    ("NOM", "ÉTAT", "VERSION", "En cours d'exécution", "Arrêté"),
    ("NAME", "STATUS", "VERSION", "Wird ausgeführt", "Beendet"),
    ("名前", "状態", "バージョン", "実行中", "停止"),
    ("ИМЯ", "СОСТОЯНИЕ", "ВЕРСИЯ", "Выполняется", "Остановлено"),
)


def versions(lang: str) -> str:
    return str(LANGUAGES[lang]["versions"].format(*NUMBERS)) + "\n"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_versions_are_read_by_their_order(lang: str) -> None:
    assert parse_versions(versions(lang))[:2] == NUMBERS[:2]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("sentence", "code", "name"),
    [
        (
            "virtualisation",
            "Wsl/Service/CreateInstance/CreateVm/HCS/HCS_E_HYPERV_NOT_INSTALLED",
            "no-virtualisation",
        ),
        ("no_distro", "Wsl/WSL_E_DEFAULT_DISTRO_NOT_FOUND", "no-distro"),
        ("virtualisation", "Wsl/Service/RegisterDistro/CreateVm/HCS/0x80370102", "no-virtualisation"),
        ("virtualisation", "Wsl/Service/CreateInstance/0x80040326", "halves-differ"),
    ],
)
def test_faults_are_known_by_their_code(lang: str, sentence: str, code: str, name: str) -> None:
    text = LANGUAGES[lang]["error"].format(LANGUAGES[lang][sentence], code)
    [fault] = wslexe.faults([text, text])
    assert (fault.name, fault.code in code, code in fault.line) == (name, True, True)
    assert wslexe.parse_list(text) == ()


@pytest.mark.parametrize("words", ROWS, ids=[row[0] for row in ROWS])
def test_lists_are_read_by_their_columns(words: tuple[str, ...]) -> None:
    name, state, version, running, stopped = words
    text = (
        f"  {name}                   {state}           {version}\n"
        f"  docker-desktop         {running}         2\n"
        f"* Ubuntu 24.04 LTS       {stopped}         2\n"
        f"  旧的 distro            {stopped}    1\n"
    )
    found = wslexe.parse_list(text)
    assert [(one.name, one.version, one.default) for one in found] == [
        ("docker-desktop", 2, False),
        ("Ubuntu 24.04 LTS", 2, True),
        ("旧的 distro", 1, False),
    ]


@pytest.mark.parametrize(
    "code", ["0x80370102", "0x80370114", "0x8007019e", "0x8007019E", "0x80040326", "0x800701bc"]
)
def test_the_known_numbers_have_a_cause_a_way_out_and_a_source(code: str) -> None:
    [fault] = wslexe.faults([f"WslRegisterDistribution failed with error: {code}\nError: {code} Text.\n"])
    for lang in ("en", "zh_CN"):
        assert say(Message(f"wsl.fault-{fault.name}"), lang)
        assert say(Message(f"wsl.fix-{fault.name}"), lang)
    assert fault.source.address


def test_an_unknown_number_is_no_known_cause() -> None:
    assert wslexe.faults(["Error code: Wsl/Service/0x8badf00d"]) == ()


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        ("C:\\Users\\李 明\\trueup", "/mnt/c/Users/李 明/trueup"),
        ("d:/data/", "/mnt/d/data"),
        ("\\\\?\\E:\\long", "/mnt/e/long"),
        ("\\\\server\\share\\x", None),
        ("\\\\wsl.localhost\\Ubuntu\\home", None),
        ("relative", None),
    ],
)
def test_paths_are_translated(path: str, seen: str | None) -> None:
    assert wslexe.inside(path) == seen


class StandIn:
    """A Windows whose `wsl.exe` is a real program, started for real; the rest is data."""

    def __init__(self, world: World, program: Path) -> None:
        self._world = world
        self._program = program

    def __getattr__(self, name: str) -> object:
        return getattr(self._world, name)

    def run(self, argv: Sequence[str], timeout: float) -> RunResult | None:
        if argv[0] != EXE:
            return self._world.run(argv, timeout)
        return LocalFiles().run([sys.executable, str(self._program), *argv[1:]], 120)


PROGRAM = """
import json, os, sys
answers = json.loads(open({answers!r}, encoding="utf-8").read())
text, status = answers.get(" ".join(sys.argv[1:]), ["", 1])
sys.stdout.buffer.write(text.replace("\\n", "\\r\\n").encode({encoding!r}))
sys.exit(status)
"""


@pytest.mark.parametrize(
    "encoding", ["utf-16-le", "utf-16", "utf-8"]
)  # by itself, redirected by some shells, WSL_UTF8=1
@pytest.mark.parametrize("lang", LANGUAGES)
def test_its_bytes_are_read(tmp_path: Path, lang: str, encoding: str) -> None:
    rows = "  NAME        STATE           VERSION\n* Ubuntu      Running         2\n  老 Debian   Stopped         1\n"
    answers = {
        "--version": [versions(lang), 0],
        "--list --verbose": [rows, 0],
        f"-d Ubuntu -e sh -c {wslexe.FIND}": ["trueup 9.9\n", 0],
    }
    (tmp_path / "answers.json").write_text(json.dumps(answers), "utf-8")
    program = tmp_path / "wsl.py"
    program.write_text(PROGRAM.format(answers=str(tmp_path / "answers.json"), encoding=encoding), "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    found = read(StandIn(Windows().world(), program))  # type: ignore[arg-type]  # passes the rest on
    assert (found.wsl, found.kernel, found.trueup) == (NUMBERS[0], NUMBERS[1], "9.9")
    assert not isinstance(found.distros, tuple) or found.distros[0].running is True
