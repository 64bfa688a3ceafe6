"""A bundle that is whole builds without any index; one that is not is refused, named, and nothing is changed."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest
from bundles import copied, make, manifest_of, no_needs, resummed
from fake_index import serving, wheel
from made import FOO, HERE, machine_here

from trueup import setup
from trueup.machine.model import Machine
from trueup.setup.bundle import supply
from trueup.setup.bundle.errors import BundleError
from trueup.setup.bundle.use import open_bundle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from trueup.setup.bundle.errors import Kind

__all__ = ["no_needs"]
WHEEL = "wheels/foo-1.0-py3-none-any.whl"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a bundle that every test may copy."""
    folder = tmp_path_factory.mktemp("bundle")
    with pytest.MonkeyPatch.context() as patched, serving() as index:
        from bundles import small_tools

        from trueup.setup.bundle import own

        for key in [key for key in os.environ if key.startswith(("PIP_", "UV_"))]:
            patched.delenv(key)
        patched.setenv("PIP_CONFIG_FILE", os.devnull)
        patched.setenv("UV_NO_CONFIG", "1")
        patched.setenv("UV_CACHE_DIR", str(folder / "cache"))
        patched.setenv("UV_DEFAULT_INDEX", f"{index}/good/simple")
        patched.setattr(own, "question", small_tools)
        yield make(folder / "b").folder


def build_from(source: Path, env_dir: Path) -> Path:
    with open_bundle(source) as bundle:
        target = bundle.manifest.targets[0]
        made = setup.build(
            FOO,
            target.question,
            env_dir,
            machine=machine_here(),
            lock=bundle.lock(target),
            supply=bundle.supply(target),
        )
    return made.python


