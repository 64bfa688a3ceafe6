"""The search of Linux against the loader itself: what `trace` takes is what `ldd` takes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pytest

from trueup.diagnose.trace import Trace, trace
from trueup.diagnose.trace.linux import LinuxSearch, read_cache
from trueup.machine.host import this_host

if TYPE_CHECKING:
    from trueup.machine.host import Host

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("gcc") or not shutil.which("ldd"), reason="needs gcc and ldd"
)


def build(target: Path, *needs: Path, flags: tuple[str, ...] = ()) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    source = target.with_suffix(".c")
    source.write_text(f"int {target.name.split('.')[0]}(void) {{ return 0; }}\n")
    command = ["gcc", "-shared", "-fPIC", "-o", str(target), str(source), "-Wl,--no-as-needed", *flags]
    links = [f"-L{path.parent}" for path in needs] + [f"-l:{path.name}" for path in needs]
    subprocess.run([*command, f"-Wl,-soname,{target.name}", *links], check=True)
    return target


def open_(path: str) -> BinaryIO:
    return Path(path).open("rb")


def look(root: Path) -> Trace:
    host: Host = this_host()
    return trace(LinuxSearch(host, open_, (), read_cache(host)), open_, [str(root)], None)


def ldd(root: Path) -> dict[str, str | None]:
    text = subprocess.run(["ldd", str(root)], capture_output=True, text=True, check=False).stdout
    rows = re.findall(r"^\s+(\S+) => (not found|\S+)", text, re.MULTILINE)
    return {name: None if path == "not found" else str(Path(path).resolve()) for name, path in rows}


def told(found: Trace) -> dict[str, str | None]:
    paths = {
        node.name: node.found.path
        for node in found.nodes
        if node.how != "root" and "ld-linux" not in node.name
    }
    return {name: path and str(Path(path).resolve()) for name, path in paths.items()}


@pytest.mark.parametrize("kind", ["--enable-new-dtags", "--disable-new-dtags"])
def test_runpath_and_rpath(tmp_path: Path, kind: str) -> None:
    deep = build(tmp_path / "deep" / "libdeep.so")
    low = build(tmp_path / "low" / "liblow.so", deep)
    top = build(tmp_path / "libtop.so", low, flags=(f"-Wl,{kind},-rpath,$ORIGIN/low:$ORIGIN/deep",))
    found = look(top)
    assert told(found) == ldd(top)
    deep_is_found = "libdeep.so" not in [node.name for node in found.broken]
    assert deep_is_found is (kind == "--disable-new-dtags"), "RPATH reaches below, RUNPATH does not"


def test_ld_library_path_between_the_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    low = build(tmp_path / "low" / "liblow.so")
    build(tmp_path / "other" / "liblow.so")
    top = build(tmp_path / "libtop.so", low, flags=("-Wl,--enable-new-dtags,-rpath,$ORIGIN/low",))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "other"))
    found = look(top)
    assert told(found) == ldd(top)
    node = next(node for node in found.nodes if node.name == "liblow.so")
    assert node.found.origin == "ld-library-path"
    assert node.found.shadows == (str(low),)


def test_what_is_missing_says_where_it_was_looked_for(tmp_path: Path) -> None:
    low = build(tmp_path / "low" / "liblow.so")
    top = build(tmp_path / "libtop.so", low)
    (node,) = look(top).broken
    assert (node.name, node.wanted_by) == ("liblow.so", "libtop.so")
    assert "ld.so.cache" in node.found.looked


def test_a_module_of_this_very_python() -> None:
    import _ssl

    module = Path(_ssl.__file__)
    assert told(look(module)) == ldd(module)
