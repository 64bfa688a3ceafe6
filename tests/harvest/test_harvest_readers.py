from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from make_elf import ElfMaker
from make_pe import PeMaker
from make_wheel import wheel
from packaging.tags import parse_tag

from trueup.facts.harvest.readers import versions
from trueup.facts.harvest.readers.builds import BuildInfo, read_build
from trueup.facts.harvest.readers.literals import assigned
from trueup.facts.harvest.readers.metadata import read_metadata
from trueup.facts.harvest.readers.tags import Target, target
from trueup.facts.harvest.rows import row_of
from trueup.facts.harvest.summary import of_framework, of_libraries, of_package
from trueup.facts.harvest.wheel import open_wheel

FATBIN = Path(__file__).parents[1] / "binary" / "data" / "compressed.fatbin"
TENSORFLOW = "tensorflow/python/platform/build_info.py"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("64_112", "11.2"),
        ("64_110", "11.0"),
        ("64_100", "10.0"),
        ("64_101", "10.1"),
        ("64_90", "9.0"),
        ("64_11", "11"),
        ("64_12", "12"),
        ("12.5.1", "12.5"),
        ("11.8.89", "11.8"),
        ("10.1", "10.1"),
        ("False", None),
        (None, None),
        ("", None),
        ("cu118", None),
    ],
)
def test_cuda_versions(text: str | None, version: str | None) -> None:
    assert versions.cuda(text) == version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("64_8", "8"),
        ("64_7", "7"),
        ("8.6.0", "8.6.0"),
        (90100, "9.1.0"),
        ("91002", "9.10.2"),
        (8902, "8.9.2"),
    ],
)
def test_cudnn_versions(text: object, version: str) -> None:
    assert versions.cudnn(text) == version


@given(st.integers(9, 13), st.integers(0, 9))
def test_a_cuda_version_survives_the_windows_form(major: int, minor: int) -> None:
    assert versions.cuda(f"64_{major}{minor}") == f"{major}.{minor}"


@pytest.mark.parametrize(
    ("text", "capability"),
    [
        ("sm_86", "8.6"),
        ("compute_90", "9.0"),
        ("sm_120", "12.0"),
        ("sm_90a", "9.0a"),
        ("8.6", "8.6"),
        ("ltoir", None),
    ],
)
def test_capabilities(text: str, capability: str | None) -> None:
    assert versions.capability(text) == capability


FORMS: list[tuple[str, str, BuildInfo]] = [
    (
        TENSORFLOW,
        "is_cuda_build = True\n\nmsvcp_dll_name = 'msvcp140.dll'\n",
        BuildInfo("tensorflow", is_cuda=True),
    ),
    (
        "tensorflow_core/python/platform/build_info.py",
        "is_rocm_build = False\nis_cuda_build = True\n\ncuda_version_number = '10.0'\ncudnn_version_number = '7'\n",
        BuildInfo("tensorflow", is_cuda=True, cuda="10.0", cudnn="7"),
    ),
    (
        TENSORFLOW,
        (
            "build_info = {'cuda_version': '64_101', 'cudnn_version': '64_7', 'cuda_compute_capabilities': "
            "['sm_35', 'sm_61', 'compute_70'], 'is_cuda_build': True, 'cudart_dll_name': 'cudart64_101.dll'}"
        ),
        BuildInfo("tensorflow", True, "10.1", "7", ("3.5", "6.1", "7.0"), ("7.0",)),
    ),
    (
        TENSORFLOW,
        (
            "import collections\nbuild_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', "
            "'compute_90']), ('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True)])"
        ),
        BuildInfo("tensorflow", True, "12.5", "9", ("6.0", "9.0"), ("9.0",)),
    ),
    (
        TENSORFLOW,
        "build_info = {'is_cuda_build': False, 'cuda_version': '64_112'}",
        BuildInfo("tensorflow", is_cuda=False),
    ),
    (TENSORFLOW, "", BuildInfo("tensorflow")),
    (
        "torch/version.py",
        (
            "from typing import Optional\n__version__ = '2.14.1+cu130'\ndebug = False\ncuda: Optional[str] = '13.0'\n"
            "hip: Optional[str] = None\n"
        ),
        BuildInfo("torch", True, "13.0", version="2.14.1+cu130"),
    ),
    ("torch/version.py", "cuda: Optional[str] = None\n", BuildInfo("torch", is_cuda=False)),
    (
        "onnxruntime/capi/build_and_package_info.py",
        "package_name = 'onnxruntime-gpu'\n__version__ = '1.31.1'\ncuda_version = '13.0'\n",
        BuildInfo("onnxruntime", True, "13.0", version="1.31.1"),
    ),
    (
        "onnxruntime/capi/version_info.py",
        'use_cuda = True\ncuda_version = "11.8.89"\ncudnn_version = "8"\nvs2019 = False\n',
        BuildInfo("onnxruntime", True, "11.8", "8"),
    ),
    (
        "paddle/version/__init__.py",
        (
            "full_version     = '2.6.2'\ncuda_version     = '11.8'\ncudnn_version    = '8.6.0'\n"
            "def show():\n    print(full_version)\n"
        ),
        BuildInfo("paddlepaddle", True, "11.8", "8.6.0", version="2.6.2"),
    ),
    ("paddle/version.py", "cuda_version = 'False'\n", BuildInfo("paddlepaddle", is_cuda=False)),
]


@pytest.mark.parametrize(("member", "source", "info"), FORMS)
def test_build_information_in_all_its_forms(member: str, source: str, info: BuildInfo) -> None:
    assert read_build(member, source) == info


def test_other_members_say_nothing_of_the_build() -> None:
    assert read_build("torch/_version.py", "cuda = '1'") is None


