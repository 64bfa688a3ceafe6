"""Hostile cases: whatever lies in the way of `clean`, nothing of the user's is lost, and undo brings all back."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from leftovers import PACKAGE, Home, fill, python_rest, tree

from trueup.keep.clean import find as finding
from trueup.keep.clean import tree as walking
from trueup.keep.clean.apply import take
from trueup.keep.clean.trash import destroy, place_for, trashed
from trueup.keep.clean.tree import measure, mounts_inside
from trueup.keep.clean.using import against

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.clean.model import Done, Item

if sys.platform == "win32":
    pytest.skip("links, owners and processes of POSIX", allow_module_level=True)


def taken(home: Home, *items: Item) -> Done:
    return take(home.scene(), items)


def why_not(item: Item) -> list[str]:
    return [one.message.code for one in item.against if one.hard]


def moved_and_back(home: Home, *items: Item) -> None:
    """Move items away, see that they alone are gone, take it back, see that all is as it was."""
    before = tree(home.path)
    done = taken(home, *items)
    assert [left.why.code for left in done.left] == []
    after = tree(home.path)
    tops = [os.path.relpath(item.path or "", home.path) for item in items]
    assert not any(os.path.lexists(item.path or "") for item in items)
    gone = {name for name in before if any(name == top or name.startswith(top + "/") for top in tops)}
    assert {name: before[name] for name in before if name not in gone} == after
    for item, place in done.taken:
        assert measure(Path(place)) == item.size
    assert set(home.undo()) <= {"restored", "kept"}
    assert tree(home.path) == before


@pytest.fixture
def rest(home: Home) -> Path:
    return python_rest(home.versions / "3.9.1")


@pytest.fixture
def running() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Hold programs that are ended after the test."""
    programs: list[subprocess.Popen[bytes]] = []
    yield programs
    for program in programs:
        program.kill()
        program.wait()


def start(
    programs: list[subprocess.Popen[bytes]],
    code: str,
    *,
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
) -> None:
    """Start a Python that says that it is ready, and waits."""
    script = f"import sys\n{code}\nprint('ready', flush=True)\nsys.stdin.read()"
    command = [sys.executable, "-c", script]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=cwd)
    programs.append(program)
    assert program.stdout is not None
    assert program.stdout.readline().strip() == b"ready"


def test_a_plain_rest_is_offered_and_comes_back(home: Home, rest: Path) -> None:
    item = home.item(rest)
    assert item.offered
    assert item.own == ()
    moved_and_back(home, item)


def test_a_link_out_of_the_tree_is_moved_as_a_link(home: Home, rest: Path) -> None:
    work = fill(home.path / "work", {"thesis.txt": "years of it"})
    (rest / "lib/python3.9/site-packages/x/data").symlink_to(work)
    item = home.item(rest)
    assert item.size is not None
    assert item.size.bytes < 1000
    done = taken(home, item)
    place = Path(done.taken[0][1])
    assert (place / "lib/python3.9/site-packages/x/data").is_symlink()
    assert destroy(place) is None
    assert tree(work) == {"thesis.txt": ("file", 0o644, b"years of it")}


def test_an_item_that_is_itself_a_link(home: Home) -> None:
    work = fill(home.path / "work", {"a.py": "mine", "lib/b.csv": "1,2"})
    home.versions.mkdir(parents=True)
    (home.versions / "3.8.2").symlink_to(work)
    before = tree(work)
    done = taken(home, home.item(home.versions / "3.8.2"))
    assert tree(work) == before
    assert destroy(Path(done.taken[0][1])) is None
    assert tree(work) == before


def test_a_loop_of_links_ends(home: Home, rest: Path) -> None:
    (rest / "lib/python3.9/loop").symlink_to(rest)
    (rest / "lib/python3.9/self").symlink_to("self")
    moved_and_back(home, home.item(rest))


