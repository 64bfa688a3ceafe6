"""Imports that fail within a framework's own files, and the cards that a variable leaves visible."""

from __future__ import annotations

import pytest

from trueup.diagnose import diagnose
from trueup.diagnose.inner import inner_imports
from trueup.diagnose.visible import renumbers

KERAS = '  File "/e/lib/python3.9/site-packages/keras/api/_v2/keras/__init__.py", line 8, in <module>'


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([KERAS, "    from keras import __version__", "ImportError: cannot import name '__version__'"], True),
        (
            [
                KERAS.replace("/keras/api", "/tensorflow/x"),
                "    from keras.api import x",
                "ImportError: cannot import name 'x'",
            ],
            True,
        ),
        (
            [
                KERAS,
                "    from google.protobuf import builder",
                "ImportError: cannot import name 'builder'",
            ],
            False,
        ),
        (
            [
                '  File "/home/a/train.py", line 3, in <module>',
                "    from keras import layer",
                "ImportError: cannot import name 'layer'",
            ],
            False,
        ),
        (
            [
                KERAS.replace("/keras/api", "/keras_nlp/api"),
                "    from keras import ops",
                "ImportError: cannot import name 'ops'",
            ],
            False,
        ),
        (
            [
                KERAS,
                "    from keras import x",
                "ImportError: cannot import name 'x' (most likely due to a circular import)",
            ],
            False,
        ),
        (["ImportError: cannot import name 'x'"], False),
    ],
)
def test_a_framework_that_asks_for_a_part_of_its_own(lines: list[str], *, found: bool) -> None:
    rows = list(enumerate(lines, 1))
    assert list(inner_imports(rows)) == (rows[-1:] if found else [])


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("export CUDA_VISIBLE_DEVICES=5", True),
        ('os.environ["CUDA_VISIBLE_DEVICES"] = "4, 3"', True),
        ("os.environ.setdefault('CUDA_VISIBLE_DEVICES', '2')", True),
        ("env: CUDA_VISIBLE_DEVICES: 1", True),
        ("CUDA_VISIBLE_DEVICES=0,2 python a.py", True),
        ("CUDA_VISIBLE_DEVICES=0,1,2 python a.py", False),
        ("CUDA_VISIBLE_DEVICES=0", False),
        ("CUDA_VISIBLE_DEVICES=-1", False),
        ("CUDA_VISIBLE_DEVICES=", False),
        ("CUDA_VISIBLE_DEVICES=GPU-1a2b", False),
        ("CUDA_VISIBLE_DEVICES=7f-GPU", False),
    ],
)
def test_cards_numbered_anew(text: str, *, want: bool) -> None:
    assert renumbers([text]) is want


def test_a_library_of_linux_on_windows_is_no_32_bit_python() -> None:
    log = "lib = ctypes.cdll.LoadLibrary(folder + '/tree.so')\nOSError: [WinError 193] %1 is not a valid Win32 application"
    assert [one.cause for one in diagnose(log, {}, "windows-native").causes] == []
