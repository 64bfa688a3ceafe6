"""Room for paths and bytes, asked of a recorded Windows PC before anything is made or downloaded."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from trueup.fit.model import Alignment
    from trueup.machine.model import Machine

MACHINE = Path(__file__).parents[1] / "machine"
sys.path.append(str(MACHINE))
from world import BASES, World, load  # noqa: E402  # lies beside the tests of the readers

from trueup.facts.catalog import load as facts  # noqa: E402
from trueup.fit.model import Wish  # noqa: E402
from trueup.fit.solve import solve  # noqa: E402
from trueup.machine.read import read_machine  # noqa: E402
from trueup.report.say import LANGUAGES, say  # noqa: E402
from trueup.setup import SetupError, room  # noqa: E402

SWITCH = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\FileSystem"


def recorded(switch: int | None) -> Machine:
    """Return a recorded Windows 11 PC with long paths on (1), off (0) or never heard of (None)."""
    data = dict(load(BASES / "windows.json").data)
    values = {} if switch is None else {"LongPathsEnabled": switch}
    data["registry"] = {**data["registry"], SWITCH: values}
    return read_machine(World(data))


def tensorflow(machine: Machine) -> Alignment:
    best = solve(Wish(("tensorflow",), routes=("windows-native",)), machine, facts()).best
    assert best is not None
    return best


@pytest.mark.parametrize("switch", [0, None])
def test_a_folder_that_leaves_no_room_for_the_longest_file_is_refused(switch: int | None) -> None:
    machine = recorded(switch)
    alignment = tensorflow(machine)
    longest = "\\Lib\\site-packages\\" + "x" * room.LONGEST_MEMBER["tensorflow"]
    home = "C:\\Users\\somebody\\Documents\\" + "deep\\" * 9
    fits = Path((home + "e" * 99)[: room.MAX_PATH - len(longest)])
    room.check_path(fits, machine, alignment)
    assert len(str(fits) + longest) == room.MAX_PATH
    with pytest.raises(SetupError) as caught:
        room.check_path(Path(f"{fits}e"), machine, alignment)
    for lang in LANGUAGES:
        assert f"{fits}e" in say(caught.value.message, lang)
        assert caught.value.hint is not None
        assert "--env" in say(caught.value.hint, lang)


def test_long_paths_that_are_on_lift_the_limit() -> None:
    machine = recorded(1)
    room.check_path(Path("C:\\" + "x" * 200), machine, tensorflow(machine))


@pytest.mark.parametrize(("free", "refused"), [(4000, True), (6000, False)])
def test_the_disk_is_asked_for_what_the_set_needs_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, refused: bool
) -> None:
    alignment = tensorflow(recorded(0))
    assert alignment.disk_mb is not None
    monkeypatch.setattr(room, "_free_mb", lambda _: free)
    found = room.short_of_disk(alignment.disk_mb, tmp_path / "env", tmp_path / "cache")
    assert (found is not None) == refused
    if found:
        assert found.message.params["need_mb"] == alignment.disk_mb + room.SPARE_MB