@pytest.mark.parametrize(
    "mine",
    [
        "lib/python3.9/site-packages/analysis.ipynb",
        "lib/python3.9/site-packages/my_tool/core.py",
        "projects/model.h5",
        "notes.txt",
        "lib/python3.9/experiment/run.py",
        "Scripts/train.py",
    ],
)
def test_own_work_is_named_and_never_part_of_all(home: Home, rest: Path, mine: str) -> None:
    fill(rest, {mine: "mine"})
    item = home.item(rest)
    assert item.own == (mine,)
    assert not item.offered
    assert item.doable, "named by hand it goes, whole, and comes back"
    moved_and_back(home, item)


def test_read_only_files_and_folders(home: Home, rest: Path) -> None:
    (rest / "lib/python3.9/os.py").chmod(0o400)
    (rest / "lib/python3.9").chmod(0o500)
    item = home.item(rest)
    moved_and_back(home, item)
    place = Path(taken(home, home.item(rest)).taken[0][1])
    assert destroy(place) is None
    assert not place.exists()


@pytest.mark.parametrize(
    "name", ["3.9.1 with space", "3.9.1\nnew line", "3.9.1-😀", "3.9.1.", "3.9.1'\"$(x)`", "3.9.1\x1b[2J"]
)
def test_hostile_names(home: Home, name: str) -> None:
    from trueup.report.clean import list_text

    item = home.item(python_rest(home.versions / name))
    text = list_text([item], (), "en")
    assert "\x1b" not in text
    assert not any(line.startswith("new line") for line in text.splitlines())
    moved_and_back(home, item)


def test_a_name_that_is_no_text(home: Home) -> None:
    folder = os.fsencode(home.versions) + b"/3.9.1-\xff"
    python_rest(Path(os.fsdecode(folder)))
    moved_and_back(home, home.item(Path(os.fsdecode(folder))))


def test_a_leading_dash_is_judged_by_what_is_in_it(home: Home) -> None:
    packages = venv(home)
    fill(packages / "-ensorflow", {"__init__.py": ""})
    fill(packages / "~orch", {"__init__.py": ""})
    fill(packages / "~backup", {"thesis.docx": "mine"})
    items = {Path(item.name).name: item for item in home.listed().items if item.kind == "distribution"}
    assert {name: (item.sure, item.offered) for name, item in items.items()} == {
        "-ensorflow": ("look", False),
        "~orch": ("certain", True),
        "~backup": ("look", False),
    }
    assert items["~backup"].own == ("thesis.docx",)
    moved_and_back(home, *items.values())


def venv(home: Home) -> Path:
    """Make an environment in the project; return its site-packages."""
    folder = home.path / "project" / ".venv"
    fill(folder, {"pyvenv.cfg": "home = /usr/bin\nversion = 3.11.2\n", "bin/activate": ""})
    (folder / "bin" / "python").symlink_to("/usr/bin/env")
    return fill(folder / "lib/python3.11/site-packages", PACKAGE)


def test_names_that_differ_by_case_alone(home: Home) -> None:
    one, other = python_rest(home.versions / "3.9.1-A"), python_rest(home.versions / "3.9.1-a")
    if os.path.samefile(one, other):  # noqa: PTH121
        pytest.skip("this disk ignores case")
    fill(other, {"lib/python3.9/ast.py": "# other"})
    moved_and_back(home, home.item(one), home.item(other))


