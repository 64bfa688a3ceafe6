"""Writes small wheels, honest and forged."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

INFO_2_10 = (
    "# Copyright\nimport collections\n\nbuild_info = collections.OrderedDict(["
    "('cuda_compute_capabilities', ['sm_35', 'sm_50', 'sm_75', 'compute_80']), ('cuda_version', '64_112'), "
    "('cudart_dll_name', 'cudart64_112.dll'), ('cudnn_version', '64_8'), ('is_cuda_build', True)])\n"
)
METADATA = (
    "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Python: >=3.7\n"
    "Requires-Dist: numpy (>=1.20)\nRequires-Dist: absl-py (>=1.0.0)\nProvides-Extra: and-cuda\n\nText\n"
)
BUILD_INFO = "tensorflow/python/platform/build_info.py"


def wheel(
    *,
    name: str = "tensorflow",
    version: str = "2.10.1",
    tag: str = "cp310-cp310-win_amd64",
    members: Mapping[str, bytes] | None = None,
    metadata: str = METADATA,
    record: Mapping[str, str] | None = None,
) -> tuple[str, bytes]:
    """Return file name and content; `record` replaces hashes of RECORD."""
    folder = f"{name.replace('-', '_')}-{version}.dist-info"
    content = dict({BUILD_INFO: INFO_2_10.encode()} if members is None else members)
    content[f"{folder}/METADATA"] = metadata.format(name=name, version=version).encode()
    hashes = {member: _hash(data) for member, data in content.items()} | dict(record or {})
    rows = [f"{member},{hashes[member]},{len(data)}" for member, data in content.items()]
    content[f"{folder}/RECORD"] = "\n".join([*rows, f"{folder}/RECORD,,"]).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in content.items():
            archive.writestr(zipfile.ZipInfo(member, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return f"{name.replace('-', '_')}-{version}-{tag}.whl", buffer.getvalue()


def _hash(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
