"""Settings files as people keep them: one key changes, every other byte stays."""

from __future__ import annotations

import difflib
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueup.keep.connect.edit import NotAnObject, changed, found, keys
from trueup.keep.connect.jsonc import BadJsonc, parse

KEY = "python.defaultInterpreterPath"
VALUE = "${workspaceFolder}/.venv/Scripts/python.exe"
LINE = f'"{KEY}": "{VALUE}"'
WAS = f'"{KEY}": "C:\\\\Python39\\\\python.exe"'

ADDED = {
    "plain": ('{\n    "a": 1\n}\n', f'{{\n    "a": 1,\n    {LINE}\n}}\n'),
    "trailing-comma": ('{\n  "a": 1,\n}\n', f'{{\n  "a": 1,\n  {LINE},\n}}\n'),
    "comment-after-last": ('{\n\t"a": 1 // one\n}', f'{{\n\t"a": 1, // one\n\t{LINE}\n}}'),
    "comment-line-last": (
        '{\n  "a": 1\n  // "b": 2\n  /* c */\n}\n',
        f'{{\n  "a": 1,\n  // "b": 2\n  /* c */\n  {LINE}\n}}\n',
    ),
    "comma-then-comment": (
        '{\n  "a": 1, // why\n  // more\n}\n',
        f'{{\n  "a": 1, // why\n  // more\n  {LINE},\n}}\n',
    ),
    "crlf": ('{\r\n    "a": 1\r\n}\r\n', f'{{\r\n    "a": 1,\r\n    {LINE}\r\n}}\r\n'),
    "lone-cr": ('{\r  "a": 1\r}', f'{{\r  "a": 1,\r  {LINE}\r}}'),
    "mark": ('\ufeff{\n\t"a": 1\n}', f'\ufeff{{\n\t"a": 1,\n\t{LINE}\n}}'),
    "one-line": ('{"a": 1}', f'{{"a": 1, {LINE}}}'),
    "one-line-comma": ('{ "a": 1, }', f'{{ "a": 1, {LINE}, }}'),
    "one-line-comment": ('{"a": 1 /* x */ }', f'{{"a": 1, /* x */ {LINE} }}'),
    "empty-object": ("{}", f"{{\n    {LINE}\n}}"),
    "empty-with-space": ("{ }\n", f"{{\n    {LINE}\n}}\n"),
    "empty-broken": ("{\n}\n", f"{{\n    {LINE}\n}}\n"),
    "only-comment-inside": ("{\n  // nothing\n}\n", f"{{\n  // nothing\n  {LINE}\n}}\n"),
    "empty-file": ("", f"{{\n    {LINE}\n}}\n"),
    "blank-file": ("\n\n", f"{{\n    {LINE}\n}}\n"),
    "only-mark": ("\ufeff", f"\ufeff{{\n    {LINE}\n}}\n"),
    "comment-file": ("// mine", f"// mine\n{{\n    {LINE}\n}}\n"),
    "braces-in-strings": ('{\n  "a": "} // \\" /*"\n}', f'{{\n  "a": "}} // \\" /*",\n  {LINE}\n}}'),
    "key-in-comment": (f"{{\n  // {WAS}\n}}", f"{{\n  // {WAS}\n  {LINE}\n}}"),
    "key-deeper": (
        f'{{\n  "[python]": {{\n    {WAS}\n  }}\n}}',
        f'{{\n  "[python]": {{\n    {WAS}\n  }},\n  {LINE}\n}}',
    ),
    "brace-on-line": ('{ "a": [\n1,\n], }', f'{{ "a": [\n1,\n],\n    {LINE}, }}'),
    "chinese": ('{\n  "名": "值",\n  // 注释\n}', f'{{\n  "名": "值",\n  // 注释\n  {LINE},\n}}'),
}
REPLACED = {
    "replaced": (f'{{\n  {WAS}, // old\n  "b": [1, 2,],\n}}', f'{{\n  {LINE}, // old\n  "b": [1, 2,],\n}}'),
    "comment-before-value": (
        f'{{"{KEY}" /* a */ : // b\n "x"}}',
        f'{{"{KEY}" /* a */ : // b\n "{VALUE}"}}',
    ),
    "null": (f'{{"{KEY}": null}}', f"{{{LINE}}}"),
    "an-object": (f'{{"{KEY}": {{"x": 1}}, "b": 2}}', f'{{{LINE}, "b": 2}}'),
    "the-last-counts": (f'{{{WAS}, "b": 1, {WAS}}}', f'{{{WAS}, "b": 1, {LINE}}}'),
    "escaped-key": (
        '{"python\\u002edefaultInterpreterPath": ""}',
        f'{{"python\\u002edefaultInterpreterPath": "{VALUE}"}}',
    ),
}


