"""NVIDIA's wheels into one environment: planned, brought by uv from a loopback index, and taken back to the byte."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from cuda_wheelhouse import (
    SET,
    environment,
    listing,
    members,
    packages,
    published,
    put,
    serving,
    survey,
    tf,
    tree,
    wheel,
)
from cuda_worlds import linux
from sudden import killed

import trueup.report
from trueup.cli.main import run
from trueup.facts import load
from trueup.keep.cuda import placing
from trueup.keep.cuda.bring import Bringing, plan
from trueup.keep.cuda.wanted import wanted
from trueup.setup import SetupError, hook
from trueup.setup.changes import Store, Transaction
from trueup.setup.changes.trees import TreeKind
from trueup.setup.events import silent
from trueup.setup.uv import Uv, find
from trueup.values import TrueupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trueup.machine.inventory.model import Environment, FrameworkBuild

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Linux' folders; Windows' are tried under Wine"
)
SCHEMA = json.loads((Path(trueup.report.__file__).parent / "schemas" / "cuda-use-1.json").read_text("utf-8"))
STAMP = "20260101-000000"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("index"), published()) as address:
        yield address


@pytest.fixture
def uv(index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Uv:
    for key in list(os.environ):
        if key.startswith(("PIP_", "UV_")) or key.lower().endswith("_proxy"):
            monkeypatch.delenv(key)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    monkeypatch.setenv("UV_DEFAULT_INDEX", index)
    return find()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return an environment whose name needs care, with wheels of three kinds: right, old and of another line."""
    made = tmp_path / "环境 (x)" / ".venv"
    site = Path(environment(made).places[0])
    put(site, "nvidia-curand-cu11", SET["nvidia-curand-cu11"])
    put(site, "nvidia-cudnn-cu11", "8.6.0.163")
    put(site, "nvidia-cublas-cu12", "12.4.5.8")
    (site / "mine.py").write_text("the user's own\n")
    return made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "journal")


def planned(uv: Uv, root: Path, line: str = "11.8", *builds: FrameworkBuild) -> Bringing:
    there = environment(root, *builds)
    facts, seen = load(), survey()
    return plan(uv, facts, seen, there, wanted(facts, seen, there, line))


def brought(uv: Uv, root: Path, store: Store) -> int:
    return placing.bring(uv, planned(uv, root), store, STAMP, silent)


def taken_back(store: Store) -> set[str]:
    return {outcome.result for outcome in store.undo(store.records()[0])}


def versions(root: Path) -> dict[str, str]:
    return {one.name: one.version for one in packages(Path(environment(root).places[0]))}


def test_the_plan_tells_what_is_added_replaced_kept_and_in_the_way(uv: Uv, root: Path) -> None:
    before = tree(root)
    found = planned(uv, root)
    items = {item.name: item for item in found.items}
    assert set(items) == set(SET) - {"nvidia-curand-cu11"}
    assert items["nvidia-cudnn-cu11"].before == "8.6.0.163"
    assert items["nvidia-cufft-cu11"].before is None
    assert found.kept == (("nvidia-curand-cu11", SET["nvidia-curand-cu11"]),)
    assert dict(found.aside) == {"nvidia-cudnn-cu11": "8.6.0.163", "nvidia-cublas-cu12": "12.4.5.8"}
    assert tree(root) == before


def test_what_is_brought_is_taken_back_to_the_byte(uv: Uv, root: Path, store: Store) -> None:
    (root / hook.CHOSEN).write_text("/opt/cuda/lib64\n")
    before = tree(root)
    assert brought(uv, root, store)
    assert {name: version for name, version in versions(root).items() if name.startswith("nvidia")} == SET
    site = Path(environment(root).places[0])
    assert (site / "nvidia/cublas/lib/libcublas.so").read_text() == "nvidia-cublas-cu11 11.11.3.6"
    assert not (root / hook.CHOSEN).exists()
    assert (site / hook.PTH).is_file()
    assert (
        (root / "trueup-cuda-aside" / STAMP / "nvidia/cublas/lib/libcublas.so")
        .read_text()
        .startswith("nvidia-")
    )
    assert not (root / "trueup-cuda-new").exists()
    assert brought(uv, root, store) == 0  # all is there now
    assert taken_back(store) == {"restored"}
    assert tree(root) == before


