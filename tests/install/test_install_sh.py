"""install.sh for real, in a home of its own, by dash and by others: what is made, what is refused, what is left."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from wheelhouse import ROOT, download, fill, locked, serving

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SCRIPT = ROOT / "install.sh"
TEXT = SCRIPT.read_text("utf-8")
UV = next(line for line in TEXT.splitlines() if line.startswith("UV=")).split()[0].removeprefix("UV=")
SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)]
NEEDED = ("cat", "cut", "date", "dirname", "find", "grep", "head", "ls", "mkdir", "mv", "rm", "rmdir", "sed",
          "chmod", "tar", "gzip", "tr", "uname", "sha256sum", "unzip", "python3")  # fmt: skip
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the wheels below are Linux's")


def rows() -> list[list[str]]:
    """Return the table: system, target, SHA-256 of the archive, tag and SHA-256 of the wheel."""
    table = TEXT.split("<<'END'\n")[1].split("\nEND\n")[0]
    return [line.split() for line in table.splitlines()]


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def install(
    home: Path, *words: str, shell: str = "dash", path: str | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    command = [shell, "sh"] if shell == "busybox" else [shell]
    return subprocess.run(
        [shutil.which(command[0]) or command[0], *command[1:], SCRIPT, *words],
        env={"HOME": str(home), "PATH": path or os.environ["PATH"], "UV_HTTP_RETRIES": "0", **variables},
        capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with a space, a quote and Chinese characters in its name."""
    home = tmp_path / "家 it's home"
    home.mkdir()
    (home / "mine.txt").write_text("mine")
    return home


@pytest.fixture
def lying(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve files that have the right names and not the right content."""
    folder = tmp_path / "lies"
    folder.mkdir()
    for _, target, _, tag, _ in rows():
        (folder / f"uv-{UV}-py3-none-{tag}.whl").write_bytes(b"PK not uv")
        (folder / f"uv-{target}.tar.gz").write_bytes(b"not uv")
    with serving(folder) as served:
        yield served


def only(tmp_path: Path, *names: str) -> str:
    """Return a PATH that has just these programs."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    for name in names:
        found = shutil.which(name)
        if found and not (folder / name).exists():
            (folder / name).symlink_to(found)
    return str(folder)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("source", ["index", "release"])
def test_a_file_that_is_not_the_pinned_one_leaves_nothing(
    home: Path, lying: tuple[str, list[str]], shell: str, source: str
) -> None:
    variables = {
        "index": {"TRUEUP_INDEX": lying[0] + "/simple"},
        "release": {"TRUEUP_RELEASES": lying[0] + "/releases"},
    }
    before = tree(home)
    done = install(home, shell=shell, **variables[source])
    assert done.returncode == 2, done.stderr
    assert "is not the file it should be" in done.stderr
    assert "hint:" in done.stderr
    assert tree(home) == before


@pytest.mark.parametrize("program", ["curl", "wget"])
def test_either_program_fetches(
    tmp_path: Path, home: Path, lying: tuple[str, list[str]], program: str
) -> None:
    if not shutil.which(program):
        pytest.skip(f"no {program} here")
    path = only(tmp_path, *NEEDED, program)
    done = install(home, path=path, TRUEUP_INDEX=lying[0] + "/simple")
    assert "is not the file it should be" in done.stderr, done.stderr
    assert any(name.endswith(".whl") for name in lying[1])


def test_without_a_program_that_fetches_it_says_so(tmp_path: Path, home: Path) -> None:
    done = install(home, path=only(tmp_path, *NEEDED))
    assert done.returncode == 2
    assert "neither curl nor wget" in done.stderr
    assert tree(home) == ["mine.txt"]


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"TRUEUP_INDEX": "http://127.0.0.1:9/simple"}, "could not be downloaded"),
        ({"TRUEUP_RELEASES": "http://127.0.0.1:9/x"}, "could not be downloaded"),
        (
            {"TRUEUP_RELEASES": "https://127.0.0.1:9/x", "HTTPS_PROXY": "http://127.0.0.1:9"},
            "could not be downloaded",
        ),
    ],
)
def test_no_network_is_told_and_leaves_nothing(home: Path, variables: dict[str, str], words: str) -> None:
    done = install(home, **variables)
    assert done.returncode == 2
    assert words in done.stderr
    assert "TRUEUP_INDEX" in done.stderr
    assert tree(home) == ["mine.txt"]


def test_an_index_that_lacks_uv_is_told(tmp_path: Path, home: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "uv-0.0.1-py3-none-any.whl").write_bytes(b"")
    with serving(empty) as (address, _):
        done = install(home, TRUEUP_INDEX=address + "/simple/")
    assert done.returncode == 2
    assert f"has no uv-{UV}-py3" in done.stderr
    assert tree(home) == ["mine.txt"]


