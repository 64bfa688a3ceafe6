"""Mistakes of the kind that tutorials hold, in words of our own: as a page has them and as it lost its signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from audit_judge import Judge, Rules

# What is wrong in published tutorials, said anew: (rule, English, Chinese without its signs, or damaged).
MISTAKES = [
    (
        "no-windows-gpu",
        "On Windows, TensorFlow 2.14 works with CUDA 11.8.",
        "Windows下TensorFlow 2.14配CUDA 11.8就能用GPU。",
    ),
    (
        "cuda-other",
        "TensorFlow 2.12 needs CUDA 11.2 on Ubuntu.",
        "Windows同時(shí)裝TensorFlow 2.9需CUDA 11.2和2.3需CUDA 11.0。",
    ),
    (
        "cudnn-other",
        "For Linux: TensorFlow 2.15 with CUDA 12.2 and cuDNN 8.6.",
        "Linux上TensorFlow 2.15要求CUDA 12.2 cuDNN 8.6。",
    ),
    (
        "python-no-wheel",
        "TensorFlow 2.10 runs on Python 3.8-3.11 under Windows.",
        "Windows的TensorFlow 2.10支持的Python版本是3.8–3.11。",
    ),
    (
        "companion-open",
        "Windows GPU:\n\n    pip install tensorflow-gpu==2.9.3\n",
        "Windows显卡 激活环境后pip install tensorflow-gpu2.9.3注意版本",
    ),
    (
        "series-too-wide",
        "On Windows TensorFlow 2.10 supports GTX 600 series and above.",
        "Windows安装TensorFlow 2.10，GTX 600系列及以上的显卡都支持。",
    ),
    (
        "driver-is-newer",
        "Your driver 551.23 is lower than 528.33, so CUDA 12.2 fails.",
        "驅(qū)動(dòng)是551.23但要求最低528.33差了很多。",
    ),
    (
        "defender-extension",
        "Run `Add-MpPreference -ExclusionExtension dll` first.",
        "管理員執(zhí)行Set-MpPreference -ExclusionExtension .pyd即可",
    ),
    (
        "mklink-self",
        "mklink /D C:\\cuda\\v12 C:\\cuda\\v12",
        "創(chuàng)建符號鏈接mklink /J v10.1 v10.1這樣就行",
    ),
    (
        "setx-path",
        'setx PATH "%PATH%;C:\\cuda\\bin"',
        "手动添加setx PATH %PATH%;C:\\cuda\\bin然后新开终端",
    ),
    (
        "cuda-path",
        "TensorFlow reads CUDA_PATH to find cudart.",
        "TensorFlow只認(rèn)CUDA_PATH這個(gè)環(huán)境變量。",
    ),
    (
        "studio-driver",
        "PyTorch needs the Game Ready driver; don't use Studio drivers.",
        "根源是Studio驅(qū)動(dòng)和Game Ready驅(qū)動(dòng)的差異。",
    ),
    (
        "gzip-powershell",
        "`invalid compressed data` appears because PowerShell cannot unzip.",
        "invalid compressed data是PowerShell的問題",
    ),
    (
        "cudnn-memory",
        "CUDNN_STATUS_INTERNAL_ERROR means you ran out of memory.",
        "CUDNN_STATUS_INTERNAL_ERROR显存不足",
    ),
    (
        "zlib-anywhere",
        "Get zlibwapi.dll from dll-files and unpack it.",
        "缺少zlibwapi.dll时从百度网盘下载。",
    ),
    (
        "dll-to-system32",
        "Copy cudnn64_8.dll to C:\\Windows\\System32.",
        "把cudnn64_8.dll複製到C:\\Windows\\System32。",
    ),
    (
        "kmp-duplicate",
        'os.environ["KMP_DUPLICATE_LIB_OK"] = "TRUE"',
        "加上os.environ['KMP_DUPLICATE_LIB_OK']='True'即可",
    ),
    (
        "renamed-library",
        "Rename cusolver64_11.dll to cusolver64_10.dll.",
        "將cusolver64_11.dll重命名為cusolver64_10.dll。",
    ),
    (
        "newest-no-more",
        "The latest version of TensorFlow is 2.15.",
        "TensorFlow 2.15當(dāng)前穩(wěn)定版",
    ),
]


@pytest.mark.parametrize(("rule", "english", "chinese"), MISTAKES, ids=[row[0] for row in MISTAKES])
def test_the_mistake_is_found(rule: str, english: str, chinese: str, rules: Rules) -> None:
    assert rule in rules(english)
    assert rule in rules(chinese)


RIGHT = [
    "On Windows, TensorFlow 2.10 needs CUDA 11.2 and cuDNN 8.1 with Python 3.7-3.10.",
    "TensorFlow 2.10 was the last release with a GPU on native Windows; 2.11 and later need WSL2.",
    "Windows上TensorFlow 2.10是最后一代，2.11以后的版本只有CPU版。",
    "nvidia-smi on Windows shows CUDA Version: 12.4; that is what the driver can carry.",
    "Your driver 452.10 is lower than 528.33.",
    "TensorFlow 2.15 needs CUDA 12.2, not CUDA 11.8, on Linux.",
    "As of TensorFlow 2.21, Python 3.9 is no longer supported on Linux.",
    "On Linux use TensorFlow 2.15 with CUDA 12.2 and cuDNN 8.9.7.",
    "PyTorch 2.1 with CUDA 11.8 and TensorFlow side by side on Windows.",
    "TensorFlow does not read CUDA_PATH.",
    "Never copy DLLs to C:\\Windows\\System32.",
    "setx CUDA_HOME C:\\cuda",
    "mklink /D current v11.2",
    "Add-MpPreference -ExclusionPath C:\\envs\\tf",
    "Get zlibwapi.dll as docs.nvidia.com describes: download it there.",
    'Windows GPU:\n\n    pip install "tensorflow==2.10.1" "numpy<1.24" "protobuf<3.20"\n',
    "RTX 20 series and above run TensorFlow 2.10 on Windows.",
    "The latest version of TensorFlow is 2.21.",
    "Python 3.9-3.11 and pip >= 20.3 on macOS for TensorFlow 2.21.",
]


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_right_is_left_alone(text: str, rules: Rules) -> None:
    assert rules(text) == set()


def test_the_answer_names_the_right_pair(judge: Judge) -> None:
    found = judge("TF 2.15 on native Windows with CUDA 11.8 and cuDNN 8.6").findings
    by_rule = {finding.rule: finding for finding in found}
    assert by_rule["no-windows-gpu"].problem.params["last"] == "2.10"
    assert dict(by_rule["cuda-other"].problem.params) == {
        "version": "2.15", "claimed": "11.8", "cuda": "12.2", "cudnn": "8.9",
    }  # fmt: skip
    assert all(finding.source.date for finding in found)


def test_one_fault_said_twice_is_one_finding_with_two_places(judge: Judge) -> None:
    text = "Windows\nTensorFlow 2.15 with CUDA 11.8.\n\nSo TensorFlow 2.15 takes CUDA 11.8.\n"
    finding = next(f for f in judge(text).findings if f.rule == "cuda-other")
    assert [place.line for place in finding.places] == [2, 4]
    assert finding.places[0].quote == "TensorFlow 2.15 with CUDA 11.8"


def test_the_quote_is_what_was_written(judge: Judge) -> None:
    text = "第一行\n先執(zhí)行 Set-MpPreference -ExclusionExtension .dll"
    place = judge(text).findings[0].places[0]
    assert (place.line, place.quote) == (2, "Set-MpPreference -ExclusionExtension .dll")
    assert text.splitlines()[1][place.column - 1 :].startswith("Set-MpPreference")


def test_the_system_can_be_told(rules: Rules) -> None:
    text = "TensorFlow 2.15 with CUDA 12.2"
    assert rules(text) == set()
    assert rules(text, system="linux") == set()
    assert rules(text, system="windows-native") == {"no-windows-gpu"}


def test_a_heading_says_for_which_system_its_part_is(rules: Rules) -> None:
    both = "# Linux\n\nTensorFlow 2.15 with CUDA 12.2\n\n# Windows\n\nTensorFlow 2.10 with CUDA 11.2\n"
    assert rules(both) == set()
    assert rules(both.replace("2.10 with CUDA 11.2", "2.15 with CUDA 12.2")) == {"no-windows-gpu"}


TABLE = "| Version | Python version | cuDNN | CUDA |\n| --- | --- | --- | --- |\n| tensorflow-2.13.0 | 3.8-3.11 | 8.6 | {cuda} |\n"
HTML = (
    "<table><tr><th>Version</th><th>CUDA</th></tr><tr><td>tensorflow-2.13.0</td><td>{cuda}</td></tr></table>"
)


@pytest.mark.parametrize("table", [TABLE, HTML])
def test_tables(table: str, rules: Rules) -> None:
    assert rules("Linux\n\n" + table.format(cuda="11.8")) == set()
    assert "cuda-other" in rules("Linux\n\n" + table.format(cuda="11.2"))
