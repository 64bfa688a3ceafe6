"""PATH as text, and the rules that mend it, on machines in memory."""

from __future__ import annotations

import json
import ntpath
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.cli.main import run
from trueup.keep.pathvar.change import elevated
from trueup.keep.pathvar.mend import RULES, Mended, mend
from trueup.keep.pathvar.text import expand, join, split
from trueup.keep.pathvar.variables import KEYS
from trueup.keep.pathvar.view import read, read_view
from trueup.machine.host import RecordedHost

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "path-1.json").read_text("utf-8"))
APPS = "C:\\Users\\李\\AppData\\Local\\Microsoft\\WindowsApps"
PY = "C:\\Users\\李\\Python310"
OTHER = "C:\\Users\\李\\Python39\\Scripts"
ENV = {
    "USERPROFILE": "C:\\Users\\李",
    "LOCALAPPDATA": "C:\\Users\\李\\AppData\\Local",
    "PATHEXT": ".EXE;.BAT",
}


def document(user: str, machine: str, files: dict[str, int], *, process: str | None = None) -> dict[str, Any]:
    """Return a Windows that has these files, and folders as far as they need them."""
    path = f"{machine};{user}" if process is None else process
    folders = {"C:\\"} | {ntpath.dirname(file) for file in files}
    names = {*user.split(";"), *machine.split(";"), *path.split(";")}
    plain = {expand(name.replace('"', "").strip(), ENV)[0] for name in names} | folders
    answers: list[dict[str, Any]] = []
    for folder in sorted(plain):
        for asked in {folder, ntpath.normpath(folder)}:
            there = ntpath.normcase(ntpath.normpath(asked)) in {ntpath.normcase(one) for one in folders}
            answers.append({"ask": ["match", asked, "\0"], "is": [] if there else None})
    sizes = {ntpath.join(ntpath.normpath(one), n): None for one in plain for n in ("python.exe", "pip.exe")}
    sizes |= dict.fromkeys(plain)
    real = {ntpath.normcase(name) for name in files}  # whatever spelling an entry has
    absent = [name for name in sizes if ntpath.normcase(name) not in real]
    answers += [{"ask": ["size", name], "is": files.get(name)} for name in [*absent, *files]]
    answers += [{"ask": ["real_path", name], "is": name} for name in files]
    answers += [{"ask": ["file_version", name], "is": "3.10.11150.1013"} for name in files]
    answers.append({"ask": ["match", "D:\\", "\0"], "is": None})
    for key, text in ((KEYS["machine"], machine), (KEYS["user"], user)):
        answers.append({"ask": ["registry_values", key], "is": {"Path": text}})
    return {
        "schema": "trueup.machine/1",
        "platform": "windows",
        "env": {**ENV, "PATH": path},
        "answers": answers,
    }


def mended(user: str, files: dict[str, int], machine: str = "C:\\Windows", rules: Any = RULES) -> Mended:
    host = RecordedHost(document(user, machine, {"C:\\Windows\\x.exe": 1, **files}))
    variable = read(read_view(host).user)
    assert variable is not None
    return mend(host, variable, rules)


@given(st.text(alphabet='a;"% \\:', max_size=40))
def test_apart_and_together_lose_nothing(text: str) -> None:
    assert join(split(text, ";"), ";") == text
    assert join(split(text, ":"), ":") == text


def test_a_semicolon_between_quotes_is_part_of_a_name() -> None:
    assert split('C:\\a;"C:\\b;c";d', ";") == ["C:\\a", '"C:\\b;c"', "d"]


def test_variables_are_put_in_and_told_where_they_have_no_value() -> None:
    assert expand("%userprofile%\\x", ENV) == ("C:\\Users\\李\\x", True)
    assert expand("%NOT_SET%\\x", ENV) == ("%NOT_SET%\\x", False)


def test_dead_duplicate_and_empty_go_and_the_spelling_of_the_rest_stays() -> None:
    user = f'"{PY}\\";;D:\\gone;C:\\gone;%USERPROFILE%\\python310;%NOT_SET%\\bin;\\\\server\\x;C:\\windows\\;'
    answer = mended(user, {f"{PY}\\python.exe": 5})
    assert answer.after == f'"{PY}\\";D:\\gone;%NOT_SET%\\bin;\\\\server\\x;'
    assert [(line.text, line.rule) for line in answer.lines if line.mark == "-"] == [
        ("", "empty"),
        ("C:\\gone", "dead"),
        ("%USERPROFILE%\\python310", "duplicate"),
        ("C:\\windows\\", "duplicate"),
    ]


