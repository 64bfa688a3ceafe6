"""Bundles are made whole or not at all, alike from alike, and gone on with after an end in the middle."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from bundles import TEXTS, ask, make, manifest_of, no_needs, planned
from fake_index import WHEELS
from made import FOO, alignment_of, build_of

from trueup.setup import SetupError
from trueup.setup.bundle import manifest, own, sums
from trueup.setup.bundle.errors import BundleError
from trueup.setup.bundle.make import Maker, check_room, partial_of
from trueup.setup.bundle.python import given
from trueup.setup.uv import find

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("no_needs")
__all__ = ["no_needs"]


def test_bundle_holds_what_its_sums_say(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    made = make(tmp_path / "b")
    found = sums.check(made.folder)
    assert made.digest == hashlib.sha256((made.folder / "SHA256SUMS").read_bytes()).hexdigest()
    assert (
        found["wheels/foo-1.0-py3-none-any.whl"]
        == hashlib.sha256(WHEELS["foo-1.0-py3-none-any.whl"]).hexdigest()
    )
    assert {
        "install.sh",
        "install.cmd",
        "install.ps1",
        "start.py",
        "README.md",
        "sbom.cdx.json",
    } <= found.keys()
    assert manifest.read(made.folder).targets[0].question == ask().question
    assert not partial_of(made.folder).exists()
    assert list(tmp_path.glob("*trueup*")) == []


def test_alike_from_alike(
    mood: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("good")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    assert make(tmp_path / "one").digest == make(tmp_path / "two").digest


def test_workstations_share_their_files_and_have_a_lock_each(
    mood: Callable[[str], None], tmp_path: Path
) -> None:
    mood("good")
    other = alignment_of(build_of("foo", "2.0"))
    made = make(tmp_path / "b", ask("one"), ask("two"), ask("three", other))
    wheels = sorted(path.name.split("-py3")[0] for path in (made.folder / "wheels").iterdir())
    assert wheels == ["foo-1.0", "foo-2.0", "pip-26.0"]
    locks = {path.parent.name: path.read_text("utf-8") for path in made.folder.glob("locks/*/pylock.toml")}
    assert locks.keys() == {"one", "two", "three"}
    assert locks["one"] == locks["two"] != locks["three"]


def test_bill_of_materials_names_each_package(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    made = make(tmp_path / "b")
    bill = json.loads((made.folder / "sbom.cdx.json").read_text("utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    by_name = {one["name"]: one for one in bill["components"]}
    assert by_name.keys() == {"foo", "pip", "bar", "trueup"}
    assert by_name["foo"]["purl"].startswith("pkg:pypi/foo@1.0")
    assert by_name["trueup"]["licenses"] == [{"expression": "Apache-2.0"}]
    assert (
        by_name["foo"]["hashes"][0]["content"]
        == hashlib.sha256(WHEELS["foo-1.0-py3-none-any.whl"]).hexdigest()
    )
    assert set(bill["dependencies"][0]["dependsOn"]) == {one["bom-ref"] for one in bill["components"]}


def test_ended_run_is_gone_on_with(mood: Callable[[str], None], tmp_path: Path, index: str) -> None:
    mood("good")
    folder = tmp_path / "b"
    plan = planned(folder)
    spoiled = replace(
        plan,
        files={
            where: tuple(
                replace(file, url=file.url.replace(f"{index}/good/", f"{index}/wheel-404/"))
                if file.name.startswith("pip")
                else file
                for file in files
            )
            for where, files in plan.files.items()
        },
    )
    with pytest.raises(SetupError) as caught:
        Maker(spoiled, folder, find(), TEXTS).make()
    assert caught.value.kind == "file-gone"
    assert "pip-26.0" in str(caught.value.message.params["what"])
    assert not folder.exists()
    (partial_of(folder) / "wheels" / "left-over.whl").write_bytes(b"of another wish")
    mood("500")  # the locks that were made are kept: no index is asked again
    again = planned(folder)
    assert again.locks.keys() == plan.locks.keys()
    made = Maker(again, folder, find(), TEXTS).make()
    assert "wheels/left-over.whl" not in sums.check(made.folder)


@pytest.mark.parametrize(
    ("name", "kind"), [("wheel-other", "download-hash"), ("wheel-cut", "download"), ("403", "download")]
)
def test_file_that_is_not_the_locked_one_is_thrown_away(
    mood: Callable[[str], None],
    tmp_path: Path,
    name: str,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mood("good")
    monkeypatch.setattr("trueup.setup.fetching.PAUSE_S", 0.0)
    plan = planned(tmp_path / "b")
    files = {
        where: tuple(replace(file, url=file.url.replace("/good/", f"/{name}/")) for file in some)
        for where, some in plan.files.items()
    }
    with pytest.raises(SetupError) as caught:
        Maker(replace(plan, files=files), tmp_path / "b", find(), TEXTS).make()
    assert caught.value.kind == kind
    assert not (tmp_path / "b").exists()
    assert not list(partial_of(tmp_path / "b").glob("wheels/*.whl"))


def test_name_that_is_taken_is_left_alone(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    (tmp_path / "b").mkdir()
    with pytest.raises(BundleError) as caught:
        make(tmp_path / "b")
    assert caught.value.kind == "taken"
    strange = tmp_path / "c.trueup-bundling"
    strange.mkdir()
    (strange / "thesis.txt").write_text("mine", "utf-8")
    with pytest.raises(BundleError) as caught:
        make(tmp_path / "c")
    assert caught.value.kind == "taken"
    assert [path.name for path in strange.iterdir()] == ["thesis.txt"]


def test_disk_without_room_is_told_first(
    mood: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("good")
    plan = planned(tmp_path / "b")
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10_000_000})())
    with pytest.raises(BundleError) as caught:
        check_room(plan, tmp_path / "b")
    assert caught.value.kind == "no-room"


def test_own_wheel_is_one_and_runs(tmp_path: Path) -> None:
    first, second = own.wheel(), own.wheel()
    assert first == second
    path = tmp_path / own.filename()
    path.write_bytes(first)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "site")
    assert (tmp_path / "site" / "trueup" / "facts" / "data").is_dir()
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); import trueup; print(trueup.__file__)"
    )
    shown = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert str(tmp_path) in shown.stdout


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "cpython-3.10.22+20261009-x86_64-pc-windows-msvc-install_only_stripped.tar.gz",
            ("3.10", "windows", "x86_64"),
        ),
        (
            "cpython-3.12.9+20260101-aarch64-unknown-linux-gnu-install_only.tar.gz",
            ("3.12", "linux", "aarch64"),
        ),
        ("python.3.9.13.nupkg", ("3.9", "windows", "x86_64")),
        ("setup.exe", None),
    ],
)
def test_archive_of_python_is_known_by_its_name(
    tmp_path: Path, name: str, expected: tuple[str, str, str] | None
) -> None:
    (tmp_path / name).write_bytes(b"")
    if expected is None:
        with pytest.raises(BundleError) as caught:
            given(tmp_path / name)
        assert caught.value.kind == "bad-archive"
    else:
        found = given(tmp_path / name)
        assert (found.series, found.platform, found.arch) == expected
    with pytest.raises(BundleError):
        given(tmp_path / "nowhere" / name)


def test_manifest_says_for_whom(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    found = manifest_of(make(tmp_path / "b", ask("工作站", FOO)).folder)
    assert found["schema"] == "trueup.bundle-manifest/1"
    assert (tmp_path / "b" / "locks" / "工作站" / "pylock.toml").is_file()