def test_environment_is_built_without_an_index(
    whole: Path, mood: Callable[[str], None], tmp_path: Path
) -> None:
    mood("500")
    python = build_from(whole, tmp_path / "新 env")
    shown = subprocess.run(
        [python, "-c", "import foo; print(foo.version)"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "1.0"
    assert setup.inspect(tmp_path / "新 env").name == "complete"
    assert (tmp_path / "新 env" / "pylock.toml").read_bytes() == (
        whole / "locks/here/pylock.toml"
    ).read_bytes()


def zipped(folder: Path, target: Path, *, top: str = "", mark: str = "/") -> Path:
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                name = (top + path.relative_to(folder).as_posix()).replace("/", mark)
                info = zipfile.ZipInfo("x")
                info.filename = info.orig_filename = name
                archive.writestr(info, path.read_bytes())
    return target


@pytest.mark.parametrize(("top", "mark"), [("", "/"), ("my bundle/", "/"), ("b/", "\\")])
def test_zip_is_as_good_as_the_folder(  # noqa: PLR0917  # fixtures and cases
    whole: Path,
    mood: Callable[[str], None],
    tmp_path: Path,
    top: str,
    mark: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mood("500")
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, **__: str(tmp_path / "unpacked"))
    build_from(zipped(whole, tmp_path / "b.zip", top=top, mark=mark), tmp_path / "env")
    assert setup.inspect(tmp_path / "env").name == "complete"
    assert list((tmp_path / "unpacked").iterdir()) == []


def spoil(folder: Path, how: str) -> None:  # noqa: C901, PLR0912  # one line a way
    file = folder / WHEEL
    lines = (folder / "SHA256SUMS").read_text("utf-8")
    if how == "tampered":
        file.write_bytes(file.read_bytes()[:-1] + b"!")
    elif how == "truncated":
        file.write_bytes(file.read_bytes()[:-9])
    elif how == "gone":
        file.unlink()
    elif how == "extra":
        (folder / "wheels" / "sitecustomize.py").write_text("x", "utf-8")
    elif how == "link":
        file.rename(folder.parent / "elsewhere.whl")
        file.symlink_to(folder.parent / "elsewhere.whl")
    elif how == "linked-folder":
        (folder / "wheels").rename(folder.parent / "elsewhere")
        (folder / "wheels").symlink_to(folder.parent / "elsewhere")
    elif how == "pipe" and sys.platform != "win32":
        os.mkfifo(folder / "wheels" / "pipe")
    elif how == "upwards":
        (folder / "SHA256SUMS").write_text(lines + f"{'0' * 64}  ../x\n", "utf-8")
    elif how == "absolute":
        (folder / "SHA256SUMS").write_text(lines + f"{'0' * 64}  /etc/passwd\n", "utf-8")
    elif how == "two-cases":
        (folder / "wheels" / "FOO-1.0-py3-none-any.whl").write_bytes(b"x")
        (folder / "SHA256SUMS").write_text(lines + f"{'0' * 64}  wheels/FOO-1.0-py3-none-any.whl\n", "utf-8")
    elif how == "no-sums":
        (folder / "SHA256SUMS").unlink()
    elif how == "linked-sums":
        (folder / "SHA256SUMS").rename(folder.parent / "sums")
        (folder / "SHA256SUMS").symlink_to(folder.parent / "sums")
    elif how == "binary-sums":
        (folder / "SHA256SUMS").write_bytes(b"\xff\x00")
    elif how == "twice":
        (folder / "SHA256SUMS").write_text(lines + lines.splitlines()[0] + "\n", "utf-8")
    elif how == "manifest":
        (folder / "trueup-bundle.json").write_text('{"schema": "trueup.bundle-manifest/2"}', "utf-8")
        resummed(folder)


WAYS: list[tuple[str, Kind, str]] = [
    ("tampered", "changed", WHEEL),
    ("truncated", "changed", WHEEL),
    ("gone", "missing", WHEEL),
    ("extra", "extra", "wheels/sitecustomize.py"),
    ("link", "not-a-file", WHEEL),
    ("linked-folder", "not-a-file", "wheels"),
    ("pipe", "not-a-file", "wheels/pipe"),
    ("upwards", "bad-name", "../x"),
    ("absolute", "bad-name", "/etc/passwd"),
    ("two-cases", "same-name", "FOO-1.0"),
    ("no-sums", "no-bundle", ""),
    ("linked-sums", "no-bundle", ""),
    ("binary-sums", "bad-sums", ""),
    ("twice", "bad-sums", ""),
    ("manifest", "bad-manifest", "bundle-manifest/2"),
]


@pytest.mark.parametrize(("how", "kind", "named"), WAYS)
def test_spoiled_bundle_is_refused_and_named(
    whole: Path, tmp_path: Path, how: str, kind: Kind, named: str
) -> None:
    folder = copied(whole, tmp_path / "b")
    spoil(folder, how)
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    with pytest.raises(BundleError) as caught, open_bundle(folder):
        pytest.fail("was opened")
    assert caught.value.kind == kind
    assert any(named in str(value) for value in caught.value.message.params.values())
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before


def test_wheel_with_a_new_sum_still_meets_the_lock(
    whole: Path, mood: Callable[[str], None], tmp_path: Path
) -> None:
    mood("500")
    folder = copied(whole, tmp_path / "b")
    (folder / WHEEL).write_bytes(wheel("foo", "1.0", {"evil.py": "x = 1\n"}))
    resummed(folder)
    with pytest.raises(setup.SetupError) as caught:
        build_from(folder, tmp_path / "env")
    assert caught.value.kind == "hash"
    assert not (tmp_path / "env").exists()


def test_lock_that_names_another_file_is_refused(whole: Path, tmp_path: Path) -> None:
    folder = copied(whole, tmp_path / "b")
    (folder / WHEEL).unlink()
    resummed(folder)
    with pytest.raises(BundleError) as caught:
        build_from(folder, tmp_path / "env")
    assert (caught.value.kind, caught.value.message.params["name"]) == ("missing", WHEEL)


@pytest.mark.parametrize("name", ["../evil", "/evil", "..\\evil", "a/../../evil", "C:\\evil", "nul"])
def test_zip_that_leads_out_writes_nothing(
    whole: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, **__: str(tmp_path / "unpacked"))
    archive = zipped(whole, tmp_path / "b.zip")
    with zipfile.ZipFile(archive, "a") as file:
        info = zipfile.ZipInfo("x")
        info.filename = info.orig_filename = name
        file.writestr(info, "evil")
    with pytest.raises(BundleError) as caught, open_bundle(archive):
        pytest.fail("was opened")
    assert caught.value.kind == "bad-name"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip"]


def cheat(archive: Path, what: str) -> None:
    """Make a ZIP into one that is none, or that is made to harm."""
    if what == "cut":
        archive.write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])
        return
    info = zipfile.ZipInfo("wheels/z.whl")
    if what == "link":
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr(info, "/etc/passwd")
        if what == "twice":
            file.infolist()[-1].filename = WHEEL
        elif what == "bomb":
            file.infolist()[-1].file_size = 1 << 60


