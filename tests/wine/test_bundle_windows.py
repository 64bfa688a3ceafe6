"""A bundle that was made on this machine builds on Windows Python with no index; a spoiled one is refused there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from winehost import Wine, windows

SETUP = Path(__file__).parents[1] / "setup"
sys.path.insert(0, str(SETUP))
from bundles import copied, make, no_needs  # noqa: E402  # lies beside the tests of setup
from fake_index import serving  # noqa: E402
from made import alignment_of, build_of  # noqa: E402

from trueup.machine.model import Machine  # noqa: E402
from trueup.plan.request import request  # noqa: E402
from trueup.setup.bundle.plan import Ask  # noqa: E402

pytestmark = [pytest.mark.wine, pytest.mark.usefixtures("no_needs")]
__all__ = ["no_needs"]
PATHS = ";".join(windows(path) for path in (Path(__file__).parents[2] / "src", SETUP))
USE = """
import sys
from pathlib import Path
from made import FOO, machine_here
from trueup import setup
from trueup.setup.bundle.use import open_bundle
from trueup.values import TrueupError
try:
    with open_bundle(Path(sys.argv[1])) as bundle:
        target = bundle.manifest.targets[0]
        made = setup.build(FOO, target.question, Path(sys.argv[2]), machine=machine_here(),
                           lock=bundle.lock(target), supply=bundle.supply(target))
    print(setup.inspect(made.path).name)
except TrueupError as error:
    print(error.kind, dict(error.message.params))
"""


@pytest.fixture
def bundle(wine: Wine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a bundle for that Windows Python, of a loopback index that is gone by then."""
    series = wine.out("-c", "import sys; print('%d.%d' % sys.version_info[:2])")
    for key in [key for key in os.environ if key.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(key)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    foo = alignment_of(build_of("foo", "1.0", platform="windows"), python=series)
    with serving() as index:
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"{index}/good/simple")
        question = request(foo, Machine(os="windows"))
        made = make(tmp_path / "离线 bundle", Ask("pc", ("foo",), foo, question))
    return made.folder


def used(wine: Wine, folder: Path, env_dir: Path) -> str:
    settings = {"UV_CACHE_DIR": windows(env_dir.with_name("wine-cache")), "PIP_CONFIG_FILE": os.devnull}
    return wine.out(
        "-c", USE, folder, env_dir, timeout=400, PYTHONPATH=PATHS, PYTHONIOENCODING="utf-8", **settings
    )


def test_bundle_builds_on_windows_without_an_index(wine: Wine, bundle: Path, tmp_path: Path) -> None:
    env_dir = tmp_path / "my 环境"
    assert used(wine, bundle, env_dir) == "complete"
    shown = wine.run(env_dir / "Scripts" / "python.exe", "-c", "import foo; print(foo.version)")
    assert shown.stdout.strip() == "1.0"


def test_spoiled_bundle_is_refused_on_windows(wine: Wine, bundle: Path, tmp_path: Path) -> None:
    spoiled = copied(bundle, tmp_path / "spoiled")
    wheel = spoiled / "wheels" / "foo-1.0-py3-none-any.whl"
    wheel.write_bytes(wheel.read_bytes()[:-1])
    said = used(wine, spoiled, tmp_path / "env")
    assert said.startswith("changed")
    assert wheel.name in said
    assert not (tmp_path / "env").exists()
