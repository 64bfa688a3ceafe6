#!/usr/bin/env python3
"""From nothing but Python 3.10 and the network to a running `trueup`, or to passing tests.

    python3 bootstrap.py up tensorflow     set up .venv-trueup beside this file and run trueup with these words
    python3 bootstrap.py test [PYTEST...]  set up .venv-dev and run everything that CI runs

Needs no administrator, no pip, and touches nothing outside this folder.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PIP_WHEEL = ROOT / "tools" / "bootstrap" / "pip-26.3-py3-none-any.whl"
PYTHONS = "https://www.python.org/downloads/"


class SetupError(Exception):
    """What stopped the set-up, with a way out."""


def python_of(env):
    """Return the interpreter of an environment."""
    return env / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def run(*command, **options):
    """Run a program and return its exit status."""
    return subprocess.run([str(c) for c in command], check=False, **options).returncode


def install_uv(env):
    """Put uv into the environment by this Python's ensurepip, else by pip's own wheel beside this file.

    Debian takes ensurepip out of Python and may bring no pip; a wheel of pip runs as it is.
    """
    python = python_of(env)
    if (
        run(python, "-m", "ensurepip", "--default-pip", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        == 0
    ):
        pip = [python, "-m", "pip"]
    else:
        pip = [sys.executable, PIP_WHEEL / "pip", "--python", python]
    if run(*pip, "install", "--quiet", "--disable-pip-version-check", "uv>=0.9") != 0:
        raise SetupError(
            "pip could not install uv; its words are above. Behind a proxy set HTTPS_PROXY, "
            "for a mirror set PIP_INDEX_URL, then run this again"
        )


def prepare(env, *extra):
    """Make the environment once for each state of pyproject.toml; a half-made one is made anew."""
    state = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + repr(extra).encode()).hexdigest()
    mark = env / "trueup-bootstrap"
    if mark.is_file() and mark.read_text() == state and python_of(env).exists():
        return
    print(f"setting up {env.name} ...", file=sys.stderr, flush=True)
    shutil.rmtree(env, ignore_errors=True)
    venv.EnvBuilder(with_pip=False, symlinks=os.name != "nt").create(env)
    uv = shutil.which("uv")
    if not uv:
        install_uv(env)
        uv = python_of(env).with_name("uv.exe" if os.name == "nt" else "uv")
    install = [uv, "pip", "install", "--quiet", "--python", python_of(env), "-e", ROOT, *extra]
    # Where a company looks into TLS, only the system's certificates know its own.
    trusting = {**os.environ, "UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}
    first = run(*install, cwd=ROOT, stderr=subprocess.DEVNULL)  # the second says what is wrong
    if first != 0 and run(*install, cwd=ROOT, env=trusting) != 0:
        raise SetupError(
            "uv could not install trueup; its words are above. Behind a proxy set HTTPS_PROXY, "
            "for a mirror set UV_DEFAULT_INDEX, then run this again"
        )
    mark.write_text(state)


def test(arguments):
    """Run what CI runs; return the first failure's exit status, or 0."""
    env = ROOT / ".venv-dev"
    prepare(env, "--group", "dev")
    tools = python_of(env).parent
    python = python_of(env)
    checks = [
        [python, "-m", "ruff", "check", "."],
        [python, "-m", "ruff", "format", "--check", "."],
        [python, "-m", "mypy"],
        [python, "-m", "mypy", "--platform", "win32"],
        [tools / "lint-imports"],
        [python, "-m", "pytest", *arguments],
    ]
    for check in checks:
        print("$", *[Path(check[0]).name, *check[1:]], flush=True)
        status = run(*check, cwd=ROOT)
        if status:
            return status
    return 0


def main(arguments):
    """Set up, then run; return the exit status."""
    if sys.version_info < (3, 10):
        found = ".".join(map(str, sys.version_info[:3]))
        raise SetupError(
            f"trueup itself needs Python 3.10 or newer and this is {found}: {PYTHONS} "
            "(no administrator needed); it can still build environments for older ones"
        )
    if arguments[:1] == ["test"]:
        return test([a for a in arguments[1:] if a != "--"])
    env = ROOT / ".venv-trueup"
    prepare(env)
    return run(python_of(env), "-m", "trueup", *arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
