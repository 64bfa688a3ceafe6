"""What leaves the screen names nobody, and paths keep their shape."""

from __future__ import annotations

import base64

import pytest

from trueup.report.redact import redact, redact_all


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("C:\\Users\\jane\\AppData\\Local", "C:\\Users\\user\\AppData\\Local"),
        ("C:\\Users\\O'Brien\\x", "C:\\Users\\user\\x"),
        ("['C:\\Users\\jane', 'D:\\x']", "['C:\\Users\\user', 'D:\\x']"),
        ("c:/users/Jane Roe/x", "c:/users/user name/x"),
        ("C:\\Users\\张三\\x", "C:\\Users\\用户\\x"),
        ("/home/jane/.venv and /home/joe/y", "/home/user/.venv and /home/user/y"),
        ("/mnt/c/Users/jane/y", "/mnt/c/Users/user/y"),
        ("C:\\Users\\Public\\x", "C:\\Users\\Public\\x"),
        ("https://jane:hunter2@host/simple", "https://***@host/simple"),
        ("HF_TOKEN=abc123 next", "HF_TOKEN=*** next"),
        ("password: abc123", "password: ***"),
        ("/opt/cuda/lib64", "/opt/cuda/lib64"),
        ("<Computer>JANES-PC</Computer>", "<Computer>computer</Computer>"),
        ("UserID='S-1-5-21-1-2-3-1001'/>", "UserID='S-1-5-21-0'/>"),
        ("<Data Name='Detection User'>PC\\jane</Data>", "<Data Name='Detection User'>user</Data>"),
        (
            "GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77,MIG-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77",
            "GPU-5d5ba0d6-0000-0000-0000-000000000000,MIG-5d5ba0d6-0000-0000-0000-000000000000",
        ),
    ],
)
def test_names_and_secrets(text: str, clean: str) -> None:
    assert redact(text) == clean
    assert redact(clean) == clean


def test_the_first_line_of_a_recorded_script() -> None:
    row = {
        "ask": ["read_head", "/home/jane/bin/pip"],
        "is": base64.b64encode(b"#!/home/jane/bin/python\n").decode(),
    }
    clean = redact_all(row)
    assert clean["ask"][1] == "/home/user/bin/pip"
    assert base64.b64decode(clean["is"]) == b"#!/home/user/bin/python\n"


def test_a_binary_keeps_its_bytes() -> None:
    row = {"ask": ["read_head", "/x"], "is": base64.b64encode(b"MZ/home/jane\0").decode()}
    assert redact_all(row) == row


def test_a_secret_under_its_name() -> None:
    assert redact_all({"NVIDIA_API_KEY": "nvapi-1", "CUDA_PATH": "C:\\cuda"}) == {
        "NVIDIA_API_KEY": "***",
        "CUDA_PATH": "C:\\cuda",
    }
