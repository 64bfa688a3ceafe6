"""`trueup lock` as it is typed: for machines that are elsewhere, with the real uv; the real index where marked."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING

import jsonschema
import pytest
from fake_index import WHEELS

from trueup import setup
from trueup.cli.main import run
from trueup.plan.lock import Artifact, Lock, Locked
from trueup.plan.request import request
from trueup.setup.tags import rank
from trueup.setup.toml import loads

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trueup.plan.request import LockRequest

WINDOWS = {
    "os": "windows",
    "arch": "x86_64",
    "os_build": "10.0.22631",
    "gpus": [{"name": "RTX 3060"}],
    "driver": "536.67",
}
LINUX = {
    "os": "linux",
    "arch": "x86_64",
    "gpus": [{"name": "RTX 4090"}],
    "driver": "560.35.03",
    "glibc": "2.39",
    "libc": "glibc",
}
# What TensorFlow 2.10 loads by name on native Windows, and who brings it; WINDOWS.md, 2026-11-30.
CUDA_11 = {
    "nvidia-cuda-runtime-cu11": "11.8.",
    "nvidia-cublas-cu11": "11.",
    "nvidia-cufft-cu11": "10.",
    "nvidia-curand-cu11": "10.",
    "nvidia-cusolver-cu11": "11.",
    "nvidia-cusparse-cu11": "11.",
    "nvidia-cudnn-cu11": "8.9.",
    "nvidia-cuda-nvrtc-cu11": "11.8.",
    "msvc-runtime": "14.",
    "tensorflow": "2.10.1",
}


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[LockRequest]:
    """Answer every question with a small lock, and keep the questions."""
    asked: list[LockRequest] = []

    def lock(question: LockRequest, *, uv: object) -> Lock:
        assert uv is not None
        asked.append(question)
        name = next(iter(WHEELS))
        file = f'{{url = "https://x.invalid/{name}", size = 5, hashes = {{sha256 = "{"a" * 64}"}}}}'
        text = f'lock-version = "1.0"\ncreated-by = "x"\n[[packages]]\nname = "foo"\nversion = "1.0"\nwheels = [{file}]\n'
        packages = (
            Locked("foo", "1.0", Artifact(name, f"https://x.invalid/{name}", "a" * 64, 5), ("a" * 64,)),
        )
        return Lock(text, "b" * 64, question.id, packages)

    monkeypatch.setattr(setup, "lock", lock, raising=False)
    return asked


def typed(capsys: pytest.CaptureFixture[str], *args: str, lang: str = "en") -> tuple[int, str, str]:
    status = run(["--lang", lang, "lock", *args])
    out = capsys.readouterr()
    return status, out.out, out.err


def machine(tmp_path: Path, described: Mapping[str, object]) -> str:
    file = tmp_path / "machine.json"
    file.write_text(json.dumps(described), "utf-8")
    return str(file)


def test_lock_for_another_machine(
    played: list[LockRequest], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    target = tmp_path / "pylock.win.toml"
    status, out, err = typed(capsys, "tensorflow", "--machine", machine(tmp_path, WINDOWS), "-o", str(target))
    assert status == 0
    assert out == ""
    assert "route windows-native" in err
    assert loads(target.read_text("utf-8"))["packages"][0]["name"] == "foo"
    assert played[0].uv_platform == "x86_64-pc-windows-msvc"
    assert set(CUDA_11) <= {text.partition("==")[0] for text in played[0].requirements}


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_answer_as_data_holds_to_its_schema(
    played: list[LockRequest], capsys: pytest.CaptureFixture[str], tmp_path: Path, lang: str
) -> None:
    status, out, err = typed(
        capsys, "tensorflow", "--machine", machine(tmp_path, WINDOWS), "--json", lang=lang
    )
    assert status == 0
    assert err
    schema = json.loads(
        resources.files("trueup.report").joinpath("schemas", "lock-1.json").read_text("utf-8")
    )
    jsonschema.validate(json.loads(out), schema)
    assert len(played) == 1


def test_nothing_that_fits_is_data_too(
    played: list[LockRequest], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, out, _ = typed(capsys, "tensorflow==99", "--machine", machine(tmp_path, LINUX), "--json")
    assert status == 1
    answer = json.loads(out)
    assert (answer["schema"], answer["best"]) == ("trueup.solve/1", None)
    assert played == []


def test_dockerfile_asks_for_no_newer_glibc_than_its_image_has(
    played: list[LockRequest], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, out, _ = typed(capsys, "tensorflow", "--machine", machine(tmp_path, LINUX), "--format", "docker")
    assert status == 0
    assert "FROM ${IMAGE}" in out
    assert played[0].glibc_minor == 35


def test_dockerfile_for_windows_names_the_way_out(
    played: list[LockRequest], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, _, err = typed(
        capsys, "tensorflow", "--machine", machine(tmp_path, WINDOWS), "--format", "docker"
    )
    assert status == 2
    assert "--machine" in err
    assert played == []


@pytest.mark.parametrize("name", ["lock.toml", "pylock.a.b.toml"])
def test_name_that_installers_refuse_is_refused_at_once(
    played: list[LockRequest], capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    status, _, err = typed(capsys, "tensorflow", "-o", str(tmp_path / name))
    assert status == 2
    assert name in err
    assert "pylock.NAME.toml" in err
    assert played == []


def test_what_fits_nowhere_is_explained(
    played: list[LockRequest], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, out, _ = typed(capsys, "tensorflow==2.99", "--machine", machine(tmp_path, WINDOWS))
    assert status in {1, 2}
    assert played == []
    assert out or status == 2


@pytest.mark.network
@pytest.mark.parametrize("python", ["3.9", "3.10"])
def test_real_lock_of_native_windows_is_complete(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, python: str
) -> None:
    target = tmp_path / "pylock.toml"
    options = ["--machine", machine(tmp_path, WINDOWS), "--python", python, "-o", str(target)]
    status, _, err = typed(capsys, "tensorflow", *options)
    assert status == 0, err
    locked = {package["name"]: package for package in loads(target.read_text("utf-8"))["packages"]}
    for name, version in CUDA_11.items():
        assert locked[name]["version"].startswith(version)
    assert locked["numpy"]["version"].startswith("1.")
    assert int(locked["setuptools"]["version"].split(".")[0]) < 82
    question = question_for(python)
    for package in locked.values():
        assert "sdist" not in package or package["wheels"]
        for wheel in package["wheels"]:
            assert rank(wheel["url"].rpartition("/")[2], question) is not None
            assert len(wheel["hashes"]["sha256"]) == 64


def question_for(python: str) -> LockRequest:
    from made import alignment_of, build_of

    return request(alignment_of(build_of("tensorflow", "2.10.1", platform="windows"), python=python))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_address_in_a_wish_is_refused_not_overlooked(capsys: pytest.CaptureFixture[str], lang: str) -> None:
    for wish in ("tensorflow @ https://x.invalid/t.whl", "idna @ file:///tmp/idna.whl"):
        status, out, err = typed(capsys, "tensorflow", wish, lang=lang)
        assert (status, out) == (2, "")
        assert wish in err
        assert "pip install" in err