def test_a_volume_mounted_inside_forbids_it(home: Home, rest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = str(rest / "lib" / "python3.9")
    monkeypatch.setattr(walking, "mount_points", lambda: frozenset({"/", "/proc", inside}))
    item = home.item(rest)
    assert why_not(item) == ["clean.mount"]
    assert not item.doable
    before = tree(home.path)
    assert [left.why.code for left in taken(home, replace(item, against=())).left] == ["clean.mount"]
    assert destroy(rest) == f"mount: {rest}"
    assert tree(home.path) == before


def test_the_mounts_of_this_system_are_read() -> None:
    assert "/" in mounts_inside(Path("/"))
    assert "/proc" in mounts_inside(Path("/"))


def test_hard_links_keep_the_other_name(home: Home, rest: Path) -> None:
    mine = fill(home.path / "work", {"big.py": "x" * 5000}) / "big.py"
    (rest / "lib/python3.9/ast.py").hardlink_to(mine)
    (rest / "lib/python3.9/csv.py").hardlink_to(rest / "lib/python3.9/os.py")
    item = home.item(rest)
    assert item.size is not None
    assert item.size.shared == 5000, "what is linked from elsewhere frees nothing"
    place = Path(taken(home, item).taken[0][1])
    assert destroy(place) is None
    assert mine.read_text() == "x" * 5000


def test_counting_is_bounded_and_then_all_leaves_it(
    home: Home, rest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(rest, {f"lib/python3.9/encodings/{number}.py": "" for number in range(80)})
    monkeypatch.setattr(walking, "MOST_ENTRIES", 50)
    size = measure(rest, most=50)
    assert not size.whole
    assert size.files <= 50
    monkeypatch.setattr(finding, "measure", lambda path: measure(path, most=50))
    assert not home.item(rest).offered


def test_a_closed_folder_makes_it_a_question(home: Home, rest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = str(rest / "lib" / "python3.9" / "site-packages")
    scan = os.scandir

    def guarded(path: str) -> object:
        if path == closed:
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", guarded)
    item = home.item(rest)
    assert item.size is not None
    assert not item.size.whole
    assert [one.message.code for one in item.against] == ["clean.unread"]
    assert (item.offered, item.doable) == (False, True)


def test_an_installer_may_be_at_work(home: Home, rest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "RECENT_S", 3600)
    item = home.item(rest)
    assert [one.message.code for one in item.against] == ["clean.recent"]
    assert (item.offered, item.doable) == (False, True)


def test_what_vanished_since_is_told(home: Home, rest: Path) -> None:
    item = home.item(rest)
    rest.rename(home.path / "elsewhere")
    before = tree(home.path)
    assert [left.why.code for left in taken(home, item).left] == ["clean.vanished"]
    assert tree(home.path) == before


def test_what_changed_since_stays(home: Home, rest: Path) -> None:
    item = home.item(rest)
    fill(rest, {"lib/python3.9/os.py": "# my own patch, newer\n"})
    before = tree(home.path)
    assert [left.why.code for left in taken(home, item).left] == ["clean.changed"]
    assert tree(home.path) == before


def test_a_trash_on_another_volume_is_not_taken(home: Home, rest: Path) -> None:
    memory = Path("/dev/shm")  # noqa: S108  # another volume is what is wanted
    other = memory / f"trueup-test-{os.getpid()}" / "data"
    if not memory.is_dir() or memory.stat().st_dev == rest.stat().st_dev:
        pytest.skip("no second volume here")
    goal = place_for(rest, other)
    assert goal is not None
    assert not goal.is_relative_to(other.parent)
    assert not other.parent.exists(), "looking for a place makes none"
    moved_and_back(home, home.item(rest))


def test_a_trash_that_holds_the_name_already(home: Home, rest: Path) -> None:
    first = Path(taken(home, home.item(rest)).taken[0][1])
    python_rest(rest)
    fill(rest, {"lib/python3.9/ast.py": "# second"})
    second = Path(taken(home, home.item(rest)).taken[0][1])
    assert first != second
    assert not (first / "lib/python3.9/ast.py").exists()
    assert (second / "lib/python3.9/ast.py").read_text() == "# second"
    assert len(trashed(home.store.records())) == 2


def test_a_trash_that_is_a_link_or_a_file_is_not_used(home: Home, rest: Path, tmp_path: Path) -> None:
    work = fill(home.path / "work", {"a": "b"})
    (tmp_path / "trueup-trash").symlink_to(work)
    (tmp_path / ".trueup-trash").write_text("mine")
    place = Path(taken(home, home.item(rest)).taken[0][1])
    assert place.is_relative_to(rest.parent / ".trueup-trash")
    assert tree(work) == {"a": ("file", 0o644, b"b")}
    assert (tmp_path / ".trueup-trash").read_text() == "mine"


def test_undo_does_not_write_over_what_came_since(home: Home, rest: Path) -> None:
    place = Path(taken(home, home.item(rest)).taken[0][1])
    fill(rest, {"new.txt": "came since"})
    assert "kept" in home.undo()
    assert tree(rest) == {"new.txt": ("file", 0o644, b"came since")}
    assert (place / "lib/python3.9/os.py").is_file()


def test_active_in_another_process(home: Home, rest: Path, running: list[subprocess.Popen[bytes]]) -> None:
    start(running, "", env={**os.environ, "VIRTUAL_ENV": str(rest)})
    assert why_not(home.item(rest)) == ["clean.in-use"]


def test_a_file_open_in_another_process(
    home: Home, rest: Path, running: list[subprocess.Popen[bytes]]
) -> None:
    item = home.item(rest)
    start(running, f"f = open({str(rest / 'lib/python3.9/os.py')!r})")
    assert why_not(home.item(rest)) == ["clean.in-use"]
    before = tree(home.path)
    assert [left.why.code for left in taken(home, item).left] == ["clean.in-use"], "opened after it was shown"
    assert tree(home.path) == before


def test_another_process_stands_in_it(home: Home, rest: Path, running: list[subprocess.Popen[bytes]]) -> None:
    start(running, "", cwd=rest / "lib")
    assert why_not(home.item(rest)) == ["clean.in-use"]


def test_our_own_command_line_is_no_use_of_it(home: Home, rest: Path) -> None:
    script = "import sys; from trueup.cli.main import run; sys.exit(run(sys.argv[1:]))"
    words = [sys.executable, "-c", script, "clean", str(rest), "--apply", "--yes"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not rest.exists()
    assert (home.path / ".local" / "share" / "trueup-trash").is_dir()


def test_we_stand_in_it(home: Home, rest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(rest / "lib")
    assert why_not(home.item(rest))[0] == "clean.current-folder"


def test_active_in_this_terminal(home: Home, rest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDA_PREFIX", str(rest))
    assert why_not(home.item(rest)) == ["clean.active"]


def test_an_environment_that_is_made_from_it(home: Home, rest: Path) -> None:
    fill(home.path / ".virtualenvs" / "w", {"pyvenv.cfg": f"home = {rest}/bin\n"})
    assert why_not(home.item(rest)) == ["clean.needed"]


def test_trueup_itself_is_never_taken(home: Home) -> None:
    for place in (
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(sys.executable).resolve().parent.parent,
        home.path,
    ):
        assert [one.message.code for one in against(place, {}) if one.hard] == ["clean.own-place"]
    assert [one.message.code for one in against(home.data.parent, {}, keep=(home.data,))] == [
        "clean.own-place"
    ]


@pytest.mark.parametrize("path", ["//server/share/Python39", "\\\\server\\share\\Python39"])
def test_another_computer_is_not_even_asked(path: str) -> None:
    assert [one.message.code for one in against(Path(path), {})] == ["clean.network"]


def test_what_is_not_ours_to_move_becomes_lines(
    home: Home, rest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != rest.parent and access(path, mode))
    item = home.item(rest)
    assert (item.path, item.doable, item.offered) == (None, False, False)
    assert item.steps[0].startswith("sudo mv -n -- ")


@pytest.mark.parametrize("moment", range(1, 15))
def test_killed_at_any_moment(home: Home, moment: int) -> None:
    """Die without any cleaning up at a moment between two steps; what is undone afterwards is all as it was."""
    items = [home.item(python_rest(home.versions / name)) for name in ("3.9.1", "3.8.2")]
    before = tree(home.path)
    child = os.fork()
    if child == 0:
        try:
            _die_at(moment)
            taken(home, *items)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 9
    for record in home.store.records():
        home.store.undo(record)
    assert tree(home.path) == before


def _die_at(moment: int) -> None:
    """Count each write of the journal and each rename, before and after it; end at the given one."""
    count = 0
    sync, rename = os.fsync, Path.rename

    def step() -> None:
        nonlocal count
        count += 1
        if count == moment:
            os._exit(9)

    def synced(fd: Any) -> None:
        sync(fd)
        step()

    def renamed(path: Path, goal: Path) -> Path:
        step()
        answer = rename(path, goal)
        step()
        return answer

    patch = pytest.MonkeyPatch()
    patch.setattr(os, "fsync", synced)
    patch.setattr(Path, "rename", renamed)