def test_undo_needs_neither_index_nor_cache(
    uv: Uv, root: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(root)
    brought(uv, root, store)
    shutil.rmtree(tmp_path / "cache")
    monkeypatch.setattr(Uv, "run", lambda *_a, **_k: pytest.fail("uv is not needed"))
    assert taken_back(store) == {"restored"}
    assert tree(root) == before


def test_what_python_writes_meanwhile_does_not_stand_in_the_way(uv: Uv, root: Path, store: Store) -> None:
    before = tree(root)
    brought(uv, root, store)
    site = Path(environment(root).places[0])
    for folder in (site / "nvidia/cublas", site / "nvidia/cudnn"):
        (folder / "__pycache__").mkdir()
        (folder / "__pycache__" / "__init__.cpython-310.pyc").write_bytes(b"compiled")
    assert taken_back(store) == {"restored"}
    assert tree(root) == before


def test_what_the_user_changed_since_is_put_beside_and_the_old_comes_back(
    uv: Uv, root: Path, store: Store
) -> None:
    brought(uv, root, store)
    site = Path(environment(root).places[0])
    (site / "nvidia/cublas/lib/libcublas.so").write_text("the user's own build")
    looks = {look.change.name: look.outlook for look in store.look(store.records()[0])}
    assert looks[str(site / "nvidia/cublas")] == "moves"
    assert taken_back(store) == {"restored", "moved"}
    [aside] = (site / "nvidia").glob("cublas.trueup-undone-*")
    assert (aside / "lib/libcublas.so").read_text() == "the user's own build"
    assert (site / "nvidia/cublas/lib/libcublas.so").read_text() == "nvidia-cublas-cu12 12.4.5.8"


def test_a_damaged_wheel_is_brought_again(uv: Uv, root: Path, store: Store) -> None:
    brought(uv, root, store)
    site = Path(environment(root).places[0])
    (site / "nvidia/cufft/lib/libcufft.so").unlink()
    found = planned(uv, root)
    assert [item.name for item in found.items] == ["nvidia-cufft-cu11"]
    before = tree(root)
    placing.bring(uv, found, store, STAMP, silent)
    assert (site / "nvidia/cufft/lib/libcufft.so").is_file()
    assert taken_back(store) == {"restored"}
    assert tree(root) == before


def test_without_a_network_what_the_cache_holds_will_do(uv: Uv, store: Store, tmp_path: Path) -> None:
    root = tmp_path / "other"
    environment(root)
    before = tree(root)
    with serving(tmp_path / "index", published()) as address:
        here = Uv(uv.exe, {**uv.env, "UV_DEFAULT_INDEX": address})
        brought(here, root, store)
    taken_back(store)
    found = planned(here, root)
    assert found.cached
    assert placing.bring(here, found, store, STAMP, silent)
    taken_back(store)
    shutil.rmtree(tmp_path / "cache")
    with pytest.raises(SetupError) as caught:
        planned(here, root)
    assert caught.value.kind == "offline"
    assert tree(root) == before


def test_nothing_is_changed_where_the_index_lacks_a_wheel(uv: Uv, root: Path, store: Store) -> None:
    before = tree(root)
    newer = tf(version="2.17.1", cuda="12.3", requires=('nvidia-cudnn-cu12==8.9.7.29; extra == "and-cuda"',))
    with pytest.raises(SetupError):
        planned(uv, root, "12.4", newer)
    assert tree(root) == before
    assert store.records() == ()


OPEN = (
    'nvidia-cuda-runtime-cu12>=12.3; extra == "and-cuda"', 'nvidia-cudnn-cu12>=8.9,<9; extra == "and-cuda"',
    'nvidia-cublas-cu12>=12.4.5; extra == "and-cuda"',
)  # fmt: skip
LISTS = {
    **listing("12.4", cublas="nvidia-cublas-cu12==12.4.5.8.*", cudart="nvidia-cuda-runtime-cu12==12.4.127.*",
              nvjitlink="nvidia-nvjitlink-cu12<13"),
    **listing("12.3", cublas="nvidia-cublas-cu12==12.3.4.1.*", cudart="nvidia-cuda-runtime-cu12==12.3.101.*",
              nvjitlink="nvidia-nvjitlink-cu12<13"),
    **published(nvidia_cublas_cu12="12.4.5.8", nvidia_cuda_runtime_cu12="12.4.127", nvidia_nvjitlink_cu12="12.4.127",
                nvidia_cudnn_cu12="8.9.7.29"),
    **{f"nvidia_cublas_cu12-{v}-py3-none-any.whl": wheel("nvidia-cublas-cu12", v) for v in ("12.3.4.1", "12.9.1.4")},
}  # fmt: skip


def test_an_open_framework_gets_the_wheels_of_nvidias_list(
    uv: Uv, root: Path, store: Store, tmp_path: Path
) -> None:
    before = tree(root)
    newer = tf(version="2.17.1", cuda="12.3", requires=OPEN)
    with serving(tmp_path / "lists", LISTS) as address:
        here = Uv(uv.exe, {**uv.env, "UV_DEFAULT_INDEX": address})
        found = planned(here, root, "12.4", newer)
        assert {item.name: item.version for item in found.items} == {
            "nvidia-cuda-runtime-cu12": "12.4.127",
            "nvidia-nvjitlink-cu12": "12.4.127",
            "nvidia-cudnn-cu12": "8.9.7.29",
        }  # the list itself brings no files, and cuBLAS was there
        assert found.kept == (("nvidia-cublas-cu12", "12.4.5.8"),)
        assert dict(found.aside) == {"nvidia-cudnn-cu11": "8.6.0.163"}
        assert placing.bring(here, found, store, STAMP, silent)
        assert "cuda-toolkit" not in versions(root)
        with pytest.raises(TrueupError) as caught:  # that list's cuBLAS is older than the framework asks for
            planned(here, root, "12.3", newer)
    assert caught.value.message.code == "cuda.use-list-conflict"
    assert caught.value.hint is not None
    assert "12.4" in str(caught.value.hint.params["lines"])
    taken_back(store)
    assert tree(root) == before


def test_a_package_that_asks_for_what_would_go_is_protected(uv: Uv, root: Path) -> None:
    site = Path(environment(root).places[0])
    put(site, "other-thing-cu1", "1.0", ("nvidia-cublas-cu12>=12",))
    with pytest.raises(TrueupError) as caught:
        planned(uv, root)
    assert caught.value.message.code == "cuda.use-breaks"
    assert "other-thing" in str(caught.value.message.params["package"])


def test_a_file_of_nobody_in_the_way_is_not_overwritten(uv: Uv, root: Path, store: Store) -> None:
    site = Path(environment(root).places[0])
    (site / "nvidia/cufft/lib").mkdir(parents=True)
    (site / "nvidia/cufft/lib/libcufft.so").write_text("somebody's own")
    before = tree(root)
    with pytest.raises(TrueupError) as caught:
        brought(uv, root, store)
    assert caught.value.message.code == "cuda.use-in-the-way"
    assert tree(root) == before


def test_a_running_program_of_the_environment_is_waited_for(
    uv: Uv, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(root)
    monkeypatch.setattr(placing, "holders", lambda _root: ("python (4711)", f"python ({os.getpid()})"))
    with pytest.raises(SetupError) as caught:
        brought(uv, root, store)
    assert caught.value.kind == "held"
    assert caught.value.message.params["by"] == "python (4711)"
    assert tree(root) == before


@pytest.mark.parametrize("number", [1, 4, 9, 14])
def test_a_change_that_fails_takes_back_those_before_it(
    uv: Uv, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    before, apply, made = tree(root), Transaction.apply, []

    def failing(self: Transaction, change: Any) -> Any:
        made.append(change)
        if len(made) == number:
            raise SetupError("disk-filled", quote="ENOSPC", what="x")
        return apply(self, change)

    monkeypatch.setattr(Transaction, "apply", failing)
    with pytest.raises(SetupError):
        brought(uv, root, store)
    assert tree(root) == before


def test_an_interrupt_in_the_middle_takes_back_what_was_made(
    uv: Uv, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, write, made = tree(root), TreeKind.write, []

    def interrupted(self: TreeKind, *words: Any) -> None:
        made.append(words)
        if len(made) == 3:
            raise KeyboardInterrupt
        write(self, *words)

    monkeypatch.setattr(TreeKind, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        brought(uv, root, store)
    assert tree(root) == before


@pytest.mark.parametrize("what", ["the environment", "its packages"])
def test_behind_a_link_on_the_same_disk_all_goes_as_usual(
    uv: Uv, root: Path, store: Store, tmp_path: Path, what: str
) -> None:
    place = root if what == "the environment" else Path(environment(root).places[0])
    real = tmp_path / "real place"
    place.rename(real)
    place.symlink_to(real)
    before = tree(root / ".") | tree(real)
    assert brought(uv, root, store)
    assert place.is_symlink()
    assert (real.rglob("libcublas.so").__next__()).is_file()
    assert taken_back(store) == {"restored"}
    assert tree(root / ".") | tree(real) == before


def test_packages_on_another_disk_are_refused_before_anything_is_fetched(
    uv: Uv, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Path("/dev/shm")  # noqa: S108  # a disk of its own wherever Linux runs
    if not other.is_dir() or other.stat().st_dev == root.stat().st_dev:
        pytest.skip("one disk")
    found = planned(uv, root)
    away = replace(found, site=other)
    monkeypatch.setattr(Uv, "run", lambda *_a, **_k: pytest.fail("nothing is fetched"))
    with pytest.raises(SetupError) as caught:
        placing.bring(uv, away, store, STAMP, silent)
    assert caught.value.kind == "other-disk"


def test_without_the_right_to_write_nothing_is_fetched(
    uv: Uv, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, before, mkdir = planned(uv, root), tree(root), Path.mkdir

    def refused(self: Path, *words: Any, **named: Any) -> None:
        if self.name == "trueup-cuda-new":
            raise PermissionError(13, "Permission denied", str(self))
        mkdir(self, *words, **named)

    monkeypatch.setattr(Path, "mkdir", refused)
    monkeypatch.setattr(Uv, "run", lambda *_a, **_k: pytest.fail("nothing is fetched"))
    with pytest.raises(SetupError) as caught:
        placing.bring(uv, found, store, STAMP, silent)
    assert caught.value.kind == "unwritable"
    assert tree(root) == before


def test_power_loss_between_any_two_steps_is_undone_to_the_byte(
    uv: Uv, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = planned(uv, root)
    few = (
        "nvidia-cudnn-cu11",
        "nvidia-cublas-cu11",
        "nvidia-cufft-cu11",
    )  # replaced, in another's place, new
    found = replace(found, items=tuple(item for item in found.items if item.name in few))
    (root / hook.CHOSEN).write_text("/opt/cuda/lib64\n")
    before = tree(root)
    ready = tmp_path / "ready"
    for item in found.items:
        put(ready, item.name, item.version)
    monkeypatch.setattr(placing, "holders", lambda _root: ())
    monkeypatch.setattr(
        placing, "_sync", lambda _uv, _b, place, *_: shutil.copytree(ready, place.stage / "site")
    )
    at, survived = 0, False
    while not survived:
        at += 1
        store = Store(tmp_path / f"journal{at}")
        survived = not killed(lambda: placing.bring(uv, found, store, STAMP, silent), at)  # noqa: B023
        again = Store(store.folder)
        for record in again.records():
            assert {one.result for one in again.undo(record)} <= {"restored", "already"}
        rest = {path for path in tree(root) if not path.startswith("trueup-cuda-new")}
        assert {path: tree(root)[path] for path in rest} == before, at
    assert at > 40


def test_what_an_ended_run_left_is_not_taken_for_a_wheel(uv: Uv, root: Path, store: Store) -> None:
    """A uv that outlived its killed parent may write on: into a folder of its own, which goes with the next run."""
    before = tree(root)
    rest = root / "trueup-cuda-new" / "abcd" / "site" / "nvidia" / "cublas" / "lib"
    rest.mkdir(parents=True)
    (rest / "libcublas.so").write_text("half of a download")
    assert brought(uv, root, store)
    site = Path(environment(root).places[0])
    assert (site / "nvidia/cublas/lib/libcublas.so").read_text() == "nvidia-cublas-cu11 11.11.3.6"
    assert not (root / "trueup-cuda-new").exists()
    assert taken_back(store) == {"restored"}
    assert tree(root) == before


def test_a_tree_is_one_change_whatever_it_is(tmp_path: Path) -> None:
    kind, stage = TreeKind(), tmp_path / "stage"
    (stage / "empty").mkdir(parents=True)
    (stage / "link").symlink_to("nowhere")
    (stage / "large").write_bytes(b"x" * (1 << 23))
    target = {
        "path": str(tmp_path / "in" / "place"),
        "stage": str(stage),
        "env": str(tmp_path),
        "rest": "none",
    }
    state = kind.read({**target, "path": str(stage)})
    store = Store(tmp_path / "journal")
    from trueup.setup.changes import Change

    with store.begin("test") as transaction:
        transaction.apply(Change("tree", target, state))
    assert (tmp_path / "in" / "place" / "link").is_symlink()
    assert taken_back(store) == {"restored"}
    assert not (tmp_path / "in").exists()


# -- as it is typed


@pytest.fixture
def typed(uv: Uv, root: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    del uv
    seen = survey()

    def read(_machine: str | None, _env: str) -> Any:
        there: Environment = environment(root)
        return linux({}), replace(seen, environments=(there,))

    monkeypatch.setattr("trueup.cli.cuda.read", read)
    monkeypatch.setattr("trueup.cli.places.changes_store", lambda: store)
    return lambda *words: run(["cuda", "use", *words, "--env", str(root)])


def answer(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, SCHEMA)
    return document


def test_it_is_shown_first_with_sizes_and_reasons(
    typed: Callable[..., int], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(root)
    assert typed("11.8", "--dry-run") == 0
    said = capsys.readouterr().out
    assert "no toolkit of CUDA 11.8" in said
    assert "tensorflow 2.14.1 was made with CUDA 11.8 and cuDNN 8.7" in said
    assert "replace nvidia-cudnn-cu11 8.6.0.163 by 8.7.0.84" in said
    assert typed("--wheels", "--dry-run", "--lang", "zh") == 0  # the line that its framework was made for
    assert "CUDA 11.8 将装入" in capsys.readouterr().out
    assert typed("11.8", "--dry-run", "--json") == 0
    document = answer(capsys)
    assert (document["outcome"], document["source"]) == ("planned", "wheels")
    assert tree(root) == before


def test_nobody_is_taken_for_a_yes(
    typed: Callable[..., int], root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(root)
    assert typed("11.8") == 2
    assert typed("11.8", "--json") == 2
    monkeypatch.setattr(sys, "stdin", None)
    assert typed("11.8") == 2
    assert "--yes" in capsys.readouterr().err
    assert tree(root) == before


def test_it_is_done_on_wish_and_taken_back(
    typed: Callable[..., int], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(root)
    assert typed("11.8", "--yes", "--json") == 0
    assert answer(capsys)["outcome"] == "done"
    assert typed("--show", "--json") == 0
    shown = answer(capsys)
    assert (shown["outcome"], len(shown["kept"])) == ("shown", len(SET))
    assert typed("11.8", "--yes") == 0
    assert "already" in capsys.readouterr().out
    assert run(["undo", "--yes"]) == 0
    assert tree(root) == before


@pytest.mark.parametrize(("words", "told"), [(["12.4"], "11.8"), (["11"], "11.8"), (["11.8.0"], "11.8")])
def test_a_mistake_names_the_next_step(
    typed: Callable[..., int], words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for lang in ("en", "zh"):
        assert typed(*words, "--lang", lang) == 2
        assert told in capsys.readouterr().err


def test_the_wheels_of_the_tests_are_as_large_as_they_say() -> None:
    name, version = next(iter(SET.items()))
    assert len(wheel(name, version)) > sum(map(len, members(name, version).values())) // 2