def test_a_home_that_cannot_be_written_is_told(tmp_path: Path, lying: tuple[str, list[str]]) -> None:
    """Root writes anywhere, so a file stands where the folder should be."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".local").write_text("a file")
    done = install(home, TRUEUP_INDEX=lying[0] + "/simple")
    assert done.returncode == 2
    assert "cannot be made" in done.stderr
    assert "XDG_DATA_HOME" in done.stderr
    assert tree(home) == [".local"]


def test_somebody_else_s_program_of_that_name_stays(home: Path, lying: tuple[str, list[str]]) -> None:
    launcher = home / ".local" / "bin" / "trueup"
    launcher.parent.mkdir(parents=True)
    launcher.write_text("#!/bin/sh\necho mine\n")
    done = install(home, TRUEUP_INDEX=lying[0] + "/simple")
    assert done.returncode == 2
    assert "somebody else's" in done.stderr
    assert launcher.read_text() == "#!/bin/sh\necho mine\n"


def test_alone_it_says_where_trueup_could_come_from(tmp_path: Path, home: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    done = install(home, TRUEUP_SOURCE=str(alone))
    assert done.returncode == 2
    assert "TRUEUP_SOURCE" in done.stderr
    assert tree(home) == ["mine.txt"]


def test_it_is_short_and_every_shell_reads_it() -> None:
    assert len(TEXT.splitlines()) <= 120
    for shell in SHELLS:
        words = [shell, "sh"] if shell == "busybox" else [shell]
        subprocess.run([*words, "-n", SCRIPT], check=True)


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all that an installation needs: the pinned uv, trueup's needs, what builds it."""
    folder = tmp_path_factory.mktemp("house")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needs: Sequence[str] = project["project"]["dependencies"]
    fill(folder, tmp_path_factory.mktemp("lock"), *needs, *project["build-system"]["requires"])
    machine = f"{platform.system()}-{platform.machine()}"
    tag = next(row[3] for row in rows() if row[0] == machine)
    [uv] = [p for p in locked(tmp_path_factory.mktemp("uv"), f"uv=={UV}") if p["name"] == "uv"]
    wheel = next(w for w in uv["wheels"] if w["url"].endswith(f"-{tag}.whl"))
    download(folder / wheel["url"].rsplit("/", 1)[1], wheel)
    return folder


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_installed_used_uninstalled_and_nothing_is_left(home: Path, house: Path, shell: str) -> None:
    """From nothing to an answer, with no network but one mirror; then not a file more than before."""
    before = tree(home)
    with serving(house) as (address, asked):
        done = install(home, "--version", shell=shell, TRUEUP_INDEX=address + "/simple")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("trueup ")
        assert any(f"uv-{UV}" in path for path in asked)
        again = install(home, shell=shell, TRUEUP_INDEX=address + "/simple")
        assert again.returncode == 0, again.stderr
    assert len(list((home / ".local/share/trueup").glob("tool-*"))) == 1, "the older one goes"
    launcher = home / ".local" / "bin" / "trueup"
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}

    def trueup(*words: str) -> tuple[int, str]:
        ended = subprocess.run(
            [launcher, *words], env=env, capture_output=True, text=True, check=False, timeout=300
        )
        return ended.returncode, ended.stdout + ended.stderr

    assert trueup("check")[0] in (0, 1)
    assert trueup("self", "add-path")[0] == 0
    found = subprocess.run(
        ["/bin/sh", "-c", ". ~/.profile; command -v trueup"],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.strip() == str(launcher)
    status, said = trueup("self", "uninstall", "--yes")
    assert status == 0, said
    assert tree(home) == before


@pytest.mark.network
def test_the_pinned_wheels_are_pypi_s_own(tmp_path: Path) -> None:
    """Every hash in both scripts is derived anew from the index."""
    [uv] = [p for p in locked(tmp_path, f"uv=={UV}") if p["name"] == "uv"]
    hashes = {wheel["url"].rsplit("/", 1)[1]: wheel["hash"].removeprefix("sha256:") for wheel in uv["wheels"]}
    for _, _, _, tag, digest in rows():
        assert hashes[f"uv-{UV}-py3-none-{tag}.whl"] == digest
    windows = (ROOT / "install.ps1").read_text("utf-8")
    for tag in ("win_amd64", "win_arm64"):
        assert f"'{tag}'" in windows
        assert hashes[f"uv-{UV}-py3-none-{tag}.whl"] in windows
