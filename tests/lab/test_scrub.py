"""What a recording tells of the machine that made it: nothing."""

from __future__ import annotations

import json
import sys
import sysconfig
from pathlib import Path

import pytest

LAB = Path(__file__).parents[2] / "lab"
sys.path.insert(0, str(LAB))
import scrub  # noqa: E402  # lies in the laboratory


def test_a_foreign_source_is_neutral_in_every_spelling(tmp_path: Path) -> None:
    source = tmp_path / "my trueup" / "src"
    source.mkdir(parents=True)
    windows = "Z:" + str(source).replace("/", "\\")
    log = f'File "{source}/trueup/cli/main.py"\nFile "{windows}\\trueup\\x.py"\n'
    said = scrub.scrub(log, source)
    assert str(tmp_path) not in said
    assert str(tmp_path).replace("/", "\\") not in said
    assert said.startswith('File "/opt/trueup/src/trueup/cli/main.py"\nFile "Z:\\opt\\trueup')
    answer = {"ask": ["read_text", f"{source}/a"], "is": str(source)}
    assert str(tmp_path) not in json.dumps(scrub.scrub_all(answer, source))


@pytest.mark.skipif(sys.platform == "win32", reason="a link needs a right there")
def test_a_source_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    assert scrub.scrub(f"{link}/a {tmp_path}/real/b", link) == "/opt/trueup/src/a /opt/trueup/src/b"


def test_hooks_of_the_recorder_are_left_out_and_packages_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    info = site / "pack-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: pack\nVersion: 1.0\n")
    (info / "RECORD").write_text("pack.pth,,\n")
    for name in ("_company_proxy.pth", "pack.pth", "_virtualenv.pth"):
        (site / name).write_text("")
    monkeypatch.setattr(sysconfig, "get_path", lambda *_, **__: str(site))
    scrub.own_hooks.cache_clear()
    folder = "/home/user/venv/lib/python3.12/site-packages"
    document = {
        "answers": [
            {"ask": ["list_dir", folder], "is": ["_company_proxy.pth", "_virtualenv.pth", "pack.pth"]},
            {"ask": ["read_text", f"{folder}/_company_proxy.pth"], "is": "import os"},
            {"ask": ["read_text", "C:\\venv\\Lib\\site-packages\\_company_proxy.pth"], "is": "import os"},
            {"ask": ["read_text", f"{folder}/pack.pth"], "is": "x"},
        ]
    }
    told = scrub.trim(document)
    scrub.own_hooks.cache_clear()
    assert told["answers"] == [
        {"ask": ["list_dir", folder], "is": ["_virtualenv.pth", "pack.pth"]},
        {"ask": ["read_text", f"{folder}/pack.pth"], "is": "x"},
    ]
