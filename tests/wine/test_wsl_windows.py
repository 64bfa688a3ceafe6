"""`wsl.exe` asked from Windows Python, and settings of editors written there and taken back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from winehost import MINGW, Wine, windows

pytestmark = pytest.mark.wine
SOURCE = windows(Path(__file__).parents[2] / "src")
LANGUAGES = json.loads((Path(__file__).parents[1] / "keep" / "wsl_languages.json").read_text("utf-8"))[
    "languages"
]
NUMBERS = ("2.3.26.0", "5.15.167.4-1", "1.0.65", "1", "1", "1", "10.0.22631.4460")
READ = """
import json, sys
from trueup.keep.wsl import wslexe
from trueup.keep.wsl.read import read
from trueup.machine.host import this_host
host = this_host()
host._env["SYSTEMROOT"] = sys.argv[1]
found = read(host)
answer = wslexe.ask(host, "-d", "Ubuntu", "-e", "sh", "-c", wslexe.FIND)
print(json.dumps({"wsl": found.wsl, "kernel": found.kernel, "present": found.present,
    "faults": [fault.name for fault in found.faults], "passed": wslexe.FIND in answer.out}))
"""
RUN = (
    "import sys; from pathlib import Path; from trueup.cli import places;"
    " places.data_folder = lambda: Path(sys.argv[1]);"
    " from trueup.cli.main import run; sys.exit(run(sys.argv[2:]))"
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a SYSTEMROOT with a `wsl.exe` that plays what it is given."""
    folder = tmp_path_factory.mktemp("windows")
    (folder / "System32").mkdir()
    source = Path(__file__).with_name("c") / "wsl.c"
    subprocess.run([MINGW, "-s", "-o", folder / "System32" / "wsl.exe", source], check=True)
    return folder


@pytest.mark.parametrize(
    ("lang", "encoding"), [("zh-CN", "utf-16-le"), ("ru-RU", "utf-16-le"), ("de-DE", "utf-8")]
)
def test_the_program_s_bytes_come_through(
    wine: Wine, root: Path, tmp_path: Path, lang: str, encoding: str
) -> None:
    words = LANGUAGES[lang]
    said = {
        "--version": words["versions"].format(*NUMBERS),
        "--list": words["error"].format(words["no_distro"], "Wsl/WSL_E_DEFAULT_DISTRO_NOT_FOUND"),
    }
    for name, text in said.items():
        (tmp_path / name).write_bytes((text.replace("\n", "\r\n") + "\r\n").encode(encoding))
    (tmp_path / "-d").write_bytes(b"")
    variables = {"PYTHONPATH": SOURCE, "WSL_ANSWERS": windows(tmp_path)}
    answer = json.loads(wine.out("-c", READ, root, timeout=300, **variables))
    assert answer == {
        "wsl": NUMBERS[0],
        "kernel": NUMBERS[1],
        "present": True,
        "faults": ["no-distro"],
        "passed": True,
    }


def test_settings_of_vs_code_on_windows_come_back_to_the_byte(wine: Wine, tmp_path: Path) -> None:
    project = tmp_path / "我的 project"
    (project / ".venv" / "Scripts").mkdir(parents=True)
    (project / ".venv" / "Scripts" / "python.exe").write_bytes(b"")
    settings = project / ".vscode" / "settings.json"
    settings.parent.mkdir()
    before = b'\xef\xbb\xbf{\r\n\t// mine\r\n\t"a": 1,\r\n}'
    settings.write_bytes(before)
    asked = ("connect", "vscode", "--env", project / ".venv", "--project", project, "--yes", "--lang", "en")
    done = wine.py("-c", RUN, tmp_path / "data", *asked, timeout=300, PYTHONPATH=SOURCE)
    assert done.returncode == 0, done.stdout + done.stderr
    line = b'\t"python.defaultInterpreterPath": "${workspaceFolder}/.venv/Scripts/python.exe",\r\n}'
    assert settings.read_bytes() == before[:-1] + line
    done = wine.py("-c", RUN, tmp_path / "data", "undo", "--yes", timeout=300, PYTHONPATH=SOURCE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert settings.read_bytes() == before
