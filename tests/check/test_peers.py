"""What other tools of this field get wrong, measured: each fault as a test that a check-up passes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from examined import answer, examined
from world import World, load

from trueup.diagnose.findings import check
from trueup.facts import load as load_facts
from trueup.machine.host import Recording, RunResult, this_host
from trueup.machine.inventory.shadows import NAMES
from trueup.machine.smi import parse_banner
from trueup.machine.survey import read_survey
from trueup.report.check import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

BASES = Path(__file__).parent / "bases"


def ids(name: str) -> list[str]:
    return [finding.id for finding in examined(name)[0].findings]


def test_a_warning_before_the_answer_does_not_hide_it() -> None:
    text = "WARNING: infoROM is corrupted at gpu 0000:01:00.0\n| NVIDIA-SMI 536.67   Driver Version: 536.67   CUDA Version: 12.2 |\n"
    found = parse_banner(RunResult(14, text, "another warning\n"))
    assert (found.driver, found.cuda, found.failure) == ("536.67", "12.2", None)


def test_a_library_that_does_not_load_is_not_missing() -> None:
    checkup, _ = examined("driver-userspace-kernel-mismatch--linux")
    assert answer(checkup) != "driver-missing"
    assert checkup.survey.machine.driver == "550.54.15"


def test_windows_build_strings_are_read_as_versions() -> None:
    subject = examined("aligned--windows-tf210-hook")[0].subject
    assert subject is not None
    assert [(build.cuda, build.cudnn) for build in subject.builds] == [("11.2", "8")]


def test_cudnn_nine_point_one_is_not_ninety() -> None:
    copies = examined("cudnn-major-mismatch--windows-cudnn-9")[0].survey.cuda
    assert isinstance(copies, tuple)
    assert [copy.version for copy in copies if copy.kind == "cudnn"] == ["9.1.0"]


def test_code_for_8_6_serves_a_card_of_8_9() -> None:
    assert answer(examined("aligned--windows-rtx4090-torch-cu124-has-no-sm89")[0]) == "aligned"
    assert answer(examined("aligned--windows-rtx4090-tf210")[0]) == "aligned"


def test_a_card_of_12_0_is_not_told_to_use_cuda_12_4() -> None:
    checkup, _ = examined("gpu-arch-newer-than-build--windows-rtx5090-torch-cu124")
    best = checkup.solution.best
    assert best is not None
    assert best.cuda is not None
    assert tuple(map(int, best.cuda.split("."))) >= (12, 8)


def test_windows_is_not_told_the_answer_of_linux() -> None:
    best = examined("tf-windows-gpu-ended-at-2-10--tf215")[0].solution.best
    assert best is not None
    assert best.route == "windows-native"
    assert best.builds[0].version.startswith("2.10.")


def test_without_gpu_support_a_missing_cudnn_is_no_finding() -> None:
    found = ids("tf-windows-gpu-ended-at-2-10--tf215")
    assert not [one for one in found if one.startswith(("cudnn", "cuda-"))]


def test_new_numpy_and_new_setuptools_beside_an_old_tensorflow() -> None:
    assert answer(examined("numpy-2-abi--windows-tf210")[0]) == "numpy-2-abi"
    text = as_text(examined("package-breaks-release--windows-tf210-setuptools-84")[0], "en")
    assert "needs setuptools<81; 84.0.0 is installed" in text


def test_the_new_spelling_of_nvidia_smi() -> None:
    machine = examined("ready--wsl2-nvml-broken-smi-610")[0].survey.machine
    assert (machine.driver, machine.cuda_driver) == ("610.47", "13.3")


def test_no_connection_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a check-up opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert check(read_survey(this_host()), load_facts()).findings


def test_the_users_folder_is_not_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project" / "deep").mkdir(parents=True)
    (tmp_path / "project" / "deep" / "requirements.txt").write_text("tensorflow\n")
    monkeypatch.chdir(tmp_path)
    recording = Recording(this_host())
    read_survey(recording, env_dir=tmp_path / ".venv")
    asked = [part for row in recording.document()["answers"] for part in row["ask"][1:]]
    inside = [path for path in asked if path.startswith(str(tmp_path))]
    assert inside
    named = (".venv", ".pixi", ".vscode", *(f"{name}.py" for name in NAMES))
    assert all(Path(path) == tmp_path or any(one in path for one in named) for path in inside)


def test_a_framework_that_kills_its_importer_is_only_read(tmp_path: Path) -> None:
    env = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(env)], check=True)
    (site,) = env.glob("lib/python3.*/site-packages")
    (site / "tensorflow" / "python" / "platform").mkdir(parents=True)
    (site / "tensorflow" / "__init__.py").write_text("import os; os.abort()\n")
    (site / "tensorflow" / "python" / "platform" / "build_info.py").write_text(
        "build_info = {'is_cuda_build': False}\n"
    )
    (site / "tensorflow-2.15.1.dist-info").mkdir()
    checkup = check(read_survey(this_host(), env_dir=env), load_facts(), env=str(env))
    assert checkup.subject is not None
    assert [(build.version, build.cuda) for build in checkup.subject.builds] == [("2.15.1", None)]


class Refusing(World):
    """A machine on which no program may be started."""

    def run(self, argv: Sequence[str], timeout: float) -> RunResult | None:
        raise AssertionError(f"started {argv} with {timeout}")


def test_with_a_working_driver_no_program_is_started_on_windows() -> None:
    base = Refusing(load(BASES / "windows.json").data)
    assert answer(check(read_survey(base), load_facts())) == "ready"


def test_the_cpu_build_is_an_answer_not_a_crash() -> None:
    assert answer(examined("cpu-only-build-installed--torch-cpu")[0]) == "cpu-only-build-installed"


def test_reading_takes_no_longer_in_a_folder_of_many_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3000):
        (tmp_path / f"{number}.py").touch()
    monkeypatch.chdir(tmp_path)
    recording = Recording(this_host())
    read_survey(recording, env_dir=tmp_path / ".venv")
    listed = [row for row in recording.document()["answers"] if row["ask"][0] == "list_dir"]
    assert os.fspath(tmp_path) not in [row["ask"][1] for row in listed]
