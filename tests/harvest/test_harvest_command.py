from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from make_wheel import wheel
from served import Manner, index

from trueup.cli import places
from trueup.cli.harvesting import named_by_uv
from trueup.cli.main import run
from trueup.facts.harvest.overlay import shipped

if TYPE_CHECKING:
    from pathlib import Path

LINUX = "cp313-cp313-manylinux_2_27_x86_64"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "own"
    monkeypatch.setattr(places, "own_facts", lambda: folder)
    return folder


def answer(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, Any, str]:
    code = run(["--lang", "en", "facts", *args])
    out, err = capsys.readouterr()
    if not out.startswith("{"):
        return code, out, err
    document = json.loads(out)
    name = document["schema"].removeprefix("trueup.").replace("/", "-")
    schema = resources.files("trueup.report").joinpath("schemas", f"{name}.json").read_text("utf-8")
    jsonschema.validate(document, json.loads(schema))
    return code, document, err


def tomorrow() -> tuple[str, dict[str, bytes]]:
    """Return a release that the facts do not know, with a wheel for Linux and one for Windows."""
    newest = max(shipped("tensorflow").releases("tensorflow"))
    version = f"{newest.major}.{newest.minor + 1}.0"
    members = {"tensorflow/python/platform/build_info.py": b"build_info = {'is_cuda_build': False}"}
    files = [
        wheel(version=version, tag=LINUX),
        wheel(version=version, tag="cp313-cp313-win_amd64", members=members),
    ]
    return version, dict(files)


def test_a_folder_of_wheels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, content = wheel()
    (tmp_path / name).write_bytes(content)
    code, document, err = answer(capsys, "harvest", str(tmp_path))
    assert (code, document["schema"], document["rows"][0]["build"]["cuda"]) == (0, "trueup.harvest/1", "11.2")
    assert "1 wheels read, 0 refused" in err
    assert answer(capsys, "harvest", str(tmp_path), "-o", str(tmp_path / "a.json"))[1] == ""
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == document


def test_a_bad_wheel_beside_a_good_one_is_said_and_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, content = wheel()
    (tmp_path / name).write_bytes(content)
    (tmp_path / "tensorflow-2.9.0-cp39-cp39-win_amd64.whl").write_bytes(b"PK")
    code, document, err = answer(capsys, "harvest", str(tmp_path))
    assert (code, len(document["rows"])) == (1, 1)
    assert "2.9.0-cp39" in err


def test_no_wheel_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = answer(capsys, "harvest", str(tmp_path / "none"))
    assert code == 2
    assert "--index" in err


def test_packages_of_an_index(capsys: pytest.CaptureFixture[str]) -> None:
    version, files = tomorrow()
    with index(files, Manner()) as address:
        one = answer(capsys, "harvest", f"tensorflow=={version}", "--index", address, "--os", "windows")
        none = answer(capsys, "harvest", "tensorflow", "--index", address, "--python", "3.9")
    assert [row["platform"] for row in one[1]["rows"]] == ["windows"]
    assert none[0] == 2


def test_a_release_of_tomorrow_is_seen_then_read_then_known(
    capsys: pytest.CaptureFixture[str], own_folder: Path
) -> None:
    version, files = tomorrow()
    with index(files, manner := Manner()) as address:
        _, before, _ = answer(capsys, "status", "--index", address, "--json")
        code, update, _ = answer(capsys, "update", "tensorflow", "--index", address, "--json")
        _, after, _ = answer(capsys, "status", "--index", address, "--json")
        again = answer(capsys, "update", "tensorflow", "--index", address)
    new = [{"package": "tensorflow", "version": version, "platform": p} for p in ("linux", "windows")]
    assert sorted(before["missing"], key=str) == sorted(new, key=str)
    assert (code, sorted(update["added"], key=str)) == (0, sorted(new, key=str))
    assert (after["missing"], len(after["added"])) == ([], 2)
    assert again[1].strip() == "The index has no release that the facts do not know"
    assert manner.sent < 100_000
    builds = places.load().builds("tensorflow")
    assert {(b.version, b.flavour) for b in builds[:2]} == {(version, "cuda"), (version, "cpu")}
    assert list(own_folder.iterdir()) == [own_folder / "tensorflow.json"]


def test_a_release_of_tomorrow_is_solved(capsys: pytest.CaptureFixture[str]) -> None:
    version, files = tomorrow()
    with index(files, Manner()) as address:
        assert answer(capsys, "update", "tensorflow", "--index", address)[0] == 0
    described = [
        "--os",
        "linux",
        "--gpu",
        "RTX 3060",
        "--driver",
        "610.10",
        "--glibc",
        "2.39",
        "--python",
        "3.13",
    ]
    run(["--lang", "en", "solve", "tensorflow", *described, "--prefer", "newest", "--json"])
    solved = json.loads(capsys.readouterr().out)
    assert solved["best"]["packages"]["tensorflow"] == version
    assert solved["status"] == "gpu"


def test_status_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = answer(capsys, "status")
    assert code == 0
    assert "days ago" in out
    assert "--online" in err


def test_a_framework_that_nobody_follows(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = answer(capsys, "update", "tensorflaw")
    assert code == 2
    assert "tensorflow" in err


def test_what_uv_names() -> None:
    assert (
        named_by_uv("--index-url https://h/simple\n--extra-index-url https://i/simple\n")
        == "https://h/simple"
    )
    assert named_by_uv("--default-index https://h/simple") == "https://h/simple"
    assert named_by_uv("\n") is None
