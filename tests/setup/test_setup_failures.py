"""What uv says when it fails, as it was said (uv 0.13.9, 2026-11-30), and what we make of it."""

from __future__ import annotations

import json
from importlib import resources
from typing import get_args

import pytest

from trueup.report.say import LANGUAGES, say
from trueup.setup.errors import Kind
from trueup.setup.failures import QUOTED_LINES, by_way_of, explain, host, quoted, without_wheel

SAID = {
    "dns": """error: Request failed after 3 retries in 11.5s
  cause: Failed to fetch: http://no.such.host.invalid/simple/foo/
  cause: error sending request for url (http://no.such.host.invalid/simple/foo/)
  cause: client error (Connect)
  cause: dns error
  cause: error resolving DNS
  cause: failed to lookup address information: Name or service not known""",
    "proxy": """error: Request failed after 3 retries in 7.7s
  cause: error sending request for url (https://index.invalid/simple/foo/)
  cause: client error (Connect)
  cause: tunnel error: failed to create underlying connection
  cause: tcp connect error
  cause: Connection refused (os error 111)""",
    "offline": """error: Request failed after 3 retries in 10.3s
  cause: Failed to fetch: http://127.0.0.1:1/simple/iniconfig/
  cause: tcp connect error
  cause: Connection refused (os error 111)""",
    "hang": """error: Request failed after 3 retries in 24.1s
  cause: Failed to fetch: http://127.0.0.1:8123/hang/simple/foo/
  cause: operation timed out""",
    "server": """error: Request failed after 3 retries in 5.9s
  cause: HTTP status client error (429 Too Many Requests) for url (http://127.0.0.1:8123/429/simple/foo/)""",
    "not-an-index": """error: Unsupported `Content-Type` "application/json" for `http://127.0.0.1:8123/json/simple/foo/`. Expected JSON or HTML.""",
    "tls": """error: Failed to fetch: https://index.invalid/simple/foo/
  cause: client error (Connect)
  cause: invalid peer certificate: UnknownIssuer""",
    "disk-filled": """error: Failed to install: numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.whl (numpy==2.4.6)
  cause: Failed to copy to `/x/numpy.libs/libscipy_openblas64_-32a4b2a6.so`
  cause: failed to copy file from /c/a.so to /x/.tmp2DEShG: No space left on device (os error 28)""",
    "unwritable": """error: Failed to initialize cache at `/home/other/.cache/uv`
  cause: failed to create directory `/home/other/.cache/uv`: Permission denied (os error 13)""",
    "in-use": """error: Failed to install: foo
  cause: failed to remove file `C:\\x\\foo.dll`: The process cannot access the file because it is being used by another process. (os error 32)""",
    "conflict": """error: No solution found when resolving dependencies
  cause: Because you require numpy>=2 and numpy<2, we can conclude that your requirements are unsatisfiable.""",
    "no-wheel": """error: No solution found when resolving dependencies
  cause: Because termcolor==1.1.0 has no usable wheels and you require termcolor==1.1.0, we can conclude that your requirements are unsatisfiable.

hint: Wheels are required for `termcolor` because building from source is disabled for all packages (i.e., with `--no-build`)""",
    "unknown-package": """error: No solution found when resolving dependencies
  cause: Because tensorflooow was not found in the package registry and you require tensorflooow, we can conclude that your requirements are unsatisfiable.""",
    "bad-requirement": """error: Couldn't parse requirement in `requirements.in` at position 0
  cause: Expected one of `@`, `(`, `<`, `=`, `>`, `~`, `!`, `;`, found `f`""",
    "uv": "error: something that nobody has seen yet",
}


@pytest.mark.parametrize("kind", SAID)
def test_each_failure_is_told_apart_and_quoted(kind: str) -> None:
    error = explain("warning: something before\n" + SAID[kind])
    assert error.kind == kind
    assert error.quote.startswith("error:")
    for lang in LANGUAGES:
        assert error.quote in say(error.message, lang)


def test_package_and_host_are_named() -> None:
    assert explain(SAID["dns"]).message.params["host"] == "no.such.host.invalid"
    assert explain(SAID["no-wheel"]).message.params["what"] == "termcolor==1.1.0"
    assert explain(SAID["unwritable"]).message.params["what"] == "/home/other/.cache/uv"
    assert without_wheel(explain(SAID["no-wheel"])) == "termcolor"
    assert without_wheel(explain(SAID["conflict"])) is None


@pytest.mark.parametrize(
    ("said", "kind", "version"),
    [
        ("No interpreter found at path `/gone/bin/python`", "uv", None),
        ("No interpreter found for Python 3.10 in managed installations or search path", "python", "3.10"),
        ("No download found for request: cpython-3.8.99-linux-x86_64-gnu", "python", "3.8.99"),
    ],
)
def test_a_python_that_is_missing_has_its_words(said: str, kind: str, version: str | None) -> None:
    error = explain(f"error: {said}")
    assert error.kind == kind
    assert error.hint is not None
    for lang in LANGUAGES:
        assert said in say(error.message, lang)
        assert (version is None) == (f"Python {version}" not in say(error.hint, lang))


def test_login_in_an_address_is_not_shown_as_host() -> None:
    assert host("Failed to fetch: https://user:secret@index.invalid/simple/") == "index.invalid"


def test_proxy_in_between_is_named_without_its_login() -> None:
    env = {"https_proxy": "http://me:secret@proxy.invalid:8080"}
    assert (
        by_way_of(explain(SAID["hang"]), env).message.params["host"] == "proxy.invalid:8080 → 127.0.0.1:8123"
    )
    assert by_way_of(explain(SAID["hang"]), {}).message.params["host"] == "127.0.0.1:8123"
    assert by_way_of(explain(SAID["conflict"]), env).message.params["host"] == "-"


def test_long_talk_is_cut() -> None:
    assert len(quoted("error: a\n" + "  cause: b\n" * 99).splitlines()) == QUOTED_LINES


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_kind_has_words_and_a_way_out(lang: str) -> None:
    path = resources.files("trueup.report").joinpath("messages", lang, "setup.json")
    words = json.loads(path.read_text("utf-8"))
    for kind in get_args(Kind):
        assert words[kind]
        assert words[f"{kind}-hint"]
