"""Locks made with the real uv from an index that is good, and from indexes that are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fake_index import WHEELS, sha256
from made import alignment_of, build_of, question_of

from trueup import setup
from trueup.plan.request import Index, LockRequest
from trueup.report.say import LANGUAGES, say
from trueup.setup.locking import project
from trueup.setup.toml import loads

if TYPE_CHECKING:
    from collections.abc import Callable


def test_lock_pins_every_file_with_its_hash(mood: Callable[[str], None]) -> None:
    mood("good")
    question = question_of()
    lock = setup.lock(question)
    assert {(p.name, p.version) for p in lock.packages} == {("foo", "1.0"), ("pip", "26.0")}
    for package in lock.packages:
        assert package.artifact.sha256 == sha256(WHEELS[package.artifact.filename])
    assert lock.request_id == question.id
    assert setup.read_lock(lock.text, question) == lock


def test_lock_is_the_same_wherever_it_is_made_for(mood: Callable[[str], None]) -> None:
    mood("good")
    there = LockRequest("3.9", "windows", "x86_64", None, ("foo==2.0",), ())
    lock = setup.lock(there)
    assert loads(lock.text)["tool"]["trueup"]["target"] == "x86_64-pc-windows-msvc"
    assert lock.packages[0].artifact.filename == "foo-2.0-py3-none-any.whl"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("portal", "not-an-index"),
        ("404", "unknown-package"),
        ("500", "server"),
        ("401", "refused"),
        ("403", "refused"),
        ("hang", "hang"),
        ("wheel-404", "not-found"),
        ("wheel-portal", "broken-file"),
    ],
)
def test_bad_index_is_told_for_what_it_is(mood: Callable[[str], None], name: str, kind: str) -> None:
    mood(name)
    with pytest.raises(setup.SetupError) as caught:
        setup.lock(question_of())
    assert caught.value.kind == kind
    assert caught.value.quote.startswith("error:")
    for lang in LANGUAGES:
        assert caught.value.quote in say(caught.value.message, lang)
        assert caught.value.hint is not None
        assert say(caught.value.hint, lang)


def test_conflict_names_the_users_own_wish(mood: Callable[[str], None]) -> None:
    mood("good")
    wish = alignment_of(build_of("foo", "1.0"), build_of("bar", "1.0"), caps=("foo>=2",))
    with pytest.raises(setup.SetupError) as caught:
        setup.lock(question_of(wish))
    assert caught.value.kind == "conflict"
    assert caught.value.message.params["what"] == "foo==1.0"


def test_index_of_a_framework_is_asked_for_nothing_else(
    mood: Callable[[str], None], index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("good")
    own = Index("torch-0", f"{index}/good2/simple", ("foo", "torchvision"))
    question = LockRequest("3.11", "linux", "x86_64", 36, ("foo==1.0", "bar"), (), (own,))
    assert "torchvision" not in project(question)
    monkeypatch.setenv("UV_DEFAULT_INDEX", f"{index}/good/simple")
    addresses = {p.name: p.artifact.url for p in setup.lock(question).packages}
    assert addresses["foo"].startswith(f"{index}/good2/")
    assert addresses["bar"].startswith(f"{index}/good/")
    named = {p["name"]: p["index"] for p in loads(setup.lock(question).text)["packages"]}
    assert named == {"foo": own.url, "bar": f"{index}/good/simple"}


def test_folder_of_the_user_does_not_colour_the_lock(
    mood: Callable[[str], None], tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    mood("good")
    monkeypatch.chdir(str(tmp_path))
    with open("pyproject.toml", "w", encoding="utf-8") as file:  # noqa: PTH123  # in the current folder
        file.write('[tool.uv]\nconstraint-dependencies = ["foo<1"]\n')
    monkeypatch.setenv("UV_CONSTRAINT", "nowhere.txt")
    assert setup.lock(question_of()).packages[0].version == "1.0"


def test_version_that_a_mirror_lacks_is_not_taken_for_a_login_page(mood: Callable[[str], None]) -> None:
    mood("good")
    with pytest.raises(setup.SetupError) as caught:
        setup.lock(question_of(alignment_of(build_of("foo", "9.9"))))
    assert caught.value.kind == "no-version"
    assert caught.value.message.params["what"] == "foo==9.9"


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({}, True),
        ({"UV_INDEX": "{index}/good3/simple"}, False),  # then nobody says which index a package came from
        ({"UV_DEFAULT_INDEX": "http://me:secret@{host}/good/simple"}, False),
    ],
)
def test_index_is_named_where_it_is_certain_and_no_secret(
    mood: Callable[[str], None],
    index: str,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str],
    named: bool,
) -> None:
    mood("good")
    for key, value in settings.items():
        monkeypatch.setenv(key, value.format(index=index, host=index.removeprefix("http://")))
    text = setup.lock(question_of()).text
    assert "secret" not in text
    assert all(("index" in package) is named for package in loads(text)["packages"])
