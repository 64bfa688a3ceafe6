"""The user's own work in a folder: files that no installer brought. In doubt, a file is the user's."""

from __future__ import annotations

import csv
import json
import posixpath
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal

from trueup.keep.clean.tree import Walk
from trueup.setup.files import long

if TYPE_CHECKING:
    from pathlib import Path

Profile = Literal["python", "conda", "toolkit", "package", "anything"]

MOST_NAMED: Final = 8
# what programs write by themselves
CACHED: Final = (".pyc", ".pyo", ".nbi", ".nbc", ".tmp", ".log", ".lock")
MADE: Final = re.compile(
    r"(^|/)(__pycache__|\.ipynb_checkpoints)/|(^|/)(desktop\.ini|thumbs\.db|\.ds_store)$", re.IGNORECASE
)
NOTEBOOKS: Final = (".ipynb",)
# in a package or toolkit these alone are taken for work of the user
WORK: Final = (
    *(".ipynb", ".csv", ".tsv", ".xls", ".xlsx", ".doc", ".docx", ".ppt", ".pptx", ".odt", ".parquet"),
    *(".h5", ".hdf5", ".keras", ".pt", ".pth", ".ckpt", ".onnx", ".pb", ".tflite", ".safetensors"),
    *(".npy", ".npz", ".mat", ".pkl", ".joblib", ".sqlite", ".db", ".jpg", ".jpeg", ".png", ".mp4"),
)
PYTHON_TOP: Final = re.compile(
    r"(python[\w.]*\.(exe|dll|zip|_pth|pdb)|pythonw?[\d.]*|vcruntime\w*\.dll|license(\.txt)?|news\.txt|py\.ico"
    r"|uninstall\.exe|readme[\w.]*|build|\.python-version|pip-selfcheck\.json|pyvenv\.cfg|trueup\.json|pylock\.toml"
    r"|\.gitignore|cachedir\.tag|lib64)$",
    re.IGNORECASE,
)
PYTHON_FOLDERS: Final = ("dlls", "doc", "include", "libs", "tcl", "tools", "share", "man")
TOOLKIT_FOLDERS: Final = frozenset(
    {
        *("bin", "lib", "lib64", "include", "extras", "nvvm", "nvml", "libnvvp", "compute-sanitizer", "src"),
        *("doc", "docs", "share", "tools", "targets", "nvvm-prev", "libnsight", "nsight", "nsightee_plugins"),
        *("computeprof", "jre", "pkgconfig", "visual_studio_integration", "nsight-compute", "nsight-systems"),
        *("cuda_visual_studio_integration", "gds", "gds-12", "nvidia", "installer", "logs", "visualstudio"),
    }
)
TOOLKIT_FILES: Final = re.compile(
    r"(version\.(json|txt)|eula\.txt|license[\w.]*|cuda_toolkit_release_notes\.txt|release\.txt|readme[\w.]*"
    r"|[\w.]*documentation[\w.]*\.html?|cudnn[\w.-]*\.(txt|h)|docs|deviceemulation)$",
    re.IGNORECASE,
)


def own_files(root: Path, profile: Profile) -> tuple[tuple[str, ...], bool]:
    """Return the first files of the user's in a tree, and whether all of it was looked through."""
    known = _known(root) if profile in ("python", "conda") else frozenset()
    walk = Walk(root)
    found = []
    for name, _ in walk.files():
        if not _brought(name, profile, known):
            found.append(name)
            if len(found) >= MOST_NAMED:
                break
    return tuple(sorted(found)), walk.whole and not walk.closed


def _brought(name: str, profile: Profile, known: frozenset[str]) -> bool:
    low = name.lower()
    if not low or low.endswith(CACHED) or MADE.search(low):
        return True
    if profile == "package":
        return not low.endswith(WORK)
    if profile == "toolkit":
        top, _, rest = low.partition("/")
        if rest:
            return top in TOOLKIT_FOLDERS and not low.endswith((*WORK, ".py"))
        return bool(TOOLKIT_FILES.match(low))
    if profile == "anything":
        return False
    return low in known or _of_python(low, conda=profile == "conda")


def _of_python(low: str, *, conda: bool) -> bool:
    """Tell whether a file is where an interpreter and its installer put theirs."""
    top, _, rest = low.partition("/")
    if not rest:
        return bool(PYTHON_TOP.match(low))
    if low.endswith(NOTEBOOKS):
        return False
    if conda and top in ("conda-meta", "pkgs"):
        return True
    if top in PYTHON_FOLDERS:
        return not low.endswith(WORK)
    library = re.match(r"(?:lib/python\d\.\d+|lib)/([^/]+)(/|$)", low)
    if library and library[1] not in ("site-packages", "dist-packages"):
        return _of_library(library[1])
    return bool(
        re.match(r"(scripts|bin)/(pip|easy_install|python|idle|pydoc|2to3|activate|deactivate)[\w.-]*$", low)
    )


def _of_library(name: str) -> bool:
    stem = name.partition(".")[0]
    extra = (
        "config-",
        "lib2to3",
        "libpython",
        "pkgconfig",
        "site",
        "lib-dynload",
        "idlelib",
        "turtledemo",
        "test",
    )
    names = {module.lower() for module in sys.stdlib_module_names}
    gone = {
        "distutils",
        "asynchat",
        "asyncore",
        "imp",
        "smtpd",
        "dummy_threading",
        "formatter",
        "parser",
        "symbol",
    }
    return stem in names | gone or name.startswith(
        (*extra, "_sysconfigdata", "plat-", "license", "tcl", "tk", "itcl")
    )


def _known(root: Path) -> frozenset[str]:
    """Return the files that packages list, as lower-case `a/b` from the root."""
    names: set[str] = set()
    top = long(root)
    for pattern in ("Lib/site-packages", "lib/python*/site-packages", "site-packages"):
        for place in top.glob(pattern):
            inside = place.relative_to(top).as_posix()
            for record in place.glob("*.dist-info/RECORD"):
                with suppress(OSError, csv.Error):
                    names |= _listed(record, inside)
            names |= {
                posixpath.normpath(f"{inside}/{path.name}").lower()
                for wanted in ("README.txt", "*.pth", "_virtualenv.py", "_trueup_hook*.py")
                for path in place.glob(wanted)
            }
            names |= {
                f"{path.parent.relative_to(top).as_posix()}/{path.name}".lower()
                for path in place.glob("*-info/*")
            }
    for record in top.glob("conda-meta/*.json"):
        with suppress(OSError, ValueError, AttributeError):
            names |= {str(name).lower() for name in json.loads(record.read_text("utf-8")).get("files", ())}
    return frozenset(names)


def _listed(record: Path, inside: str) -> set[str]:
    with record.open(encoding="utf-8", errors="replace", newline="") as lines:
        rows = [line[0] for line in csv.reader(lines) if line]
    return {posixpath.normpath(f"{inside}/{row}").lower() for row in rows}
