"""What changed on a machine, told in causal order and never guessed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from days import SITE, examined, facts, world

from trueup.history import compare, flatten
from trueup.history.model import LAYERS
from trueup.report.say import LANGUAGES, say

DRIVER = {"driver": "552.22", "cuda": 12040, "library": "12.552.22"}
PACKAGES = world().data["packages"][SITE]
PATH = world().env["PATH"]
V118 = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.8\\bin"


def told(lang: str = "en", *, start: Any = None, **changes: Any) -> list[str]:
    before, after = facts(start or world()), facts(world(**changes))
    return [say(one.text, lang) for one in compare(before, after)]


def test_the_same_machine_has_no_difference() -> None:
    assert told() == []


def test_a_driver_that_was_updated() -> None:
    lines = told(nvml=DRIVER)
    assert lines[0] == "the newest CUDA that the driver knows went from 12.2 to 12.4"
    assert lines[1] == "the driver went from 536.67 to 552.22"
    assert told("zh_CN", nvml=DRIVER)[1] == "驱动从 536.67 变为 552.22"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("numpy-1.23.5", "numpy-2.0.1", "numpy was upgraded from 1.23.5 to 2.0.1"),
        ("numpy-1.23.5", "numpy-1.9.5", "numpy was downgraded from 1.23.5 to 1.9.5"),
        ("h5py-3.7.0", None, "h5py 3.7.0 was removed"),
        (None, "rich-13.7.0", "rich 13.7.0 was installed"),
        ("tensorflow-2.10.1", "tensorflow-2.9.3", "tensorflow 2.10.1 became tensorflow 2.9.3"),
    ],
)
def test_packages(old: str | None, new: str | None, line: str) -> None:
    listed = [name for name in PACKAGES if name != old] + ([new] if new else [])
    metadata = f"{SITE}\\tensorflow-2.10.1.dist-info\\METADATA"
    files = {metadata: None if old == "tensorflow-2.10.1" else world().data["files"][metadata]}
    lines = told(packages={SITE: listed}, files=files)
    assert line in lines
    assert len(lines) == 1, "a framework's release is told once"


def test_path_edited() -> None:
    own, first, *rest = PATH.split(";")
    assert own == "D:\\project\\.venv\\Scripts"
    assert told(env={"PATH": ";".join([*rest, first])}) == ["the folders of PATH stand in another order"]
    assert told(env={"PATH": f"D:\\new;{PATH}"}) == ["`D:\\new` was put at the front of PATH"]
    assert told(env={"PATH": f"{PATH};D:\\new\\"}) == ["PATH has a new folder: `D:\\new`"]
    assert told(env={"PATH": ";".join(rest)})[-1] == f"`{first}` is not on PATH any more"


def test_an_environment_that_is_activated_or_not_is_no_edit_of_path() -> None:
    rest = PATH.split(";")[1:]
    assert told(env={"PATH": ";".join(rest)}) == []
    beside = "D:\\project\\.venv2"
    assert told(env={"PATH": f"{beside};{PATH}"}) == [f"`{beside}` was put at the front of PATH"]


def test_a_python_of_the_system_owns_no_part_of_path() -> None:
    host = world("ready--linux-a100")
    subject = examined(world()).subject
    assert subject is not None
    checkup = examined(host)
    system = replace(subject, path="/usr", kind="installed")
    assert flatten(checkup.survey, system, host)["path/entries"] == host.env["PATH"].split(":")


def test_a_copy_that_is_no_longer_searched() -> None:
    searched, not_searched = "cudnn|8.9.5|searched|C:\\a", "cudnn|8.9.5|-|C:\\a"
    lost = compare({"cuda/copies": [searched]}, {"cuda/copies": [not_searched]})
    back = compare({"cuda/copies": [not_searched]}, {"cuda/copies": [searched]})
    assert say(lost[0].text, "en") == "the loader does not search `C:\\a` any more, where cuDNN 8.9.5 is"
    assert say(back[0].text, "zh_CN") == "加载器现在会搜索 `C:\\a`，那里有 cuDNN 8.9.5"


def test_a_new_cuda_in_front() -> None:
    files = {f"{V118}\\cudart64_110.dll": "", f"{V118}\\cublas64_11.dll": ""}
    lines = told(files=files, env={"PATH": f"{V118};{PATH}"})
    assert any("is new in" in line and "v11.8" in line for line in lines)
    assert f"`{V118}` was put at the front of PATH" in lines


def test_another_copy_that_is_found_first() -> None:
    before = {"cuda/copies": ["cudnn|8.9.5|searched|C:\\a", "cudnn|8.1.0|searched|C:\\b"]}
    after = {"cuda/copies": ["cudnn|8.1.0|searched|C:\\b", "cudnn|8.9.5|searched|C:\\a"]}
    only = compare(before, after)[0]
    assert say(only.text, "en") == (
        "the loader now meets cuDNN 8.1.0 in `C:\\b` first, instead of 8.9.5 in `C:\\a`"
    )


def test_python_that_is_gone() -> None:
    after = facts(world("environment-without-python--windows-python-uninstalled"))
    lines = [say(one.text, "en") for one in compare(facts(world()), after)]
    assert any(line.startswith("the environment's Python 3.10.11 is gone") for line in lines)


def test_what_could_not_be_read_is_no_change() -> None:
    blind = {"error": {"code": 999, "text": "Unknown Error"}}
    lines = told(nvml={"driver": blind, "devices": blind})
    assert all("went from" not in line and "is gone" not in line for line in lines)
    backward = compare(facts(world(nvml={"driver": blind, "devices": blind})), facts(world()))
    assert [one for one in backward if one.layer in {"driver", "card"}] == []


def test_a_day_without_an_environment_says_nothing_of_packages() -> None:
    whole = facts(world())
    alone = {
        key: value for key, value in whole.items() if key.partition("/")[0] not in {"python", "packages"}
    }
    assert [one for one in compare(alone, whole) if one.layer == "packages"] == []


def test_causal_order() -> None:
    listed = [name.replace("numpy-1.23.5", "numpy-2.0.1") for name in PACKAGES]
    found = compare(
        facts(world()),
        facts(
            world(nvml=DRIVER, packages={SITE: listed}, env={"PATH": f"D:\\x;{PATH}", "CUDA_PATH": "D:\\c"})
        ),
    )
    places = [LAYERS.index(one.layer) for one in found]
    assert places == sorted(places)
    assert {"driver", "packages", "path", "variables"} <= {one.layer for one in found}


def test_every_value_has_its_words() -> None:
    """Each key that a survey has can be new, gone or changed, and is told in both languages."""
    whole = facts(world())
    for key, value in whole.items():
        if isinstance(value, list):
            continue
        for before, after in ((value, None), (None, "9.9"), ("1.1", "9.9")):
            for one in compare({**whole, key: before}, {**whole, key: after}):
                for lang in LANGUAGES:
                    assert say(one.text, lang)


def test_a_name_that_looks_like_a_message_stays_a_name() -> None:
    lines = compare({"path/entries": ["/a"]}, {"path/entries": ["/a", "@cli.help"]})
    assert say(lines[0].text, "en") == "PATH has a new folder: `cli.help`"


def test_what_is_so_or_not_is_told_as_yes_or_no() -> None:
    listed = [name for name in PACKAGES if not name.startswith("nvidia")]
    hook = {f"{SITE}\\trueup.pth": None}
    assert "the environment finds its own CUDA: no now, yes before" in told(
        packages={SITE: listed}, files=hook
    )
    assert "环境能自己找到 CUDA：现在否，之前是" in told("zh_CN", files=hook)
