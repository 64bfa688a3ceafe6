"""Names in bundles: whatever could be another file on another system is refused."""

from __future__ import annotations

import pytest

from trueup.setup.bundle import names
from trueup.setup.bundle.errors import BundleError


@pytest.mark.parametrize(
    "name",
    [
        "", "/etc/passwd", "../x", "a/../b", "a//b", "./a", "a/.", "C:/x", "C:x", "a\\b", "..\\x", "a:stream",
        "a\0b", "a\nb", "nul", "NUL.txt", "x/com1", "LPT9.whl", "con.tar.gz", "a.", "a ", "b./c", "*", "a?", "x" * 201,
    ],
)  # fmt: skip
def test_name_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(BundleError) as caught:
        names.check(name)
    assert caught.value.kind == "bad-name"


@pytest.mark.parametrize(
    "name", ["a", "wheels/foo-1.0+cu118-py3-none-any.whl", "locks/工作站/pylock.toml", ".x", "a..b"]
)
def test_ordinary_name_is_taken(name: str) -> None:
    assert names.check(name) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [("a/b", "A/b"), ("x.whl", "X.WHL"), ("é", "e\u0301"), ("straße", "STRASSE"), ("dir/x", "DIR/y")],
)
def test_two_names_of_one_file_are_refused(one: str, other: str) -> None:
    with pytest.raises(BundleError) as caught:
        names.check_all([one, other])
    assert caught.value.kind == "same-name"


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "C:x", "a\\..\\x", ""])
def test_member_of_a_python_stays_inside(name: str) -> None:
    with pytest.raises(BundleError):
        names.check_inside(name)