@pytest.mark.parametrize(
    ("what", "kind"),
    [("link", "not-a-file"), ("twice", "same-name"), ("cut", "bad-zip"), ("bomb", "no-room")],
)
def test_zip_that_is_none_or_cheats_is_refused(
    whole: Path, tmp_path: Path, what: str, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, **__: str(tmp_path / "unpacked"))
    archive = zipped(whole, tmp_path / "b.zip")
    cheat(archive, what)
    with pytest.raises(BundleError) as caught, open_bundle(archive):
        pytest.fail("was opened")
    assert caught.value.kind == kind
    assert not [path for path in (tmp_path / "unpacked").rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("machine", "codes"),
    [
        (Machine(os="windows"), ["bundle.differs-system"]),
        (Machine(os="macos"), ["bundle.differs-system"]),
        (Machine(os="linux", arch="aarch64", pythons=()), ["bundle.differs-arch", "bundle.differs-python"]),
        (Machine(os="linux", glibc="2.17", pythons=()), ["bundle.differs-glibc", "bundle.differs-python"]),
    ],
)
def test_machine_of_another_kind_is_told_what_differs(
    whole: Path, machine: Machine, codes: list[str]
) -> None:
    with open_bundle(whole) as bundle:
        found = bundle.differs(bundle.manifest.targets[0], machine)
        assert [message.code for message in found] == codes
        assert bundle.differs(bundle.manifest.targets[0], machine_here()) == []


def test_manifest_that_names_a_file_outside_is_refused(whole: Path, tmp_path: Path) -> None:
    folder = copied(whole, tmp_path / "b")
    values = manifest_of(folder)
    values["targets"][0]["lock"] = "../../pylock.toml"  # type: ignore[index]
    (folder / "trueup-bundle.json").write_text(json.dumps(values), "utf-8")
    resummed(folder)
    with pytest.raises(BundleError) as caught, open_bundle(folder):
        pytest.fail("was opened")
    assert caught.value.kind == "bad-name"


def tar(path: Path, *members: tuple[str, str, bytes]) -> Path:
    import io

    with tarfile.open(path, "w:gz") as archive:
        for name, link, data in members:
            info = tarfile.TarInfo(name)
            info.mode = 0o755
            info.size = len(data)
            if link:
                info.type, info.linkname, info.size = tarfile.SYMTYPE, link, 0
            archive.addfile(info, io.BytesIO(data))
    return path


def test_python_of_the_bundle_is_used_where_the_machine_has_none(tmp_path: Path) -> None:
    name = f"cpython-{HERE}.1+1-x86_64-unknown-linux-gnu-install_only.tar.gz"
    archive = tar(
        tmp_path / name,
        ("python/bin/python3.x", "", b"#!/bin/sh\n"),
        ("python/bin/python3", "python3.x", b""),
    )
    kept = supply.Supply(tmp_path, tmp_path, archive, tmp_path / "pythons")
    first = kept.python()
    assert first is not None
    assert first.read_bytes() == b"#!/bin/sh\n"
    assert os.access(first, os.X_OK)
    assert kept.python() == first
    assert supply.Supply(tmp_path, tmp_path, None, tmp_path).python() is None


@pytest.mark.parametrize(
    "member",
    [
        ("../evil", "", b"x"),
        ("/evil", "", b"x"),
        ("python/evil", "../../evil", b""),
        ("python/evil", "/etc/passwd", b""),
        ("other/file", "", b"x"),
    ],
)
def test_python_that_leads_out_is_not_unpacked(tmp_path: Path, member: tuple[str, str, bytes]) -> None:
    archive = tar(tmp_path / "cpython-3.12.1-linux.tar.gz", member)
    with pytest.raises(BundleError) as caught:
        supply.Supply(tmp_path, tmp_path, archive, tmp_path / "pythons").python()
    assert caught.value.kind in {"bad-name", "bad-archive"}
    assert not list((tmp_path / "pythons").rglob("evil"))
    assert not (tmp_path / "evil").exists()
