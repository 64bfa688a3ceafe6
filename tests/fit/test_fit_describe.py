"""Machine files: what is read, and how a wrong one is refused."""

from __future__ import annotations

from typing import Any

import pytest

from trueup.machine.describe import describe, parse
from trueup.machine.model import Gpu, Python, Wsl
from trueup.report.say import say
from trueup.values import TrueupError, Unknown

WHOLE: dict[str, Any] = {
    "os": "windows",
    "arch": "x86_64",
    "os_build": "10.0.22631",
    "gpus": [{"name": "NVIDIA GeForce RTX 3060", "compute_capability": "8.6"}, {"name": "Intel UHD"}],
    "driver": "536.67",
    "pythons": ["3.9.13", "3.9.13-32"],
    "wsl": {"version": 2, "distros": ["Ubuntu"], "kernel": "5.15.133.1"},
    "glibc": "2.35",
    "libc": "glibc",
    "kernel": "5.15.133.1-microsoft-standard-WSL2",
    "cpu_flags": ["avx", "avx2"],
    "disk_free_gb": 120.5,
}


def test_every_key_is_read() -> None:
    machine = parse(WHOLE)
    assert machine.gpus == (Gpu("NVIDIA GeForce RTX 3060", "8.6"), Gpu("Intel UHD"))
    assert machine.pythons == (Python("3.9.13"), Python("3.9.13", 32))
    assert machine.wsl == Wsl(2, ("Ubuntu",), "5.15.133.1")
    assert machine.disk_free_gb == 120.5
    assert describe(machine) == WHOLE


def test_what_is_missing_is_unknown_and_null_drivers_are_absent() -> None:
    machine = parse({"os": "linux", "driver": None, "wsl": None})
    assert (machine.driver, machine.wsl) == (None, None)
    for value in (machine.arch, machine.gpus, machine.pythons, machine.glibc, machine.disk_free_gb):
        assert isinstance(value, Unknown)
    assert describe(machine) == {"os": "linux", "driver": None, "wsl": None}


def test_a_byte_order_of_spellings() -> None:
    assert parse({"os": "windows", "arch": "AMD64"}).arch == "x86_64"
    assert parse({"os": "linux", "gpus": ["RTX 3060"], "cpu_flags": "avx fma"}).cpu_flags == ("avx", "fma")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (22631, "10.0.22631"),
        ("19045", "10.0.19045"),
        ("22631.4037", "10.0.22631.4037"),
        (7601, "6.1.7601"),
        ("9600", "6.3.9600"),
        ("10.0.26100", "10.0.26100"),
        ("6.1.7601", "6.1.7601"),
    ],
)
def test_a_build_is_taken_as_people_say_it(said: object, meant: str) -> None:
    assert parse({"os": "windows", "os_build": said}).os_build == meant


@pytest.mark.parametrize(
    ("wrong", "key", "expected"),
    [
        ([], "the description", "an object with keys"),
        ({"os": "beos"}, "`os`", "windows, wsl2, linux, macos"),
        ({"os": "linux", "arch": "sparc"}, "`arch`", "x86_64, arm64, aarch64"),
        ({"os": "windows", "os_build": "Windows 11"}, "`os_build`", "10.0.22631"),
        ({"os": "windows", "os_build": True}, "`os_build`", "10.0.22631"),
        ({"os": "linux", "gpus": "RTX 3060"}, "`gpus`", "a list"),
        ({"os": "linux", "gpus": [{"model": "RTX"}]}, "`gpus[0]`", "`name`"),
        (
            {"os": "linux", "gpus": [{"name": "X", "compute_capability": 8}]},
            "`gpus[0].compute_capability`",
            "8.6",
        ),
        ({"os": "linux", "driver": 536.67}, "`driver`", "536.67"),
        ({"os": "linux", "driver": "new"}, "`driver`", "nvidia-smi"),
        ({"os": "linux", "pythons": ["three"]}, "`pythons[0]`", "3.9.13-32"),
        ({"os": "windows", "wsl": 2}, "`wsl`", "version, distros, kernel"),
        ({"os": "windows", "wsl": {"version": 3}}, "`wsl.version`", "1 or 2"),
        ({"os": "linux", "libc": "bionic"}, "`libc`", "glibc or musl"),
        ({"os": "linux", "glibc": 2.35}, "`glibc`", "2.35"),
        ({"os": "linux", "disk_free_gb": "much"}, "`disk_free_gb`", "gigabytes"),
        ({"os": "linux", "cpu_flags": [1]}, "`cpu_flags`", "a text"),
    ],
)
def test_a_wrong_value_names_the_key_and_what_was_expected(wrong: Any, key: str, expected: str) -> None:
    with pytest.raises(TrueupError) as caught:
        parse(wrong)
    said = say(caught.value.message, "en")
    assert key in said
    assert expected in said
    assert "found" in said


def test_unknown_keys_get_the_nearest() -> None:
    with pytest.raises(TrueupError) as caught:
        parse({"os": "linux", "drivers": "1"})
    assert say(caught.value.message, "en") == "`drivers` is not a key of a machine"
    assert caught.value.hint is not None
    assert say(caught.value.hint, "en") == "did you mean `driver`"
    with pytest.raises(TrueupError, match="unknown-key"):
        parse({"os": "linux", "gpus": [{"name": "X", "memory": 8}]})


def test_os_is_needed() -> None:
    with pytest.raises(TrueupError) as caught:
        parse({"arch": "x86_64"})
    assert caught.value.hint is not None
    assert say(caught.value.hint, "zh_CN") == "`os` 应为以下之一：windows, wsl2, linux, macos"