@pytest.mark.parametrize(("before", "after"), [*ADDED.values(), *REPLACED.values()], ids=[*ADDED, *REPLACED])
def test_one_key_changes_and_nothing_else(before: str, after: str) -> None:
    assert changed(before, (KEY,), VALUE, "\n") == after
    assert found(after, (KEY,)) == VALUE
    assert changed(after, (KEY,), VALUE, "\n") == after


@pytest.mark.parametrize(("before", "after"), ADDED.values(), ids=list(ADDED))
def test_adding_only_inserts(before: str, after: str) -> None:
    edits = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    lost = "".join(before[a:b] for kind, a, b, _, _ in edits if kind in {"delete", "replace"})
    assert not lost.strip()


BAD = {
    "single-quotes": ("{'a': 1}", 1, 2, "expected-key"),
    "no-comma": ('{\n  "a": 1\n  "b": 2\n}', 3, 3, "expected-comma"),
    "no-colon": ('{\r\n  "a" 1\r\n}', 2, 7, "expected-colon"),
    "no-value": ('{"a": }', 1, 7, "expected-value"),
    "open-string": ('{"a": "b\n}', 1, 7, "open"),
    "open-comment": ('{"a": 1} /* x', 1, 10, "open"),
    "open-object": ('{"a": 1', 1, 8, "open"),
    "open-after-comma": ('{"a": 1,', 1, 9, "open"),
    "two-commas": ('{"a": 1,, "b": 2}', 1, 9, "expected-key"),
    "only-comma": ("{,}", 1, 2, "expected-key"),
    "after-end": ('{"a": 1}\n}', 2, 1, "after"),
    "python-true": ('{"a": True}', 1, 7, "expected-value"),
    "hex": ('{"a": 0x1}', 1, 7, "expected-value"),
    "bad-escape": ('{"a": "C:\\Python39"}', 1, 7, "open"),
    "merge-mark": ('{\n<<<<<<< HEAD\n"a": 1\n}', 2, 1, "expected-key"),
    "mark-counts-as-a-character": ("\ufeff{'a': 1}", 1, 3, "expected-key"),
    "nested-too-deep": ("[" * 200 + "]" * 200, 1, 102, "deep"),
}


@pytest.mark.parametrize(("text", "line", "column", "fault"), BAD.values(), ids=list(BAD))
def test_what_is_not_valid_is_refused_with_its_place(text: str, line: int, column: int, fault: str) -> None:
    with pytest.raises(BadJsonc) as refused:
        changed(text, (KEY,), VALUE, "\n")
    assert (refused.value.line, refused.value.column, refused.value.fault) == (line, column, fault)


@pytest.mark.parametrize("text", ["[]", '"a"', "1", '{"settings": []}'])
def test_settings_that_are_no_object_are_refused(text: str) -> None:
    with pytest.raises(NotAnObject):
        changed(text, ("settings", KEY) if "settings" in text else (KEY,), VALUE, "\n")


def test_a_workspace_file_gets_its_settings() -> None:
    before = '{\n\t"folders": [{"path": "."}], // one\n}\n'
    after = changed(before, ("settings", KEY), "/e/bin/python", "\n")
    assert after == (
        '{\n\t"folders": [{"path": "."}], // one\n\t"settings": {\n\t\t"'
        + KEY
        + '": "/e/bin/python"\n\t},\n}\n'
    )
    assert keys(after, ("settings",)) == (KEY,)


PIECES = st.sampled_from(["", " ", "\n", "\r\n", "  ", "\t", "/* c */", "// c\n", "/* } */", '// "k": {\r\n'])
PLAIN = st.sampled_from(["1", '"x"', "null", "[1, 2]", "[ ]", '{"n": 1}', "{}", '"//"', "-1.5e3"])


@settings(deadline=None)
@given(st.data())
def test_whatever_stands_between_stays(data: st.DataObject) -> None:
    def gap() -> str:
        return str(data.draw(PIECES))

    names = data.draw(st.lists(st.sampled_from("abcdef"), max_size=4, unique=True))
    members = [f'{gap()}"{name}"{gap()}:{gap()}{data.draw(PLAIN)}{gap()}' for name in names]
    comma = data.draw(st.sampled_from(["", ","])) + gap() if members else ""
    before = gap() + "{" + gap() + ",".join(members) + comma + "}" + gap()
    after = changed(before, (KEY,), VALUE, "\n")
    assert keys(after) == (*keys(before), KEY)
    assert found(after, (KEY,)) == VALUE
    assert re.findall(r"/\*.*?\*/", before) == re.findall(r"/\*.*?\*/", after)
    for name in names:
        assert _plain(after, name) == _plain(before, name)


def _plain(text: str, name: str) -> object:
    root = parse(text)
    assert root is not None
    member = root.member(name)
    assert member is not None
    return json.loads(text[member.value.start : member.value.end])
