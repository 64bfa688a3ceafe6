"""The child's guard over its own memory, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trueup.proof import child

MEMORY = Path(child.__file__).with_name("memory.py")
HEAD = f"""
import importlib.util, os, time
spec = importlib.util.spec_from_file_location("memory", {str(MEMORY)!r})
memory = importlib.util.module_from_spec(spec)
spec.loader.exec_module(memory)
"""


def run(body: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HEAD + body], capture_output=True, text=True, timeout=120, check=False
    )


def test_it_sees_what_it_takes() -> None:
    told = run(
        "a = memory.resident(); b = bytearray(80_000_000); print(memory.resident() - a, memory.peak() - a)"
    )
    more, most = map(float, told.stdout.split())
    assert more > 60e6
    assert most >= more - 5e6


def test_it_ends_once_the_cap_is_passed() -> None:
    told = run(
        "memory._hard = lambda _: None\n"
        "memory.bound(50, lambda: os._exit(7))\n"
        "kept = [bytearray(10_000_000) for _ in range(20) if not time.sleep(0.05)]\n"
        "time.sleep(60)"
    )
    assert told.returncode == 7


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process' data")
def test_one_allocation_far_beyond_it_fails_at_once() -> None:
    told = run("memory.bound(50, lambda: os._exit(7))\nbytearray(400_000_000)")
    assert told.returncode != 0
    assert "MemoryError" in told.stderr


STACK = "Graph execution error:\n\nDetected at node 'conv' defined at (most recent call last):\n  File \"a.py\", line 3\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            STACK + "Node: 'conv'\nOOM when allocating tensor\n\t [[{{node conv}}]]\nHint: more",
            "OOM when allocating tensor",
        ),
        (STACK + "Node: 'conv'\nMissing 0-th output from {{node conv}} [Op:f_1]", "Missing 0-th output from"),
        (STACK + "the last line", "the last line"),
        ("no kernel for this", "no kernel for this"),
        ("", "RuntimeError"),
    ],
)
def test_a_graphs_error_is_quoted_by_its_reason(text: str, told: str) -> None:
    from trueup.proof.child.trial import telling

    words = telling(RuntimeError(text))
    assert words.startswith("RuntimeError")
    assert told in words.splitlines()[0]
