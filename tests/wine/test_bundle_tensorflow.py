"""The real thing: a bundle of TensorFlow 2.10.1 and CUDA, made here, builds on Windows Python with the network off.

2.3 GB to download the first time, 7 GB of disk meanwhile. The lock differs from that of a Windows machine in one
package, h5py 3.7.0, because Wine 8 lacks what newer ones call.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from test_tensorflow import ASK, EIGHT, LISTED
from winehost import MINGW, OFF, ROOT, Wine, restore, start, stop, windows

from trueup.cli.main import run
from trueup.setup.bundle.make import STATE, partial_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [
    pytest.mark.wine,
    pytest.mark.slow,
    pytest.mark.network,
    pytest.mark.skipif(not os.environ.get("TRUEUP_LONG"), reason="downloads 2.3 GB: set TRUEUP_LONG=1"),
]
C = Path(__file__).parent / "c"
WHEELS = ROOT / "cache" / "bundle-wheels"  # kept for the next time
PC = {
    "os": "windows",
    "os_build": "10.0.22631",
    "arch": "x86_64",
    "gpus": ["RTX 3060"],
    "driver": "551.86",
    "pythons": ["3.10.11"],
}
PLACE = r"C:\envs\离线 tf"
CARD = {"NVCUDA_DRIVER": "12040", "NVML_DRIVER": "551.86"}
WHEEL = "nvidia_cuda_runtime_cu11-11.8.89-py3-none-win_amd64.whl"
HALFWAY = 1_500_000_000  # of 4.2 GB of libraries
REACHES = """
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
    print("REACHED")
except OSError:
    print("NOT")
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the bundle for a Windows PC with an RTX 3060, made on this machine."""
    place = ROOT / "cache" / "bundle"
    shutil.rmtree(place, ignore_errors=True)
    folder = place / "离线 bundle"
    described = tmp_path_factory.mktemp("pc") / "pc.json"
    described.write_text(json.dumps(PC), "utf-8")
    if WHEELS.is_dir():
        partial = partial_of(folder)
        shutil.copytree(WHEELS, partial / "wheels", copy_function=os.link)
        (partial / STATE).mkdir()
    wish = ["tensorflow", "h5py==3.7.0", "--route", "windows-native", "--machine", str(described)]
    assert run(["bundle", *wish, "--no-pythons", "--yes", "-o", str(folder)]) == 0
    shutil.rmtree(WHEELS, ignore_errors=True)
    shutil.copytree(folder / "wheels", WHEELS, copy_function=os.link)
    return folder


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the driver's `nvcuda.dll` and a `py.exe`; `nvml.dll` lies where old drivers put it."""
    folder = tmp_path_factory.mktemp("driver")
    subprocess.run([MINGW, "-shared", "-s", "-O1", "-o", folder / "nvcuda.dll", C / "nvcuda.c"], check=True)
    subprocess.run([MINGW, "-s", "-O1", "-municode", "-o", folder / "py.exe", C / "py.c"], check=True)
    (folder / "go.bat").write_bytes(b'@call "%~1\\install.cmd" %2 %3 %4 %5 %6\r\n')
    return folder


@pytest.fixture(scope="module")
def off(wine: Wine) -> Iterator[Wine]:
    """Return a Wine whose server and programs have no network, and a card."""
    if subprocess.run([*OFF, "true"], check=False).returncode:
        pytest.skip("may not take the network away")
    assert reaches(wine) == "REACHED"
    stop()
    start(*OFF)
    nvml = wine.path(r"C:\Program Files\NVIDIA Corporation\NVSMI\nvml.dll")
    nvml.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([MINGW, "-shared", "-s", "-O1", "-w", "-o", nvml, C / "nvml.c"], check=True)
    cut = replace(wine, through=OFF)
    assert reaches(cut) == "NOT"
    yield cut
    stop()
    restore()
    start()


def reaches(wine: Wine) -> str:
    """Return whether a program there reaches this one."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return wine.out("-c", REACHES, str(server.getsockname()[1]))


@pytest.fixture(scope="module")
def env(off: Wine, bundle: Path, tools: Path) -> Path:
    """Return the environment that the bundle's `install.cmd` built."""
    env = off.path(PLACE)
    shutil.rmtree(env, ignore_errors=True)
    lose_power(off, bundle, tools, env)
    done = install(off, bundle, tools, PLACE)
    shutil.rmtree(off.path(r"C:\uv"))
    assert '"status": "unproven"' in done.stdout, done.stdout + done.stderr
    assert sorted(path.name for path in env.parent.glob("*tf*")) == [env.name]
    return env


def lose_power(wine: Wine, bundle: Path, tools: Path, env: Path) -> None:
    """Let all programs end at once while gigabytes are unpacked: nothing looks like an environment."""
    words, variables = installing(wine, bundle, tools, PLACE)
    begun = wine.begin(*words, **variables)
    end = time.monotonic() + 1200
    cache = wine.path(r"C:\uv")
    while unpacked(cache) < HALFWAY and time.monotonic() < end:
        assert begun.poll() is None, begun.communicate()
        time.sleep(1)
    stop()
    begun.communicate(timeout=60)
    assert unpacked(cache) >= HALFWAY
    assert not env.exists()
    start(*OFF)


def unpacked(folder: Path) -> int:
    """Return the bytes of libraries that uv has unpacked, while it moves folders about."""
    found = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".dll"):
                with suppress(OSError):
                    found += Path(parent, name).stat().st_size
    return found


