from __future__ import annotations

import base64
import io
import os
import urllib.request
from http.client import HTTPMessage
from typing import TYPE_CHECKING

import pytest
from make_pe import PeMaker
from make_wheel import wheel
from served import JSON, Manner, index

from trueup.facts.harvest.client import Client, SafeRedirects, proxies
from trueup.facts.harvest.index import Index
from trueup.facts.harvest.refuse import Refused
from trueup.facts.harvest.run import asked, from_index, offers, one_each

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.facts.harvest.run import Outcome

PAD = {"tensorflow/python/platform/build_info.py": b"build_info = {'is_cuda_build': False}\n", "pad.bin": b""}


def harvest(files: dict[str, bytes], manner: Manner, seconds: float = 5) -> Outcome:
    with index(files, manner) as address:
        place = Index(address, Client(seconds=seconds))
        return from_index(place, offers(place, "tensorflow"), deep=False, tell=lambda _: None)


def large(size: int = 4 << 20) -> dict[str, bytes]:
    name, content = wheel(members={**PAD, "pad.bin": os.urandom(size)})
    return {name: content}


def test_ranges_bring_a_fraction_of_a_wheel() -> None:
    files, manner = large(), Manner()
    outcome = harvest(files, manner)
    assert [row["build"]["is_cuda"] for row in outcome.rows] == [False]
    assert manner.sent < 300_000
    assert all(span for path, span in manner.asked if path.startswith("/files/"))


def test_binaries_are_read_by_ranges_too() -> None:
    name, content = wheel(
        members={**PAD, "tensorflow/x.pyd": PeMaker(imports={"cudart.dll": ["f"]}).content()}
    )
    with index({name: content}, Manner()) as address:
        place = Index(address, Client(seconds=5))
        (row,) = from_index(place, offers(place, "tensorflow"), deep=True, tell=lambda _: None).rows
    assert [(b["member"], b["needs"]) for b in row["binaries"]] == [("tensorflow/x.pyd", ["cudart.dll"])]


@pytest.mark.parametrize("html", [False, True])
def test_a_server_without_ranges_gives_the_same_row(html: bool) -> None:
    files = large(200_000)
    whole = harvest(files, Manner(ranges=False, html=html)).rows
    assert whole == harvest(files, Manner()).rows
    assert whole[0]["sha256"]


def test_a_wrong_hash_of_a_whole_wheel_is_refused() -> None:
    outcome = harvest(large(1000), Manner(ranges=False, wrong_hash=True))
    assert ([r.reason for r in outcome.refused], outcome.rows) == (["wrong-hash"], [])


def test_html_where_json_was_asked() -> None:
    name, content = wheel()
    assert len(harvest({name: content}, Manner(html=True)).rows) == 1


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (b"<html>log in first</html>", JSON),
        (b'{"meta": {"api-version": "2.0"}, "files": []}', JSON),
        (b'{"meta": {"api-version": "1.0"}, "files": [{"filename": "x.whl"}]}', JSON),
        (b'{"meta": {"api-version": "1.0"}, "files": [3]}', JSON),
        (b"[]", JSON),
        (b"\xff\xfe", JSON),
    ],
)
def test_a_page_that_is_no_index_is_refused(page: bytes, kind: str) -> None:
    with pytest.raises(Refused) as caught:
        harvest({}, Manner(page=page, page_type=kind))
    assert caught.value.reason == "index-answer"


def test_a_page_of_something_else_offers_nothing() -> None:
    with index({}, Manner(page=b"<html><a href='/login'>log in</a>", page_type="text/html")) as address:
        place = Index(address, Client(seconds=5))
        assert offers(place, "tensorflow") == ()
        with pytest.raises(Refused) as caught:
            asked(place, "tensorflow")
    assert caught.value.reason == "no-release"


