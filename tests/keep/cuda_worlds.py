"""Machines with global toolkits, described in files and versions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "machine"))
from world import World  # lies beside the tests of the machine

CUDA = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA"
STEMS = ("cublas64_11", "cublasLt64_11", "cufft64_10", "curand64_10", "cusolver64_11", "cusparse64_11")
PARTS8 = ("cudnn64_8", *(f"cudnn_{n}64_8" for n in (
    "ops_infer", "cnn_infer", "adv_infer", "ops_train", "cnn_train", "adv_train")))  # fmt: skip
PARTS9 = ("cudnn64_9", *(f"cudnn_{n}64_9" for n in (
    "graph", "ops", "cnn", "adv", "heuristic", "engines_precompiled", "engines_runtime_compiled")))  # fmt: skip
CUBLAS = {"11.2": "6.14.11.11040", "11.8": "6.14.11.11113"}
LIBCUBLAS = {"11.2": "11.4.1.1043", "11.8": "11.11.3.6"}


def resource(cuda: str) -> str:
    major, minor = cuda.split(".")
    return f"6.14.11.{int(major) * 1000 + int(minor) * 10}"


def header(version: str) -> str:
    names = zip(("MAJOR", "MINOR", "PATCHLEVEL"), version.split("."), strict=False)
    return "".join(f"#define CUDNN_{name} {number}\n" for name, number in names)


def toolkit(
    cuda: str = "11.8", cudnn: str | None = "8.9.5.29", parts: tuple[str, ...] = PARTS8
) -> dict[str, Any]:
    """Return `files`, `versions` and `runs` of a whole toolkit, with a cuDNN copied into it."""
    root = f"{CUDA}\\v{cuda}"
    nvcc = f"{root}\\bin\\nvcc.exe"
    versions = {f"{root}\\bin\\cudart64_110.dll": resource(cuda)}
    versions |= {f"{root}\\bin\\{stem}.dll": CUBLAS[cuda] for stem in STEMS}
    claims = {"cuda": {"version": f"{cuda}.0"}, "libcublas": {"version": LIBCUBLAS[cuda]}}
    files = {f"{root}\\version.json": json.dumps(claims), nvcc: "<pe64>"}
    if cudnn:
        versions |= {f"{root}\\bin\\{part}.dll": cudnn for part in parts}
        files |= {f"{root}\\include\\cudnn_version.h": header(cudnn), f"{root}\\lib\\x64\\cudnn.lib": "lib"}
    files |= dict.fromkeys(versions, "<pe64>")
    out = f"Cuda compilation tools, release {cuda}, V{cuda}.89\n"
    return {"files": files, "versions": versions, "runs": {f"{nvcc} --version": {"code": 0, "out": out}}}


def windows(*parts: dict[str, Any], path: tuple[str, ...] = (), **env: str) -> World:
    """Return a Windows PC with these toolkits; `path` comes before System32."""
    data: dict[str, Any] = {
        "platform": "windows",
        "system": {"machine": "AMD64", "release": "10.0.19045"},
        "env": {
            "SYSTEMROOT": "C:\\Windows",
            "PROGRAMFILES": "C:\\Program Files",
            "USERPROFILE": "C:\\Users\\li",
            "PATH": ";".join((*path, "C:\\Windows\\System32")),
            **env,
        },
        "files": {},
        "versions": {},
        "runs": {},
        "packages": {},
    }
    for part in parts:
        for key, value in part.items():
            data[key] |= value
    return World(data)


def linux(files: dict[str, str], links: dict[str, str] | None = None, **env: str) -> World:
    """Return a Linux machine with these files."""
    data = {
        "platform": "linux",
        "system": {"machine": "x86_64", "release": "6.8"},
        "env": env,
        "files": files,
    }
    return World({**data, "links": links or {}})
