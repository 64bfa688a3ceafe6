"""What was changed by hand is noticed and named; what use alone changes is not."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from fake_index import serving, wheel
from made import alignment_of, build_of, machine_here, question_of

from trueup import setup
from trueup.setup import fingerprint, record
from trueup.setup.model import EnvChange
from trueup.setup.uv import find

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trueup.fit.model import Alignment

WISH = alignment_of(build_of("foo", "1.0"), build_of("bar", "1.0"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a finished environment with foo and bar; tests work on copies of it."""
    root = tmp_path_factory.mktemp("built")
    kept = dict(os.environ)
    with serving() as index:
        os.environ |= {
            "UV_DEFAULT_INDEX": f"{index}/good/simple",
            "UV_CACHE_DIR": str(root / "cache"),
            "UV_NO_CONFIG": "1",
        }
        try:
            setup.build(WISH, question_of(WISH), root / ".venv", machine=machine_here())
        finally:
            os.environ.clear()
            os.environ |= kept
        yield root / ".venv"


@pytest.fixture
def env(built: Path, tmp_path: Path) -> Path:
    copy = tmp_path / ".venv"
    shutil.copytree(built, copy, symlinks=True)
    return copy


def install(env: Path, *options: str) -> None:
    find().run(["pip", *options, "--python", str(record.python_of(env))], timeout=60)


def changes(env: Path) -> tuple[EnvChange, ...]:
    state = setup.inspect(env)
    assert (state.name == "changed") == bool(state.changes)
    return state.changes


def test_copy_is_complete(env: Path) -> None:
    assert setup.inspect(env).name == "complete"


def test_a_folder_of_headers_is_one_file_and_is_missed(tmp_path: Path) -> None:
    """Most of a framework's files are headers: each look at them would cost more than all others together."""
    package = tmp_path / "lib" / "python3.12" / "site-packages" / "foo"
    headers = package / "include" / "foo"
    headers.mkdir(parents=True)
    for number in range(3):
        (headers / f"{number}.h").write_text("#pragma once\n")
    (package / "core.so").write_bytes(bytes(10))
    before = fingerprint.take(tmp_path)
    assert before.tree["foo"] == (2, 10)
    (headers / "mine.h").write_text("#pragma once\n")
    assert fingerprint.take(tmp_path) == before
    shutil.rmtree(package / "include")
    assert fingerprint.take(tmp_path).tree["foo"] == (1, 10)


def test_use_is_no_change(env: Path) -> None:
    python = record.python_of(env)
    subprocess.run([python, "-B", "-c", "pass"], check=True)
    subprocess.run(
        [python, "-c", "import foo, bar, pip"], check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    )
    assert list(record.site_packages(env).glob("foo/__pycache__/*.pyc"))
    assert changes(env) == ()


def test_removed_package_is_named(env: Path) -> None:
    install(env, "uninstall", "bar")
    assert changes(env) == (EnvChange("removed", "bar", before="1.0"),)


def test_added_and_replaced_packages_are_named(env: Path, tmp_path: Path) -> None:
    for name, version in (("foo", "2.0"), ("baz", "3.1")):
        (tmp_path / f"{name}-{version}-py3-none-any.whl").write_bytes(wheel(name, version))
    install(env, "install", "--no-index", *(str(path) for path in tmp_path.glob("*.whl")))
    assert set(changes(env)) == {
        EnvChange("added", "baz", after="3.1"),
        EnvChange("replaced", "foo", "1.0", "2.0"),
    }


def test_deleted_file_is_named(env: Path) -> None:
    (record.site_packages(env) / "foo" / "__init__.py").unlink()
    assert changes(env) == (EnvChange("files-missing", "foo/__init__.py"),)


def test_file_that_is_no_packages_own_is_named(env: Path) -> None:
    (record.site_packages(env) / "own.pth").write_text("import os\n", "utf-8")
    assert changes(env) == (EnvChange("files-added", "own.pth"),)


def test_edited_settings_are_named(env: Path) -> None:
    with (env / "pyvenv.cfg").open("a", encoding="utf-8") as file:
        file.write("include-system-site-packages = true\n")
    assert changes(env) == (EnvChange("files-edited", "pyvenv.cfg"),)


@pytest.mark.skipif(os.name == "nt", reason="a link to the interpreter")
def test_interpreter_that_is_gone_is_named(env: Path) -> None:
    python = env / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python3")
    assert "python-gone" in {change.kind for change in changes(env)}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema": "trueup.environment/9"}', '{"schema": "trueup.environment/1"}']
)
def test_record_that_we_do_not_understand_is_not_ours(env: Path, text: str) -> None:
    (env / "trueup.json").write_text(text, "utf-8")
    assert setup.inspect(env).name == "foreign"


def test_nothing_there_is_missing(tmp_path: Path) -> None:
    assert setup.inspect(tmp_path / "no" / ".venv").name == "missing"


@pytest.mark.parametrize(
    ("wish", "same"),
    [
        (WISH, True),
        (replace(WISH, caps=("foo<2", "numpy<2")), True),  # newer facts: one more cap, which holds
        (replace(WISH, caps=("foo<1",)), False),
        (replace(WISH, route="linux"), False),
        (replace(WISH, python="3.1"), False),
        (alignment_of(build_of("foo", "1.0")), False),
        (alignment_of(build_of("foo", "2.0"), build_of("bar", "1.0")), False),
        (replace(WISH, requirements=(*WISH.requirements, "pandas")), False),
    ],
)
def test_what_is_there_is_compared_with_what_would_be_built(env: Path, wish: Alignment, same: bool) -> None:
    assert setup.answers(setup.inspect(env), wish, question_of(wish)) is same
    assert not setup.answers(setup.inspect(env / "nothing"), wish, question_of(wish))
