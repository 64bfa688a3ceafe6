"""What a lock must hold before anything is taken from it."""

from __future__ import annotations

import pytest

from trueup.plan.request import LockRequest
from trueup.setup import SetupError, read_lock
from trueup.setup.tags import rank

SHA = "a" * 64
WINDOWS = LockRequest("3.10", "windows", "x86_64", None, ("foo>=1",), ())
LINUX = LockRequest("3.7", "linux", "x86_64", 36, ("foo>=1",), (), sdists=("termcolor",))


def lock_of(*wheels: str, name: str = "foo", version: str = "1.0", sha: str = SHA, more: str = "") -> str:
    files = ", ".join(f'{{url = "https://x.invalid/{w}", hashes = {{sha256 = "{sha}"}}}}' for w in wheels)
    body = f'[[packages]]\nname = "{name}"\nversion = "{version}"\nwheels = [{files}]\n' if wheels else ""
    return f'lock-version = "1.0"\ncreated-by = "uv"\n{body}{more}'


def test_best_file_of_the_target_is_taken() -> None:
    names = (
        "foo-1.0-py3-none-any.whl",
        "foo-1.0-cp38-abi3-win_amd64.whl",
        "foo-1.0-cp310-cp310-win_amd64.whl",
    )
    assert read_lock(lock_of(*names), WINDOWS).packages[0].artifact.filename == names[2]
    assert read_lock(lock_of(*names[:2]), WINDOWS).packages[0].artifact.filename == names[1]


@pytest.mark.parametrize(
    "name",
    [
        "foo-1.0-cp39-cp39-win_amd64.whl",
        "foo-1.0-cp310-cp310-win32.whl",
        "foo-1.0-cp310-cp310-manylinux2014_x86_64.whl",
    ],
)
def test_file_of_another_target_is_refused(name: str) -> None:
    with pytest.raises(SetupError) as caught:
        read_lock(lock_of(name), WINDOWS)
    assert caught.value.kind == "no-wheel"
    assert name in caught.value.quote


def test_old_pythons_have_their_own_abi_tag() -> None:
    assert rank("foo-1.0-cp37-cp37m-manylinux2010_x86_64.whl", LINUX) is not None
    assert rank("foo-1.0-cp37-cp37-manylinux2010_x86_64.whl", LINUX) is None
    assert rank("foo-1.0-cp37-cp37m-manylinux_2_37_x86_64.whl", LINUX) is None
    assert rank("no wheel at all", LINUX) is None


@pytest.mark.parametrize(
    "text",
    [
        "<html>not toml</html>",
        'lock-version = "2.0"\ncreated-by = "x"\npackages = []\n',
        lock_of("foo-1.0-py3-none-any.whl", sha="00"),
        lock_of("bar-1.0-py3-none-any.whl", name="bar"),
        lock_of("foo-0.9-py3-none-any.whl", version="0.9"),
        lock_of(
            more='[[packages]]\nname = "foo"\nversion = "1.0"\nvcs = {type = "git", url = "https://x.invalid/a", commit-id = "abc"}\n'
        ),
    ],
    ids=["not toml", "other version", "short hash", "wish missing", "wish not met", "no published file"],
)
def test_unusable_lock_is_refused(text: str) -> None:
    with pytest.raises(SetupError) as caught:
        read_lock(text, WINDOWS)
    assert caught.value.kind == "bad-lock"


def test_source_is_taken_only_of_named_packages() -> None:
    def source(name: str) -> str:
        file = f'{{url = "https://x.invalid/{name}-1.0.tar.gz", hashes = {{sha256 = "{SHA}"}}}}'
        return lock_of(
            "foo-1.0-py3-none-any.whl",
            more=f'[[packages]]\nname = "{name}"\nversion = "1.0"\nsdist = {file}\n',
        )

    assert read_lock(source("termcolor"), LINUX).packages[1].artifact.filename == "termcolor-1.0.tar.gz"
    with pytest.raises(SetupError):
        read_lock(source("numpy"), LINUX)
