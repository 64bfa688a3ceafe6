"""Every written file is read by the tool it is for, or by a parser of its language; scripts are run where they can be."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import tree_sitter_dockerfile
import tree_sitter_powershell
import yaml
from packaging.requirements import Requirement
from tree_sitter import Language, Parser

sys.path.insert(0, str(Path(__file__).parent.parent / "setup"))
from fake_index import WHEELS, serving, sha256
from made import HERE, alignment_of, build_of

from trueup.plan.lock import Artifact, Lock, Locked
from trueup.plan.request import Index, LockRequest
from trueup.plan.writers import WRITERS
from trueup.plan.writers.order import WORDS, Order
from trueup.report.say import LANGUAGES, say
from trueup.setup import hook
from trueup.setup.toml import loads
from trueup.setup.uv import find
from trueup.values import Message


def locked(name: str, version: str, filename: str = "", address: str = "https://x.invalid") -> Locked:
    filename = filename or f"{name}-{version}-py3-none-any.whl"
    sha = sha256(WHEELS.get(filename, filename.encode()))
    return Locked(name, version, Artifact(filename, f"{address}/{filename}", sha, 1), (sha, "b" * 64))


def order_of(
    *packages: Locked, lang: str = "en", windows: bool = False, cuda: str | None = None, **question: object
) -> Order:
    platform = "windows" if windows else "linux"
    build = build_of("foo", "1.0", platform=platform, cuda=cuda)
    alignment = replace(alignment_of(build), cuda=cuda, route="linux" if cuda else "cpu")
    values: dict[str, object] = {
        "python": HERE,
        "platform": platform,
        "arch": "x86_64",
        "glibc_minor": None if windows else 35,
    }
    asked = LockRequest(**{**values, "requirements": ("foo==1.0",), "constraints": (), **question})  # type: ignore[arg-type]
    words = {name: say(Message(f"plan.{name}", {"python": HERE}), lang) for name in WORDS}
    return Order(
        alignment, asked, Lock("", "", None, packages), hook.files() if windows or cuda else {}, words
    )


SMALL = (locked("foo", "1.0"), locked("pip", "26.0"))
CUDA = (
    locked("foo", "1.0"),
    locked("nvidia-cublas-cu12", "12.2.5.6"),
    locked("nvidia-cuda-runtime-cu12", "12.2.140"),
)


def write(form: str, order: Order) -> str:
    return WRITERS[form](order)


def test_requirements_have_every_hash(tmp_path: Path) -> None:
    text = write("requirements", order_of(*SMALL))
    file = tmp_path / "requirements.txt"
    file.write_text(text, "utf-8")
    found = re.findall(
        r"^(\w+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE
    )
    assert [(name, version) for name, version, _ in found] == [("foo", "1.0"), ("pip", "26.0")]
    assert all(SMALL[n].artifact.sha256 in hashes for n, (_, _, hashes) in enumerate(found))
    assert "--only-binary :all:" in text


def test_framework_of_another_index_is_named_by_its_address() -> None:
    torch = locked("torch", "2.5.1+cu121", "torch-2.5.1+cu121-cp311-cp311-linux_x86_64.whl")
    own = (Index("torch-0", "https://torch.invalid", ("torch",)),)
    text = write("requirements", order_of(torch, *SMALL, indexes=own))
    assert "torch @ https://x.invalid/torch-2.5.1+cu121-cp311-cp311-linux_x86_64.whl \\\n" in text
    assert text.count(torch.artifact.sha256) == 1


def test_source_releases_are_allowed_by_name() -> None:
    text = write("requirements", order_of(locked("termcolor", "1.1.0", "termcolor-1.1.0.tar.gz")))
    assert "--no-binary termcolor" in text


def test_conda_file_is_yaml_without_prefix() -> None:
    document = yaml.safe_load(write("conda", order_of(*SMALL)))
    assert document["channels"] == ["conda-forge"]
    assert document["dependencies"] == [f"python={HERE}", "pip", {"pip": ["foo==1.0"]}]
    assert "prefix" not in document
    assert [Requirement(text).name for text in document["dependencies"][2]["pip"]] == ["foo"]


@pytest.mark.parametrize(("windows", "platform"), [(True, "win-64"), (False, "linux-64")])
def test_pixi_file_names_its_platform(windows: bool, platform: str) -> None:
    document = loads(write("pixi", order_of(*SMALL, windows=windows)))
    assert document["workspace"]["platforms"] == [platform]
    assert document["dependencies"]["python"] == f"{HERE}.*"
    assert document["pypi-dependencies"] == {"foo": "==1.0"}
    assert document.get("system-requirements", {}).get("libc", {}).get("version") == (
        None if windows else "2.35"
    )


@pytest.mark.parametrize("cuda", [None, "12.2", "13.0"])
def test_dockerfile_parses_and_stands_on_its_cuda_line(cuda: str | None) -> None:
    text = write("docker", order_of(*CUDA, cuda=cuda))
    tree = Parser(Language(tree_sitter_dockerfile.language())).parse(text.encode())
    assert not tree.root_node.has_error
    base = {None: "ubuntu:22.04", "12.2": "nvidia/cuda:12.2.2-base-ubuntu22.04", "13.0": "ubuntu:22.04"}[cuda]
    assert f"ARG IMAGE={base}\n" in text
    assert ('NVIDIA_REQUIRE_CUDA="cuda>=13.0"' in text) == (cuda == "13.0")
    assert ("site-packages/nvidia/cuda_runtime/lib" in text) == (cuda is not None)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_powershell_script_parses(lang: str) -> None:
    text = write("powershell", order_of(*SMALL, windows=True, lang=lang))
    assert text.startswith("\ufeff")
    tree = Parser(Language(tree_sitter_powershell.language())).parse(text.encode())
    assert not tree.root_node.has_error
    assert hook.PTH in text


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
def test_shell_script_builds_once_and_never_over_something(tmp_path: Path) -> None:
    script = tmp_path / "install.sh"
    script.write_text(write("shell", order_of(*SMALL, lang="zh_CN", cuda="12.2")), "utf-8")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / f"python{HERE}").symlink_to(sys.executable)
    with serving() as index:
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PIP_")}
        env = {
            **clean,
            "PIP_INDEX_URL": f"{index}/good/simple",
            "PIP_CONFIG_FILE": os.devnull,
            "PATH": f"{programs}:{os.environ['PATH']}",
        }
        half = tmp_path / "my env"
        (half / "lib").mkdir(parents=True)
        (half / "INCOMPLETE").touch()
        first = subprocess.run(["sh", script, half], env=env, capture_output=True, text=True, check=False)
        again = subprocess.run(["sh", script, half], env=env, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    assert subprocess.run([half / "bin" / "python", "-c", "import foo"], check=False).returncode == 0
    assert list(half.glob(f"lib/python*/site-packages/{hook.PTH}"))
    assert not (half / "INCOMPLETE").exists()
    assert again.returncode == 2
    assert str(half) in again.stderr


def test_editor_finds_the_interpreter() -> None:
    windows = json.loads(write("vscode", order_of(*SMALL, windows=True)))
    assert windows["python.defaultInterpreterPath"] == "${workspaceFolder}/.venv/Scripts/python.exe"
    assert json.loads(write("vscode", order_of(*SMALL)))["python.defaultInterpreterPath"].endswith(
        "bin/python"
    )


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("right", [True, False])
def test_check_script_tells_right_from_wrong(lang: str, right: bool, tmp_path: Path) -> None:
    from importlib.metadata import version

    wanted = version("packaging") if right else "0.1"
    order = order_of(locked("packaging", wanted), lang=lang)
    script = tmp_path / "check_env.py"
    script.write_text(write("check-env", order), "utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, check=False)
    assert done.returncode == (0 if right else 1), done.stderr
    assert order.words["check-right" if right else "check-wrong"] in done.stdout.decode("utf-8")
    assert right or "0.1" in done.stdout.decode("utf-8")


def test_uv_takes_the_requirements(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(write("requirements", order_of(*SMALL)), "utf-8")
    with serving() as index:
        uv = find()
        env = {**uv.env, "UV_DEFAULT_INDEX": f"{index}/good/simple", "UV_NO_CONFIG": "1"}
        command = [uv.exe, "pip", "compile", "requirements.txt", "-q", "--no-header", "--cache-dir", "cache"]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "foo==1.0" in done.stdout
