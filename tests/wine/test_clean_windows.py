"""`trueup clean` on Windows Python: registry entries, variables and folders go and come back whole."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from winehost import Wine, windows

KEEP = Path(__file__).parents[1] / "keep"
sys.path.insert(0, str(KEEP))
from leftovers import fill, tree  # noqa: E402  # lies beside the tests of keep

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

pytestmark = pytest.mark.wine
PROBE = Path(__file__).with_name("keep_probe.py")
SOURCE = windows(PROBE.parents[2] / "src")
KEYS = ("HKCU\\Software\\Python", "HKCU\\Environment")


class Here:
    """A user's folders, and trueup run in them."""

    def __init__(self, wine: Wine, folder: Path) -> None:
        self.wine, self.folder = wine, folder
        self.home = folder / "用户 home"
        (self.home / "Local").mkdir(parents=True)

    def probe(self, act: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
        variables = {
            "TRUEUP_USERPROFILE": windows(self.home),
            "TRUEUP_LOCALAPPDATA": windows(self.home / "Local"),
            "TRUEUP_APPDATA": windows(self.home / "Roaming"),
            "PYTHONPATH": SOURCE,
            "PYTHONUTF8": "1",
        }
        return self.wine.py(PROBE, act, self.folder, *words, timeout=900, **variables)

    def data(self, *words: str) -> dict[str, Any]:
        done = self.probe("run", *words, "--json")
        assert done.returncode in (0, 1), done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def exported(self) -> list[bytes]:
        texts = []
        for key in KEYS:
            target = self.folder / "export.reg"
            done = self.wine.run("reg", "export", key, target, "/y", timeout=600)
            assert done.returncode == 0, done.stdout + done.stderr
            texts.append(target.read_bytes())
        return texts


@pytest.fixture
def here(wine: Wine, tmp_path: Path) -> Iterator[Here]:
    made = Here(wine, tmp_path)
    assert made.probe("save").returncode == 0
    yield made
    assert made.probe("restore").returncode == 0


def of_kind(answer: dict[str, Any], kind: str, part: str = "") -> dict[str, Any]:
    found: list[dict[str, Any]] = [x for x in answer["items"] if x["kind"] == kind and part in x["name"]]
    assert len(found) == 1, answer["items"]
    return found[0]


def test_registry_entries_and_variables_go_and_come_back_to_the_byte(here: Here) -> None:
    values = here.folder / "values.json"
    gone = {"CUDA_PATH": [1, "C:\\gone\\CUDA\\v11.2\0"], "CUDA_PATH_V11_2": [2, "%USERPROFILE%\\x\0"]}
    values.write_text(json.dumps(gone), "utf-8")
    assert here.probe("python").returncode == 0
    assert here.probe("put", values).returncode == 0
    before = here.exported()
    answer = here.data("clean")
    key, variable = of_kind(answer, "python-key", "3.7-测试"), of_kind(answer, "variable", "CUDA_PATH")
    assert (key["offered"], variable["offered"]) == (True, True)
    assert here.exported() == before, "a list changes nothing"
    for moment in ("2", "5", "11", "9999"):
        done = here.probe("kill", moment, "clean", key["item"], variable["item"], "--apply", "--yes")
        assert done.returncode == (0 if moment == "9999" else 9), done.stderr
        if moment == "9999":
            assert "3.7-测试" not in here.exported()[0].decode("utf-16")
        assert here.probe("run", "undo", "--yes").returncode == 0
        assert here.exported() == before


def test_a_rest_of_a_python_is_moved_whole_and_comes_back(here: Here) -> None:
    folder = here.home / "Local" / "Programs" / "Python" / "Python39"
    record = "x/__init__.py,,6\nx-1.0.dist-info/RECORD,,\n../../Scripts/x.exe,,1\n"
    packages = {"x/__init__.py": "x = 1\n", "x-1.0.dist-info/RECORD": record}
    fill(folder / "Lib" / "site-packages", packages)
    fill(folder, {"Scripts/x.exe": "M", "Scripts/pip3.9.exe": "M", "Lib/os.py": "#"})
    (folder / "Lib" / "os.py").chmod(0o444)
    before = tree(here.home)
    item = of_kind(here.data("clean"), "python", "Python39")
    assert (item["sure"], item["own"], item["offered"]) == ("likely", [], True)
    applied = here.data("clean", item["item"], "--apply", "--yes")
    assert of_kind(applied, "python")["result"] == "taken"
    assert not folder.exists()
    assert here.probe("run", "undo", "--yes").returncode == 0
    assert tree(here.home) == before
    fill(folder, {"我的 实验.ipynb": "{}", "Lib/site-packages/train.py": "mine"})
    item = of_kind(here.data("clean"), "python", "Python39")
    assert sorted(item["own"]) == ["Lib/site-packages/train.py", "我的 实验.ipynb"]
    assert not item["offered"]
    assert here.data("clean", "--all", "--apply", "--yes")["mode"] in ("nothing", "applied")
    assert (folder / "我的 实验.ipynb").is_file()


def test_the_trash_is_emptied_with_read_only_files(here: Here) -> None:
    folder = fill(
        here.home / "Local" / "Programs" / "Python" / "Python38", {"Lib/os.py": "#", "Lib/ast.py": "#"}
    )
    (folder / "Lib" / "os.py").chmod(0o444)
    item = of_kind(here.data("clean"), "python", "Python38")
    assert of_kind(here.data("clean", item["item"], "--apply", "--yes"), "python")["result"] == "taken"
    emptied = here.data("clean", "--empty-trash", "--yes")
    assert [(row["failed"], Path(row["path"]).exists()) for row in emptied["trash"]] == [(None, False)]
    assert not folder.exists()
    assert list((here.folder / "trueup-trash").glob("*")) == []
