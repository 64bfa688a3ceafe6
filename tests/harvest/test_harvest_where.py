from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trueup.facts.harvest.refuse import Refused
from trueup.facts.harvest.where import Configured, configured, pip_files

if TYPE_CHECKING:
    from collections.abc import Mapping

OWN = "https://default.example/simple"


def uv(arguments: list[str], environment: Mapping[str, str]) -> str:
    """Answer as uv does: what is configured, unless it is told to look at nothing."""
    asked = None if "--no-config" in arguments else environment.get("UV_DEFAULT_INDEX")
    return f"--index-url {asked or OWN}\n--extra-index-url https://other.example/simple\n"


def pip_conf(folder: Path, text: str) -> tuple[Path, ...]:
    file = folder / "pip.conf"
    file.write_text(text)
    return (folder / "none.conf", file)


def test_uv_before_pip_before_the_default(tmp_path: Path) -> None:
    files = pip_conf(tmp_path, "[global]\nindex-url = https://pip.example/simple\n")
    with_uv = {"UV_DEFAULT_INDEX": "https://uv.example/simple", "PIP_INDEX_URL": "https://env.example/simple"}
    assert configured(with_uv, files, uv) == Configured("https://uv.example/simple", "uv")
    assert configured({"PIP_INDEX_URL": "https://env.example/simple"}, files, uv).address.startswith(
        "https://env"
    )
    assert configured({}, files, uv) == Configured("https://pip.example/simple", "pip")
    assert configured({}, (), uv) == Configured(OWN, "uv-default")


def test_settings_of_pip_that_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    assert configured({}, pip_conf(tmp_path, "no section\n"), uv).by == "uv-default"
    assert configured({}, pip_conf(tmp_path, "[list]\nindex-url = x\n"), uv).by == "uv-default"


def test_nothing_names_an_index() -> None:
    with pytest.raises(Refused) as caught:
        configured({}, (), lambda _a, _e: "")
    assert caught.value.reason == "no-index"
    assert caught.value.hint is not None


def test_where_pip_keeps_its_settings() -> None:
    linux = pip_files({"HOME": "/home/me", "VIRTUAL_ENV": "/venv"}, windows=False)
    assert linux[-2:] == (Path("/home/me/.config/pip/pip.conf"), Path("/venv/pip.conf"))
    windows = pip_files({"APPDATA": "C:/Users/me/AppData/Roaming"}, windows=True)
    assert windows == (Path("C:/Users/me/AppData/Roaming/pip/pip.ini"),)
    assert pip_files({"PIP_CONFIG_FILE": "/x.conf", "HOME": "/h"}, windows=False) == (Path("/x.conf"),)