@given(st.text(max_size=200))
def test_any_text_is_constants_or_a_value_error(text: str) -> None:
    try:
        found = assigned(text)
    except ValueError:
        return
    assert isinstance(found, dict)


@pytest.mark.parametrize(
    ("tags", "where"),
    [
        ("cp310-cp310-win_amd64", Target("windows", "x86_64", None, ("3.10",), None)),
        (
            "cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64",
            Target("linux", "x86_64", "2.17", ("3.11",), None),
        ),
        ("py3-none-manylinux1_x86_64", Target("linux", "x86_64", "2.5", (), None)),
        ("cp39-abi3-manylinux_2_28_aarch64", Target("linux", "aarch64", "2.28", (), "3.9")),
        ("cp312-cp312-macosx_11_0_arm64", Target("macos", "arm64", None, ("3.12",), None)),
        ("py2.py3-none-any", Target(None, None, None, (), None)),
    ],
)
def test_tags(tags: str, where: Target) -> None:
    assert target(parse_tag(tags)) == where


def test_metadata_with_old_and_new_requirements() -> None:
    text = "Name: A_b\nVersion: 1\nRequires-Dist: z (>=1)\nRequires-Dist: a;\n  extra == 'x'\nProvides-Extra: x\n\n"
    found = read_metadata(text)
    assert found is not None
    assert (found.name, found.requires, found.extras) == ("a-b", ("a; extra == 'x'", "z (>=1)"), ("x",))
    assert read_metadata("Name: x\n") is None


def deep(members: dict[str, bytes]) -> dict[str, Any]:
    name, content = wheel(members=members)
    with open_wheel(io.BytesIO(content), name, None) as opened:
        return row_of(opened, deep=True)


def test_binaries_are_read_with_their_gpu_code() -> None:
    pe = PeMaker(imports={"KERNEL32.dll": ["x"]}, version=(1, 2, 3, 4)).content()
    elf = ElfMaker(needed=("libc.so.6",), wants={"libc.so.6": ("GLIBC_2.4", "GLIBC_2.17")}, runpath="$ORIGIN")
    row = deep(
        {
            "a/x.pyd": pe + FATBIN.read_bytes(),
            "a/y.so.1": elf.content(),
            "a/script.so": b"INPUT(libz.so)",
            "a/bad.dll": b"MZ" + bytes(80),
            "a/text.py": b"",
        }
    )
    assert row["libraries"] == ["a/bad.dll", "a/script.so", "a/x.pyd", "a/y.so.1"]
    bad, module, library = row["binaries"]
    assert bad == {"member": "a/bad.dll", "size": 82, "kind": "pe", "unreadable": "not-pe"}
    assert (module["needs"], module["version"]) == (["kernel32.dll"], "1.2.3.4")
    assert module["gpu_code"]["modules"] == 1
    assert module["gpu_code"]["reach"]["8.9"] == [0, 1, 0]
    assert (library["needs"], library["glibc"], library["runpath"]) == (["libc.so.6"], "2.17", ["$ORIGIN"])
    assert of_package("tensorflow", row["binaries"]) == (("7.5", "9.0", "10.0", "12.0"), ("12.0",))


def binary(sass: dict[str, int], ptx: dict[str, int], reach: dict[str, list[int]]) -> dict[str, Any]:
    from trueup.facts.harvest.readers.binaries import CARDS, LATER

    full = {card: reach.get(card, [0, 0, 1]) for card in (*CARDS, LATER)}
    return {"member": "x", "gpu_code": {"modules": 1, "sass": sass, "ptx": ptx, "reach": full}}


def test_a_package_serves_the_cards_that_all_its_binaries_serve() -> None:
    one = binary({"5.0": 9, "9.0a": 9}, {"9.0": 9}, {"5.0": [9, 0, 0], "9.0": [9, 0, 0], "99.0": [0, 9, 0]})
    two = binary({"7.5": 9, "9.0": 9}, {"8.0": 9}, {"7.5": [9, 0, 0], "9.0": [9, 0, 0], "99.0": [0, 9, 0]})
    assert of_libraries([one, two]) == (("9.0",), ("8.0",))


def test_ptx_for_a_third_of_a_library_is_no_promise() -> None:
    cudnn = binary({"9.0": 512}, {"9.0": 172}, {"9.0": [512, 0, 252], "99.0": [0, 172, 592]})
    assert of_libraries([cudnn]) == (("9.0",), ())


def test_code_for_one_family_serves_no_later_card() -> None:
    only = binary({"12.0f": 5}, {"12.0f": 5}, {"12.0": [5, 0, 0], "12.1": [5, 0, 0]})
    assert of_libraries([only]) == (("12.0",), ())


def test_a_package_without_gpu_code() -> None:
    assert of_libraries([{"member": "x"}]) == ((), ())
    assert of_framework([{"member": "x"}]) == ((), ())


def test_a_framework_is_its_main_library() -> None:
    main = binary({"7.5": 9, "8.0": 9}, {}, {"7.5": [9, 0, 0], "8.0": [9, 0, 0]})
    side = binary({"8.0": 2}, {"8.0": 2}, {"8.0": [2, 0, 0], "99.0": [0, 2, 0]})
    main["gpu_code"]["modules"] = 9
    assert of_package("torch", [side, main]) == (("7.5", "8.0"), ())
    assert of_package("nvidia-cudnn-cu12", [side, main]) == (("8.0",), ())


def test_a_few_modules_of_a_framework_are_no_support() -> None:
    main = binary(
        {"5.0": 8, "8.0": 600, "9.0": 200},
        {"9.0": 600},
        {"5.0": [8, 0, 592], "8.0": [600, 0, 0], "9.0": [200, 400, 0], "99.0": [0, 600, 0]},
    )
    assert of_framework([main]) == (("8.0", "9.0"), ("9.0",))