def test_only_the_rules_that_were_named() -> None:
    user = f"{PY};C:\\gone;;{PY}"
    files = {f"{PY}\\python.exe": 5}
    assert mended(user, files, rules=["empty"]).after == f"{PY};C:\\gone;{PY}"
    assert mended(user, files, rules=["dead"]).after == f"{PY};;{PY}"
    assert mended(user, files, rules=[]).changed is False


def test_the_store_alias_goes_behind_a_python() -> None:
    files = {f"{APPS}\\python.exe": 0, f"{PY}\\python.exe": 5}
    answer = mended(f"{APPS};{PY}", files)
    assert answer.after == f"{PY};{APPS}"
    assert [line.mark for line in answer.lines] == ["-", " ", "+"]
    assert mended(f"{PY};{APPS}", files).changed is False
    assert mended(APPS, {f"{APPS}\\python.exe": 0}).changed is False, "with no Python behind, nothing is won"


def test_a_python_and_its_pip_stand_together() -> None:
    files = {f"{PY}\\python.exe": 5, f"{PY}\\Scripts\\pip.exe": 5, f"{OTHER}\\pip.exe": 5}
    assert mended(f"{OTHER};{PY};{PY}\\Scripts", files).after == f"{PY};{PY}\\Scripts;{OTHER}"
    assert mended(f"{PY};{OTHER};{PY}\\Scripts", files).after == f"{PY};{PY}\\Scripts;{OTHER}"
    assert mended(f"{PY};{PY}\\Scripts;{OTHER}", files).changed is False


@given(
    st.lists(st.sampled_from([PY, f"{PY}\\", "C:\\gone", "", APPS, OTHER, "rel", '"C:\\gone"']), max_size=9)
)
def test_mending_takes_and_moves_only_and_once_is_enough(parts: list[str]) -> None:
    files = {f"{PY}\\python.exe": 5, f"{APPS}\\python.exe": 0, f"{OTHER}\\pip.exe": 3}
    text = ";".join(parts)
    answer = mended(text, files)
    before, after = split(text, ";"), split(answer.after, ";")
    assert all(after.count(part) <= before.count(part) for part in after)
    assert [part for part in ("rel",) if part in before] == [part for part in ("rel",) if part in after]
    assert mended(answer.after, files).changed is False
    gone = [x.text for x in answer.lines if x.mark != "+"]
    assert gone == (before[:-1] if before and not before[-1] else before)
    shown = [x.text for x in answer.lines if x.mark != "-"]
    assert shown == (after[:-1] if after and not after[-1] else after)


def test_the_lines_for_an_administrator_keep_a_copy_and_the_quote() -> None:
    lines = elevated("machine", Mended("a;b", "C:\\it's", ()), "REG_SZ")
    assert lines[0].startswith("reg export")
    assert "-Type String" in lines[1]
    assert "'C:\\it''s'" in lines[1]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_view_of_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: str) -> None:
    files = {f"{APPS}\\python.exe": 0, f"{PY}\\python.exe": 5, "C:\\Windows\\x.exe": 1}
    described = document(f"{APPS};{PY};C:\\gone", "C:\\Windows", files, process="C:\\Windows;" + APPS)
    recording = tmp_path / "machine.json"
    recording.write_text(json.dumps(described), "utf-8")
    capsys.readouterr()
    assert run(["path", "--machine", str(recording), "--lang", lang]) == 1
    text = capsys.readouterr().out
    assert f"-> {APPS}\\python.exe" in text
    assert {"en": "only opens the Microsoft Store", "zh": "只会打开微软应用商店"}[lang] in text
    assert {"en": "older than the last change", "zh": "早于最近一次修改"}[lang] in text
    assert run(["path", "--machine", str(recording), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    assert answer["problems"] == ["stub-first", "count-dead"]
    assert [fix["changed"] for fix in answer["fixes"]] == [False, True]


@pytest.mark.parametrize(
    ("words", "code"), [(["--rule", "nonsense"], 2), (["a/b"], 2), (["--fix", "x:y"], 2)]
)
def test_what_is_no_rule_or_no_name_is_refused(words: list[str], code: int) -> None:
    assert run(["path", *words]) == code
