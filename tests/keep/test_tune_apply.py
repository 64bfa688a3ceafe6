"""`trueup tune` changes and `trueup undo` takes back: every setting, every moment of a kill, the administrator's step."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from tuned import GB, REGISTRY, Windows

from trueup.keep.elevate import FAILED, FOREIGN, inverse, needs_admin, perform, plan_text, words
from trueup.keep.tune.apply import apply, undo_apart
from trueup.keep.tune.look import look
from trueup.keep.tune.model import Asked, Edit
from trueup.keep.tune.power import PowerKind
from trueup.keep.tune.wslconfig import file_changes, merged, value
from trueup.machine.inventory.settings import SCHEMES
from trueup.report.undo import preview_text
from trueup.setup.changes import Change, Store
from trueup.setup.changes.registry import registry_changes
from trueup.setup.errors import SetupError
from trueup.values import TrueupError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trueup.keep.tune.apply import Result

ENV = "D:\\工程\\.venv"
FILES = {f"{ENV}\\Scripts\\python.exe": "", f"{ENV}\\pyvenv.cfg": "home = C:\\Py310\n"}
WISHES = {
    "long-paths": "on", "tdr-delay": "60", "gpu-scheduling": "on", "fast-startup": "off", "cuda-cache": "4GB",
    "cpu-min": "100", "cpu-max": "90", "pcie-power": "off", "gpu-preference": "high-performance",
    "power-plan": "high-performance", "tdr-level": "off",
}  # fmt: skip
HIGH = "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c"


def machine() -> Windows:
    plan = {f"{SCHEMES}\\{HIGH}": {"FriendlyName": ("REG_SZ", "@x")}}
    return Windows({**REGISTRY, **plan}, files=FILES)


def test_undo_names_what_of_the_power_plan_comes_back(tmp_path: Path) -> None:
    world = machine()
    store = Store(tmp_path, world.kinds())
    apply(store, "test", changes_of(world, {"power-plan": "high-performance"}))
    [record] = store.records()
    assert "381b4222" in preview_text(record, store.look(record), "zh_CN")


def test_a_step_that_died_halfway_is_taken_back(tmp_path: Path) -> None:
    world = Windows({})
    before = copy.deepcopy(world.values)
    changes = changes_of(world, {"long-paths": "on", "tdr-delay": "60"})
    for reached in range(len(changes)):
        store = Store(tmp_path / str(reached), world.kinds())

        def dies(apart: tuple[Change, ...], reached: int = reached) -> Result:
            data = plan_text(apart[:reached]).encode()
            perform(data, hashlib.sha256(data).hexdigest(), world.kinds())
            return "failed"

        total = len({tuple(change.target.values()) for change in changes})
        assert bool(apply(store, "test", changes, dies).left) == (reached < total)
        undone(store)
        assert world.values == before


def changes_of(world: Windows, wishes: dict[str, str]) -> list[Change]:
    settings = look(world, Asked(dict(wishes), ENV))
    assert [one.name for one in settings if one.verdict != "advised"] == []
    return [change for one in settings for change in one.changes]


def undone(store: Store) -> list[str]:
    return [outcome.result for record in store.records() for outcome in store.undo(record)]


@pytest.mark.parametrize("name", WISHES)
def test_each_setting_comes_back_to_the_byte(tmp_path: Path, name: str) -> None:
    world = machine()
    before = copy.deepcopy(world.values)
    store = Store(tmp_path, world.kinds())
    applied = apply(store, "test", changes_of(world, {name: WISHES[name]}))
    assert applied.result == "done"
    assert applied.done
    [setting] = look(world, Asked({name: WISHES[name]}, ENV))
    assert setting.verdict == "good"
    assert world.values != before
    assert set(undone(store)) == {"restored"}
    assert world.values == before


class Killed(BaseException):
    """An end of the process."""


def test_a_kill_at_every_moment_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter(range(1, 1000))
    real, counted = os.fsync, {"now": 0, "last": 0}

    def tick() -> None:
        counted["now"] += 1
        if counted["now"] == counted["last"]:
            raise Killed

    def dying(act: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any) -> Any:
            tick()
            result = act(*args)
            tick()
            return result

        return wrapped

    monkeypatch.setattr(os, "fsync", dying(real))
    for last in moments:
        world = machine()
        before, changes = copy.deepcopy(world.values), changes_of(world, WISHES)
        kinds: dict[str, Any] = world.kinds()
        for kind in kinds.values():
            kind.write = dying(kind.write)
        kinds["power"]._call = dying(kinds["power"]._call)
        counted.update(now=0, last=last)
        try:
            apply(Store(tmp_path / str(last), kinds), "test", changes)
            finished = True
        except Killed:
            finished = False
        counted["last"] = 0
        results = undone(Store(tmp_path / str(last), world.kinds()))
        assert world.values == before, last
        assert set(results) <= {"restored", "already"}
        if finished:
            assert last > 60
            return
    pytest.fail("it never ends")


def elevated(world: Windows, *, answer: Result = "done") -> Callable[[tuple[Change, ...]], Result]:
    """Return a stand-in for the other process: the plan goes through its text."""

    def step(changes: tuple[Change, ...]) -> Result:
        if answer != "done":
            return answer
        data = plan_text(changes).encode()
        code = perform(data, hashlib.sha256(data).hexdigest(), world.kinds())
        return "failed" if code else "done"

    return step


class Guarded(Windows):
    """Writes of HKLM fail, as without an administrator."""

    def kinds(self) -> dict[str, Any]:
        kinds: dict[str, Any] = super().kinds()
        for name in ("registry", "registry-key"):
            kinds[name].write = self._guarded(kinds[name].write)
        return kinds

    def _guarded(self, act: Callable[..., Any]) -> Callable[..., Any]:
        def write(target: dict[str, str], state: Any, blobs: Any) -> None:
            if target["key"].startswith("HKLM"):
                raise PermissionError(13, "Access is denied", target["key"])
            act(target, state, blobs)

        return write


def test_what_needs_an_administrator_is_one_step_and_comes_back_by_one(tmp_path: Path) -> None:
    world, plain = Guarded(), Windows()
    plain.values = world.values
    before = copy.deepcopy(world.values)
    store = Store(tmp_path, world.kinds())
    asked = [c for s in look(world, Asked({"long-paths": None, "cuda-cache": None})) for c in s.changes]
    changes = [*asked, *(c for s in look(world, Asked({"cuda-cache": "1GB"})) for c in s.changes)]
    applied = apply(store, "test", changes, elevated(plain))
    assert (applied.result, applied.left) == ("done", ())
    assert len(store.records()) == 1
    undo_apart(store, store.records()[0], elevated(plain))
    assert "failed" not in undone(store)
    assert world.values == before


def test_a_key_that_others_use_since_stays_and_the_values_go(tmp_path: Path) -> None:
    key = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers"
    world = Guarded({})
    plain = Windows({})
    plain.values = world.values
    store = Store(tmp_path, world.kinds())
    [setting] = look(world, Asked({"tdr-delay": None}))
    apply(store, "test", setting.changes, elevated(plain))
    targets = [tuple(one.target.values()) for one in store.records()[0].changes]
    assert len(targets) == len(set(targets))
    plain.set(key, "DriverSupport", {"type": "REG_DWORD", "data": 1})
    undo_apart(store, store.records()[0], elevated(plain))
    assert list(world.values[key.lower()]) == ["driversupport"]


def test_a_declined_step_changes_nothing_and_the_history_says_so(tmp_path: Path) -> None:
    world = Guarded()
    before = copy.deepcopy(world.values)
    store = Store(tmp_path, world.kinds())
    [setting] = look(world, Asked({"long-paths": None}))
    applied = apply(store, "test", setting.changes, elevated(world, answer="refused"))
    assert (applied.result, applied.done) == ("refused", ())
    assert [one.target["name"] for one in applied.left if one.kind == "registry"] == ["LongPathsEnabled"]
    assert world.values == before
    assert [record.undone for record in store.records()] == [True]


def test_without_the_step_the_refusal_is_the_systems_own(tmp_path: Path) -> None:
    world = Guarded()
    [setting] = look(world, Asked({"long-paths": None}))
    with pytest.raises(SetupError):
        apply(Store(tmp_path, world.kinds()), "test", setting.changes)


LONG = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\FileSystem"


@pytest.mark.parametrize(
    "change",
    [
        Change("registry", {"key": "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Run", "name": "x"}, None),
        Change("registry", {"key": LONG, "name": "Other"}, None),
        Change("registry", {"key": f"{LONG}\\..\\x", "name": "LongPathsEnabled"}, None),
        Change("registry-key", {"key": "HKLM\\SOFTWARE\\x"}, "there"),
        Change("file", {"path": "C:\\Windows\\System32\\x.dll"}, None),
        Change("power", {"what": "active"}, HIGH),
    ],
)  # fmt: skip
def test_a_plan_for_anything_else_is_refused_whole(change: Change) -> None:
    world = Windows()
    before = copy.deepcopy(world.values)
    good = Change("registry", {"key": LONG, "name": "LongPathsEnabled"}, None, {"type": "REG_DWORD", "data": 0})  # fmt: skip
    data = plan_text([good, change]).encode()
    assert perform(data, hashlib.sha256(data).hexdigest(), world.kinds()) == FOREIGN
    assert world.values == before


def test_a_plan_that_was_exchanged_or_is_out_of_date_is_refused() -> None:
    world = Windows()
    [*changes] = Store(_nowhere(), world.kinds()).preview(
        registry_changes(LONG, "LongPathsEnabled", "REG_DWORD", 1)
    )
    data = plan_text(changes).encode()
    assert perform(data + b" ", hashlib.sha256(data).hexdigest(), world.kinds()) == FOREIGN
    world.set(LONG, "LongPathsEnabled", {"type": "REG_SZ", "data": "the user's"})
    assert perform(data, hashlib.sha256(data).hexdigest(), world.kinds()) == FAILED
    assert world.state(LONG, "LongPathsEnabled")["data"] == "the user's"


def test_the_other_process_starts_from_any_folder_and_heeds_the_hash(tmp_path: Path) -> None:
    plan = tmp_path / "计划.json"
    plan.write_text(plan_text([]), "utf-8")
    (tmp_path / "json.py").write_text("raise SystemExit(9)")  # what lies about is not imported
    digest = hashlib.sha256(plan.read_bytes()).hexdigest()
    for said, status in ((digest, 0), ("0" * 64, FOREIGN)):
        done = subprocess.run(words(plan, said), cwd=tmp_path, check=False, timeout=300)
        assert done.returncode == status


def _nowhere() -> Path:
    from pathlib import Path

    return Path("no journal is written by a preview")


def test_only_what_belongs_to_all_users_needs_an_administrator() -> None:
    own, all_users = (registry_changes(f"{hive}\\A\\B", "x", "REG_SZ", "y") for hive in ("HKCU", "HKLM"))
    assert not any(map(needs_admin, own))
    assert all(map(needs_admin, all_users))
    assert [one.after for one in inverse([one.seen(None) for one in own])] == [None, None, None]


def test_powercfg_that_refuses_is_told_in_its_own_words(tmp_path: Path) -> None:
    import sys

    said = [sys.executable, "-c", "import sys; sys.stderr.write('拒绝访问。'); sys.exit(1)"]
    kind = PowerKind(lambda _key, _name: None, lambda _key, _name: None, said)
    with pytest.raises(SetupError) as error, Store(tmp_path, {"power": kind}).begin("test") as transaction:
        transaction.apply(Change("power", {"what": "active"}, HIGH))
    assert "拒绝访问" in str(error.value.message.params)


CONFIG = "# mine\r\n[wsl2]\r\nmemory = 4GB ; little\r\nkernel=C:\\\\k\r\n\r\n[experimental]\r\nmemory=x\r\n"


def test_the_wsl_file_keeps_comments_and_unknown_keys() -> None:
    changed = merged(CONFIG, Edit("", "wsl2", "memory", "24GB"))
    assert changed == CONFIG.replace("memory = 4GB ; little", "memory=24GB")
    added = merged(CONFIG, Edit("", "wsl2", "swap", "8GB"))
    assert added == CONFIG.replace("kernel=C:\\\\k\r\n", "kernel=C:\\\\k\r\nswap=8GB\r\n")
    assert merged(added, Edit("", "wsl2", "swap", None)) == CONFIG
    assert merged("", Edit("", "wsl2", "memory", "8GB")) == "[wsl2]\nmemory=8GB\n"
    assert merged("[boot]", Edit("", "wsl2", "memory", "8GB")) == "[boot]\n[wsl2]\nmemory=8GB\n"
    assert merged("[WSL2]\nMemory=1GB\nmemory=2GB", Edit("", "wsl2", "memory", "8GB")).endswith(
        "\nmemory=8GB"
    )
    assert value("[a]\nmemory=1\n[wsl2]\n#memory=2\n memory = 3GB \n", "wsl2", "memory") == "3GB"


def test_the_wsl_file_is_changed_once_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "家" / ".wslconfig"
    path.parent.mkdir()
    path.write_bytes(CONFIG.encode())
    store = Store(tmp_path / "journal")
    edits = [Edit(str(path), "wsl2", "memory", "24GB"), Edit(str(path), "wsl2", "swap", "8GB")]
    [change] = file_changes(edits, store.blobs)
    apply(store, "test", [change])
    assert b"memory=24GB" in path.read_bytes()
    assert b"swap=8GB" in path.read_bytes()
    assert undone(store) == ["restored"]
    assert path.read_bytes() == CONFIG.encode()


def test_a_new_wsl_file_takes_the_mode_of_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "NTUSER.DAT").write_bytes(b"")
    (tmp_path / "NTUSER.DAT").chmod(0o777)
    store = Store(tmp_path / "journal")
    [change] = file_changes([Edit(str(tmp_path / ".wslconfig"), "wsl2", "memory", "8GB")], store.blobs)
    assert change.after["mode"] == 0o777
    apply(store, "test", [change])
    assert (tmp_path / ".wslconfig").read_text() == "[wsl2]\nmemory=8GB\n"
    assert undone(store) == ["restored"]
    assert not (tmp_path / ".wslconfig").exists()


def test_a_wsl_file_that_is_no_text_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / ".wslconfig"
    path.write_bytes("[wsl2]\n内存".encode("gbk"))
    with pytest.raises(TrueupError) as error:
        file_changes([Edit(str(path), "wsl2", "memory", "8GB")], Store(tmp_path / "j").blobs)
    assert error.value.message.code == "tune.file-unreadable"


LXSS = {
    "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Lxss\\{1}": {"DistributionName": ("REG_SZ", "U")}
}


@pytest.mark.parametrize(("word", "goal"), [("24GB", "24GB"), ("50%", "16GB"), ("1536MB", "1536MB")])
def test_memory_of_wsl_is_written_as_wsl_takes_it(word: str, goal: str) -> None:
    [setting] = look(Windows({**REGISTRY, **LXSS}), Asked({"wsl-memory": word}))
    assert setting.edits == (Edit("C:\\Users\\me\\.wslconfig", "wsl2", "memory", goal),)


@pytest.mark.parametrize("word", ["32GB", "100%", "512MB", "lots", "-1", f"{64 * GB}"])
def test_memory_that_windows_or_linux_would_lack_is_refused(word: str) -> None:
    with pytest.raises(TrueupError):
        look(Windows({**REGISTRY, **LXSS}), Asked({"wsl-memory": word}))


def test_the_journal_survives_its_own_json(tmp_path: Path) -> None:
    world = machine()
    apply(Store(tmp_path, world.kinds()), "test", changes_of(world, {"pcie-power": "off"}))
    [path] = tmp_path.glob("*.jsonl")
    [intent] = [json.loads(line)["change"] for line in path.read_text("utf-8").split("\n") if '"intent"' in line]  # fmt: skip
    assert intent["before"] == {"value": 1, "set": False}
    assert intent["after"] == {"value": 0, "set": True}