def installing(wine: Wine, bundle: Path, tools: Path, env: str) -> tuple[list[str | Path], dict[str, str]]:
    """Return how the bundle's own `install.cmd` starts. `cmd /c` takes a quoted program and its words for one."""
    paths = {"WINEPATH": windows(tools), "PYTHON": wine.python, "UV_CACHE_DIR": r"C:\uv"}
    words: list[str | Path] = [
        "cmd",
        "/c",
        tools / "go.bat",
        bundle,
        "--env",
        env,
        "--no-prove",
        "--yes",
        "--json",
    ]
    return words, {"PIP_CONFIG_FILE": os.devnull, "PYTHONUTF8": "1"} | CARD | paths


def install(wine: Wine, bundle: Path, tools: Path, env: str) -> subprocess.CompletedProcess[str]:
    words, variables = installing(wine, bundle, tools, env)
    return wine.run(*words, timeout=1800, **variables)


def asked(wine: Wine, env: Path, *words: str | Path, **variables: str) -> str:
    done = wine.run(env / "Scripts" / "python.exe", *words, timeout=600, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_it_lists_the_gpu_through_the_hook_alone(off: Wine, env: Path, tools: Path) -> None:
    told = asked(off, env, "-c", ASK, WINEPATH=windows(tools), **CARD)
    assert LISTED in told
    assert "Could not load" not in told
    without = asked(off, env, "-c", ASK, WINEPATH=windows(tools), TRUEUP_HOOK="0", **CARD)
    assert all(f"Could not load dynamic library '{name}.dll'" in without for name in EIGHT)
    assert "GPUS []" in without


@pytest.mark.parametrize(("device", "outcome"), [("cpu", "proven"), ("gpu", "cpu-fallback")])
def test_it_trains_on_the_processor(off: Wine, env: Path, device: str, outcome: str) -> None:
    """`nvcuda.dll` is away: nothing is called a success that was not asked for."""
    assert env.is_dir()
    words = ("-m", "trueup", "verify", "--env", PLACE, "--device", device, "--json")
    source = windows(Path(__file__).parents[2] / "src")
    done = off.py(*words, timeout=1200, PYTHONPATH=source, PYTHONUTF8="1", **CARD)
    answer = json.loads(done.stdout)
    assert (answer["outcome"], answer["gpus"]) == (outcome, []), done.stderr
    assert answer["closure"]["complete"]
    if device == "cpu":
        assert answer["placement"]["variables"] == ["CPU:0"]
        assert answer["accuracy"] > 0.9


def by_link(bundle: Path, target: Path) -> Path:
    """Return a copy that shares the files: who spoils one must write it anew."""
    shutil.copytree(bundle, target, copy_function=os.link)
    return target


def rewritten(path: Path, data: bytes) -> None:
    path.unlink()
    path.write_bytes(data)


def one_byte(folder: Path) -> str:
    wheel = folder / "wheels" / WHEEL
    data = bytearray(wheel.read_bytes())
    data[len(data) // 2] ^= 1
    rewritten(wheel, bytes(data))
    return f"wheels/{WHEEL}"


def cut_short(folder: Path) -> str:
    wheel = next((folder / "wheels").glob("tensorflow-2.10.1-*.whl"))
    copy = wheel.with_suffix(".part")
    shutil.copyfile(wheel, copy)
    os.truncate(copy, copy.stat().st_size - 1)
    copy.replace(wheel)
    return f"wheels/{wheel.name}"


def taken_out(folder: Path) -> str:
    (folder / "wheels" / WHEEL).unlink()
    return f"wheels/{WHEEL}"


def put_in(folder: Path) -> str:
    (folder / "wheels" / "evil-1.0-py3-none-any.whl").write_bytes(b"PK")
    return "wheels/evil-1.0-py3-none-any.whl"


def leads_outside(folder: Path) -> str:
    sums = (folder / "SHA256SUMS").read_text("utf-8")
    rewritten(folder / "SHA256SUMS", sums.replace("wheels/six-", "wheels/../../six-").encode())
    return "wheels/../../six-"


def linked(folder: Path) -> str:
    wheel = folder / "wheels" / WHEEL
    outside = folder.with_name("outside.whl")
    wheel.rename(outside)
    wheel.symlink_to(outside)
    return f"wheels/{WHEEL}"


SPOILED = [one_byte, cut_short, taken_out, put_in, leads_outside, linked]


@pytest.mark.parametrize("spoil", SPOILED)
def test_a_spoiled_bundle_is_refused_by_name(
    spoil: Callable[[Path], str],
    bundle: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = by_link(bundle, bundle.parent / "spoiled")
    try:
        name = spoil(folder)
        home = tmp_path / "home"
        home.mkdir()
        for variable in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
            monkeypatch.setenv(variable, str(home))
        monkeypatch.chdir(home)
        assert run(["up", "--from", str(folder), "--yes"]) == 2
        assert name in capsys.readouterr().err.replace("\n", "")
        assert list(home.iterdir()) == []
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("spoil", [one_byte, cut_short, leads_outside])
def test_a_spoiled_bundle_changes_nothing_on_windows(
    spoil: Callable[[Path], str], off: Wine, bundle: Path, tools: Path
) -> None:
    folder = by_link(bundle, bundle.parent / "spoiled")
    before = listing(off)
    try:
        name = spoil(folder)
        done = install(off, folder, tools, r"C:\envs\spoiled")
        assert done.returncode, done.stdout + done.stderr  # Wine's cmd makes 1 of a 2 behind `call`
        assert '"schema": "trueup.error/1"' in done.stdout
        assert name in done.stdout + done.stderr
        assert listing(off) == before
    finally:
        shutil.rmtree(folder)


def listing(wine: Wine) -> set[str]:
    drive = wine.path("C:\\")
    places = ("users", "envs", "Program Files", "ProgramData")
    return {
        str(path)
        for place in places
        for path in (drive / place).rglob("*")
        if "site-packages" not in path.parts and "Temp" not in path.parts
    }
