"""The user's own settings reach uv; those meant for other projects don't."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trueup.setup.config import PipSettings, child_environment, pip_settings, uv_files_name_index

if TYPE_CHECKING:
    from pathlib import Path

MIRROR = "https://mirror.invalid/simple"


def test_pip_file_is_read_as_pip_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "pip.conf"
    file.write_text(
        f"[global]\nindex-url = https://first.invalid/simple\nproxy = http://proxy.invalid:8080\n"
        f"[install]\nindex-url = {MIRROR}\ntrusted-host = mirror.invalid\n other.invalid\n[list]\nformat = json\n",
        "utf-8",
    )
    found = pip_settings({"PIP_CONFIG_FILE": str(file)})
    assert found.index == MIRROR
    assert found.proxy == "http://proxy.invalid:8080"
    assert found.trusted == ("mirror.invalid", "other.invalid")


def test_variable_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "pip.conf"
    file.write_text("[global]\nindex-url = https://first.invalid/simple\n", "utf-8")
    assert pip_settings({"PIP_CONFIG_FILE": str(file), "PIP_INDEX_URL": MIRROR}).index == MIRROR


@pytest.mark.parametrize("text", ["", "no section", "[global\n", "\x00\xff"])
def test_broken_pip_file_is_no_reason_to_stop(tmp_path: Path, text: str) -> None:
    file = tmp_path / "pip.conf"
    file.write_text(text, "utf-8")
    assert pip_settings({"PIP_CONFIG_FILE": str(file), "PIP_INDEX_URL": MIRROR}).index == MIRROR


def test_pips_index_is_used_where_uv_has_none() -> None:
    pip = PipSettings(index=MIRROR)
    assert child_environment({}, pip, uv_has_index=False)["UV_DEFAULT_INDEX"] == MIRROR
    assert "UV_DEFAULT_INDEX" not in child_environment({}, pip, uv_has_index=True)
    own = child_environment({"UV_INDEX_URL": "https://own.invalid/simple"}, pip, uv_has_index=False)
    assert own == {"UV_INDEX_URL": "https://own.invalid/simple"}


def test_folders_of_this_machine_stay_out_of_a_lock() -> None:
    pip = PipSettings(extra=("file:///srv/wheels", "https://extra.invalid/simple"))
    assert child_environment({}, pip, uv_has_index=False)["UV_INDEX"] == "https://extra.invalid/simple"
    assert child_environment({}, PipSettings(extra=("file:///opt",)), uv_has_index=False) == {}


def test_proxy_and_certificates_of_pip_do_not_override_the_users_own() -> None:
    pip = PipSettings(proxy="http://pip.invalid", cert="/pip.pem", trusted=("a.invalid", "b.invalid"))
    child = child_environment({}, pip, uv_has_index=False)
    assert child == {
        "ALL_PROXY": "http://pip.invalid",
        "SSL_CERT_FILE": "/pip.pem",
        "UV_INSECURE_HOST": "a.invalid b.invalid",
    }
    own = {"https_proxy": "http://own.invalid", "SSL_CERT_FILE": "/own.pem", "UV_INSECURE_HOST": "c.invalid"}
    assert child_environment(own, pip, uv_has_index=False) == own


@pytest.mark.parametrize(
    "key", ["UV_CONSTRAINT", "UV_TARGET", "UV_SYSTEM_PYTHON", "UV_PYTHON", "PYTHONPATH", "VIRTUAL_ENV"]
)
def test_settings_of_other_projects_are_left_out(key: str) -> None:
    assert child_environment({key: "x", "HOME": "/h"}, PipSettings(), uv_has_index=False) == {"HOME": "/h"}


@pytest.mark.parametrize(
    "key", ["UV_CACHE_DIR", "UV_INDEX_MINE_PASSWORD", "UV_PYTHON_INSTALL_MIRROR", "HTTPS_PROXY"]
)
def test_settings_of_the_machine_are_kept(key: str) -> None:
    assert child_environment({key: "x"}, PipSettings(), uv_has_index=False) == {key: "x"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('index-url = "https://x.invalid"', True),
        ('[[index]]\nurl = "https://x.invalid"', True),
        ("offline = true", False),
        ("[", False),
    ],
)
def test_index_of_uvs_own_file_is_seen(tmp_path: Path, text: str, names: bool) -> None:
    file = tmp_path / "uv.toml"
    file.write_text(text, "utf-8")
    assert uv_files_name_index({"UV_CONFIG_FILE": str(file)}) is names
    assert not uv_files_name_index({"UV_CONFIG_FILE": str(file), "UV_NO_CONFIG": "1"})