def test_a_cut_wheel_is_refused() -> None:
    name, content = wheel()
    outcome = harvest({name: content[: len(content) // 2]}, Manner())
    assert [r.reason for r in outcome.refused] == ["broken-zip"]


def test_a_cut_connection_is_refused() -> None:
    with pytest.raises(Refused) as caught:
        harvest(large(1000), Manner(cut=True))
    assert caught.value.reason == "index-unreachable"


def test_a_file_that_changes_between_two_ranges_is_refused() -> None:
    files = large()
    manner = Manner()
    with index(files, manner) as address:
        place = Index(address, Client(seconds=5))
        (offer,) = offers(place, "tensorflow")
        with place.open(offer.file) as open_wheel_:
            manner.tag = '"2"'
            with pytest.raises(Refused) as caught:
                open_wheel_.text("tensorflow/python/platform/build_info.py")
    assert caught.value.reason == "changed-meanwhile"


def test_a_silent_server_is_left_after_the_time_out() -> None:
    with pytest.raises(Refused) as caught:
        harvest({}, Manner(silent=1.0), seconds=0.2)
    assert caught.value.reason == "index-too-slow"


def test_a_dripping_server_is_left_after_the_time_out() -> None:
    with pytest.raises(Refused) as caught:
        harvest(large(1000), Manner(drip=0.05), seconds=0.4)
    assert caught.value.reason == "index-too-slow"


def test_no_server_at_all() -> None:
    with index({}, Manner()) as address:
        gone = address
    with pytest.raises(Refused) as caught:
        offers(Index(gone, Client(seconds=2)), "tensorflow")
    assert caught.value.reason == "index-unreachable"
    assert caught.value.hint is not None


def test_an_unknown_project_is_named() -> None:
    with index({}, Manner()) as address, pytest.raises(Refused) as caught:
        offers(Index(address, Client(seconds=5)), "tensorflaw")
    assert caught.value.reason == "no-project"
    assert "tensorflaw" in str(caught.value.message.params["what"])


def test_credentials_go_to_their_host_only_and_into_no_message() -> None:
    login = "Basic " + base64.b64encode(b"me:s@cret").decode()
    name, content = wheel()
    with index({name: content}, Manner(login=login)) as address:
        secret = address.replace("http://", "http://me:s%40cret@")
        with index(
            {}, other := Manner(redirect=secret.replace("me:s%40cret@", "") + "/tensorflow/")
        ) as elsewhere:
            away = Index(elsewhere.replace("http://", "http://me:s%40cret@"), Client(elsewhere, seconds=5))
            with pytest.raises(Refused) as caught:
                offers(away, "tensorflow")
        assert len(offers(Index(secret, Client(secret, seconds=5)), "tensorflow")) == 1
    assert caught.value.reason == "index-answer"  # 401: nothing was sent to the second host
    assert "cret" not in str(caught.value.message.params)
    assert len(other.asked) == 1


def test_a_redirect_out_of_http_is_refused() -> None:
    with index({}, Manner(redirect="file:///etc/passwd")) as address, pytest.raises(Refused) as caught:
        offers(Index(address, Client(seconds=5)), "tensorflow")
    assert caught.value.reason in {"index-answer", "index-unreachable"}


def test_a_redirect_that_drops_encryption_is_refused() -> None:
    request = urllib.request.Request("https://h/simple/")
    with pytest.raises(Refused) as caught:
        SafeRedirects().redirect_request(request, io.BytesIO(), 302, "", HTTPMessage(), "http://h/simple/")
    assert caught.value.reason == "index-answer"


def test_one_proxy_for_all_schemes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert proxies({"ALL_PROXY": "http://p:1"}) == {"http": "http://p:1", "https": "http://p:1"}
    monkeypatch.setenv("https_proxy", "http://q:2")
    assert proxies({"ALL_PROXY": "http://p:1"})["https"] == "http://q:2"


def test_a_file_of_certificates_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        Client(environment={"SSL_CERT_FILE": str(tmp_path / "none.pem")})
    assert caught.value.reason == "index-unreachable"


def test_what_is_asked_for() -> None:
    names = ["2.9.3-cp39-cp39", "2.10.1-cp39-cp39", "2.10.1-cp310-cp310", "2.11.0rc1-cp310-cp310"]
    files = {f"tensorflow-{n}-win_amd64.whl": b"" for n in names} | {
        "tensorflow-2.10.1.tar.gz": b"",
        "odd.whl": b"",
    }
    with index(files, Manner()) as address:
        place = Index(address, Client(seconds=5))
        newest = [o.file.name for o in asked(place, "TensorFlow")]
        exact = [str(o.version) for o in asked(place, "tensorflow==2.9.*")]
        one = [o.file.name for o in one_each(asked(place, "tensorflow"))]
        with pytest.raises(Refused):
            asked(place, "tensorflow>=3")
        with pytest.raises(Refused):
            asked(place, "tensor flow")
    assert newest == [f"tensorflow-2.10.1-{p}-{p}-win_amd64.whl" for p in ("cp310", "cp39")]
    assert exact == ["2.9.3"]
    assert one == ["tensorflow-2.10.1-cp310-cp310-win_amd64.whl"]
