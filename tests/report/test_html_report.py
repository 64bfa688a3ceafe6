"""The report: one page, two languages, nothing fetched, nobody named, replayable."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING

import axe
import jsonschema
import pytest
from html_pages import ENDED, GOOD, HOSTILE, PROOF, examined, hostile, plain, samples, tree, whole, world
from world import World

from trueup.cli.machine_file import read_document
from trueup.cli.main import run
from trueup.cli.report import without_host
from trueup.report.html import Material, as_page

if TYPE_CHECKING:
    from pathlib import Path

WIDE = {"meta", "rect", "line", "circle", "polyline", "path"}


class Outline(HTMLParser):
    """Elements that are open at each moment, headings, ids and the texts of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.headings: list[int] = []
        self.ids: list[str] = []
        self.names: set[str] = set()
        self.links: list[str] = []
        self.described: list[str] = []
        self.handlers: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        if tag not in WIDE:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        for name, value in attrs:
            self.ids += [value or ""] if name == "id" else []
            self.links += [value or ""] if name in ("href", "src", "action") else []
            self.described += [value or ""] if name == "aria-labelledby" else []
            self.handlers += [name] if name.startswith("on") or name == "style" else []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in WIDE:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag


@pytest.mark.parametrize("make", [whole, hostile, lambda: plain(GOOD)], ids=["whole", "hostile", "plain"])
def test_the_page_is_well_formed_and_fetches_nothing(make: object) -> None:
    assert callable(make)
    page = as_page(make(), "en")
    outline = Outline(page)
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))
    assert set(outline.described) <= set(outline.ids)
    assert all(link.startswith("#") and link[1:] in outline.ids for link in outline.links)
    assert outline.handlers == [], "nothing that the policy would forbid"
    assert not outline.names & {"link", "img", "iframe", "object", "embed", "form", "base", "audio", "video"}
    assert not re.search(
        r"url\(|@import|fetch\(|XMLHttp|http://|https://", page.partition('id="trueup-machine"')[0]
    )


def test_headings_are_in_order() -> None:
    headings = Outline(as_page(whole(), "en")).headings
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(headings))


@pytest.mark.parametrize(
    ("lang", "tag", "title"), [("en", "en", "not in line"), ("zh_CN", "zh-CN", "未就绪")]
)
def test_it_opens_in_the_language_asked_and_holds_both(lang: str, tag: str, title: str) -> None:
    page = as_page(whole(), lang)
    assert f'<html lang="{tag}" data-lang="{tag}"' in page
    assert re.search(f"<title>[^<]*{title}[^<]*</title>", page)
    assert "on native Windows TensorFlow has no GPU support after 2.10" in page
    assert "在原生 Windows 上" in page


def test_scripts_and_styles_are_those_of_the_policy() -> None:
    import base64
    import hashlib

    page = as_page(plain(GOOD), "en")
    for tag in ("style", "script"):
        body = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert body is not None
        digest = base64.b64encode(hashlib.sha256(body[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in page
    assert page.count("<script") == 2


def test_every_name_is_escaped() -> None:
    page = as_page(hostile(), "en")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert page.count("</script>") == 2, "no text ends the recording or the script"
    assert HOSTILE not in page


def test_the_machine_inside_is_the_machine(tmp_path: Path) -> None:
    for number, material in enumerate((plain(ENDED), hostile())):
        path = tmp_path / f"{number}.html"
        path.write_text(as_page(material, "en"), "utf-8")
        assert read_document(str(path)) == material.machine


def test_a_report_is_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recorded = tmp_path / "machine.json"
    recorded.write_text(json.dumps(examined(world(ENDED))[1]), "utf-8")
    assert run(["report", "--machine", "machine.json", "-o", "one.html", "--lang", "en"]) == 0
    assert "written to `one.html`" in capsys.readouterr().out
    assert run(["check", "--machine", "one.html", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["cause"]["id"] == "tf-windows-gpu-ended-at-2-10"
    assert run(["report", "--machine", "one.html", "-o", "two.html", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    schema = resources.files("trueup.report").joinpath("schemas", "report-1.json").read_text("utf-8")
    jsonschema.validate(told, json.loads(schema))
    assert (told["outcome"], told["cause"]) == ("not-aligned", "tf-windows-gpu-ended-at-2-10")
    assert told["bytes"] == (tmp_path / "two.html").stat().st_size < 400_000


def test_the_root_cause_is_marked_in_its_layer() -> None:
    page = as_page(plain(ENDED), "en")
    boxes = re.findall(r'<g class="(box [^"]*)">(.*?)</g>', page, re.DOTALL)
    caused = [inner for kind, inner in boxes if "cause" in kind]
    assert len(caused) == 1
    assert "framework" in caused[0]
    assert "root cause" in caused[0]
    assert "根本原因" in caused[0]
    assert "root cause" not in "".join(re.findall(r"<g .*?</g>", as_page(plain(GOOD), "en"), re.DOTALL))


def test_nobody_is_named() -> None:
    page = as_page(whole(), "en")
    assert "Jane" not in page
    assert "C:\\Users\\user name\\.venv" in page, "a path keeps its shape"
    host = {"a": ["DESKTOP-42 said", {"b": "no DESKTOP-421", "c": 1}], "d": None}
    assert without_host(host, "desktop-42") == {
        "a": ["computer said", {"b": "no DESKTOP-421", "c": 1}],
        "d": None,
    }
    assert without_host(host, "") == host


def test_what_names_a_person_or_a_card_is_nowhere_in_the_page() -> None:
    text = json.dumps(dict(world(GOOD).data)).replace("C:\\\\Users\\\\user", "C:\\\\Users\\\\Zoe")
    data = json.loads(text)
    data["nvml"]["devices"][0]["uuid"] = "GPU-12345678-aaaa-bbbb-cccc-1234567890ab"
    data["env"].update({"CUDA_CACHE_PATH": "C:\\Users\\Zoe\\c", "NVIDIA_X": "https://bob:pw@host/x"})
    checkup, document = examined(World(data))
    proof = {**PROOF, "last_lines": ["api_key=SEKRET", "/home/zoe/x", "C:\\Users\\Zoe\\y"]}
    page = as_page(Material(checkup, document, "now", proof=proof), "en")
    assert [name for name in ("Zoe", "zoe", "aaaa-bbbb", "SEKRET", "bob:pw") if name in page] == []


def test_the_proof_is_plotted_with_its_numbers() -> None:
    page = as_page(whole(), "en")
    for ident in ("proof-loss", "proof-accuracy", "proof-seconds"):
        assert f'id="{ident}"' in page
        assert f'aria-labelledby="{ident}"' in page
    assert page.count('class="bar first"') == 3
    assert page.count('class="bar second"') == 1


def test_unknown_is_a_gap_not_a_zero() -> None:
    page = as_page(whole(), "en")
    power = page.partition('id="watch-0-power_w"')[2].partition("</figure>")[0]
    assert power.count("<polyline") == 2
    busy = page.partition('id="watch-0-busy"')[2].partition("</figure>")[0]
    assert busy.count("<polyline") == 2, "two lines without gaps"


def test_the_tree_names_what_is_missing() -> None:
    material = whole()
    page = as_page(material, "en")
    broken = page.partition('id="loader"')[2].partition("<details>")[0]
    assert "cudnn64_8.dll" in broken
    assert "nvinfer.dll" not in broken, "a feature alone is lost without it"
    assert len(tree().nodes) == 5


def test_a_watch_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "machine.json").write_text(json.dumps(examined(world(GOOD))[1]), "utf-8")
    lines = [json.dumps(one) for one in samples()]
    (tmp_path / "log.jsonl").write_text("\n".join([*lines, "{cut", '{"schema": "other"}', "[]"]), "utf-8")
    command = ["report", "--machine", "machine.json", "--lang", "en"]
    assert run([*command, "--watch-log", "log.jsonl"]) == 0
    page = (tmp_path / "trueup-report.html").read_text("utf-8")
    assert "3 lines of the log are no samples" in page
    assert "200 samples over 3.3 minutes" in page
    capsys.readouterr()
    (tmp_path / "empty.jsonl").write_text("", "utf-8")
    for name, told in (("empty.jsonl", "has no line of `trueup watch`"), ("none.jsonl", "could not be read")):
        assert run([*command, "--watch-log", name]) == 2
        err = capsys.readouterr().err
        assert told in err
        assert "`trueup watch --log watch.jsonl` writes one" in err


def test_this_very_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["report", "--lang", "zh"]) == 0
    page = (tmp_path / "trueup-report.html").read_text("utf-8")
    assert '<html lang="zh-CN"' in page
    Outline(page)


def test_what_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded = tmp_path / "machine.json"
    recorded.write_text(json.dumps(examined(world(GOOD))[1]), "utf-8")
    nowhere = str(tmp_path / "none" / "page.html")
    assert run(["report", "--machine", str(recorded), "-o", nowhere, "--lang", "en"]) == 2
    err = capsys.readouterr().err
    assert "could not be written" in err
    assert "hint: " in err


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(not axe.FOUND, reason="chromium, and axe.min.js at TRUEUP_AXE")
@pytest.mark.parametrize("lang", ["en", "zh-CN"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_fault(theme: str, lang: str, tmp_path: Path) -> None:
    answer = axe.examine(as_page(whole(), "en"), tmp_path, theme=theme, lang=lang)
    assert answer["violations"] == []
    assert answer["passes"] > 20
    assert answer["lang"] == lang
    assert ("255" in answer["back"]) == (theme == "light")
