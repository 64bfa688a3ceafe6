"""Makes libraries findable for a framework right before its first line runs. Written by trueup.

Loaded by `_trueup_hook` on the first import of a framework. Runs on Python 3.6 and newer, depends on nothing.
"""
# Python 3.6 must read it, and a start of Python waits for it: no pathlib, imports where they are needed.

import os
import sys

from _trueup_hook import did  # type: ignore[import-not-found]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WINDOWS = os.name == "nt"
# In this order nothing has to be searched: what one needs stands before it. CUDA, then cuDNN.
CUDA_DLLS = [
    *["cudart64_", "nvJitLink_", "cublasLt64_", "cublas64_", "cufft64_", "curand64_", "cusparse64_"],
    *["cusolver64_", "nvrtc-builtins64_", "nvrtc64_"],
]
CUDNN_DLLS = [
    *["cudnn_ops_infer64_", "cudnn_cnn_infer64_", "cudnn_ops_train64_", "cudnn_adv_infer64_"],
    *["cudnn_cnn_train64_", "cudnn_adv_train64_", "cudnn_graph64_", "cudnn_ops64_", "cudnn_adv64_"],
    *["cudnn_cnn64_", "cudnn_engines_precompiled64_", "cudnn_engines_runtime_compiled64_"],
    *["cudnn_heuristic64_", "cudnn64_"],
]
CU11 = [
    *["libcudart.so.11.0", "libcublasLt.so.11", "libcublas.so.11", "libcufft.so.10", "libcurand.so.10"],
    *["libcusparse.so.11", "libcusolver.so.11", "libnvrtc.so.11.2", "libcudnn.so.8"],
]
CU12 = [
    *["libcudart.so.12", "libnvJitLink.so.12", "libcublasLt.so.12", "libcublas.so.12", "libcufft.so.11"],
    *["libcurand.so.10", "libcusparse.so.12", "libcusolver.so.11", "libcudnn.so.8", "libcudnn.so.9"],
    *["libnvrtc.so.12", "libnccl.so.2"],
]
CU13 = [
    *["libcudart.so.13", "libnvJitLink.so.13", "libcublasLt.so.13", "libcublas.so.13", "libcufft.so.12"],
    *["libcurand.so.10", "libcusparse.so.12", "libcusolver.so.12", "libnvrtc.so.13", "libcudnn.so.9"],
]

_kept = []  # type: list[Any]  # an opened library stays open as long as the process


def prepare(name: "str", site: "str", needs: "str") -> "None":
    """Make libraries findable for one framework that lies in the folder `site`."""
    did("import", name)
    if WINDOWS and "vc" in needs:
        _vc_runtime()
    if "cuda" not in needs:
        return
    version = _version(site) if name == "tensorflow" else None
    sites = [os.path.dirname(os.path.abspath(__file__)), site]
    packages = [p for s in dict.fromkeys(sites) for p in _subfolders(os.path.join(s, "nvidia"))]
    chosen = _chosen()
    if not _for_gpu(name, site, version):
        did("skip", "a build without GPU support")
    elif not packages and not chosen:
        did("skip", "no nvidia folder")
    elif not (_driver_windows() if WINDOWS else _driver_linux()):
        did("skip", "no driver")
    else:
        _windows(packages, chosen) if WINDOWS else _linux(packages, version, site, chosen)
        # TensorFlow from 2.15 on looks into nvidia/cuda_nvcc itself.
        if name == "tensorflow" and (version is None or version < (2, 15)):
            _libdevice(packages)


def _for_gpu(name: "str", site: "str", version: "tuple[int, ...] | None") -> "bool":
    if name == "onnxruntime":
        return any("providers_cuda" in n for n in _names(os.path.join(site, name, "capi")))
    if any(n.startswith("tensorflow_cpu-") for n in _names(site)):
        return version is not None  # left over beside another one
    return not (WINDOWS and version is not None and version >= (2, 11))


def _names(folder: "str") -> "list[str]":
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _subfolders(folder: "str") -> "list[str]":
    return [os.path.join(folder, n) for n in _names(folder) if not n.startswith((".", "_"))]


def _chosen() -> "list[str]":
    """Return the folders of a toolkit that `trueup cuda use` wrote down for this environment alone."""
    try:
        with open(os.path.join(sys.prefix, "trueup-cuda.txt"), encoding="utf-8-sig") as file:
            lines = [line.strip() for line in file]
    except (OSError, ValueError):
        return []
    found = [line for line in lines if os.path.isabs(line) and os.path.isdir(line)]
    for line in lines:
        if line and line not in found:
            did("missing", line)
    return found


def _version(site: "str") -> "tuple[int, ...] | None":
    """Return (major, minor) of the TensorFlow in `site`; None where its metadata does not say one thing."""
    found = set()
    for entry in _names(site):
        stem, _, rest = entry.partition("-")
        if entry.endswith(".dist-info") and stem in ("tensorflow", "tensorflow_gpu", "tensorflow_intel"):
            numbers = rest.split(".")[:2]
            if all(n.isdigit() for n in numbers):
                found.add(tuple(int(n) for n in numbers))
    return found.pop() if len(found) == 1 else None


def _ctypes() -> "Any":
    import ctypes

    return ctypes


def _load(path: "str") -> "None":
    ctypes = _ctypes()
    try:
        _kept.append(ctypes.WinDLL(path) if WINDOWS else ctypes.CDLL(path))
    except OSError as error:
        did("failed", f"{path}: {error}")
    else:
        did("preload", path)


# --- Linux and WSL2 ---------------------------------------------------------------------------------------


def _driver_linux() -> "bool":
    try:
        _kept.append(_ctypes().CDLL("libcuda.so.1"))
    except OSError:
        return False
    return True


def _linux(
    packages: "list[str]", version: "tuple[int, ...] | None", site: "str", first: "list[str]"
) -> "None":
    """Open the libraries by full path: a later `dlopen` of the bare name is answered by the soname.

    Their symbols stay local, so that no other framework's are shadowed. Releases from 2.14 on look into the
    nvidia folder themselves, but 2.16 and 2.21 miss single libraries there: the files are the same, so all
    are served.
    """
    files = {}  # type: dict[str, str]
    for folder in first + [os.path.join(package, "lib") for package in packages]:
        for name in _names(folder):
            files.setdefault(name, os.path.join(folder, name))
    wanted = CU11 if version and version < (2, 15) else CU12 if version else CU11 + CU12 + CU13
    only_if_loaded = getattr(os, "RTLD_NOLOAD", 4)
    for name in dict.fromkeys(wanted):
        if name in files:
            try:
                _ctypes().CDLL(name, mode=only_if_loaded)
            except OSError:
                others = os.path.join(site, "torch", "lib", name)
                _load_newer(files[name], others) if "cudnn" in name and os.path.exists(others) else _load(
                    files[name]
                )
            else:
                did("loaded-before", name)


def _versioned(path: "str") -> "tuple[Any, int]":
    try:
        library = _ctypes().CDLL(path)
        return library, library.cudnnGetVersion()
    except (OSError, AttributeError) as error:
        did("failed", f"{path}: {error}")
        return None, 0


def _load_newer(own: "str", torchs: "str") -> "None":
    """Load the newer of two cuDNNs: each framework takes a newer one than it was built with, none an older.

    A torch of its own index carries one, and would find ours under the same name.
    """
    import _ctypes as loader

    found = []  # type: list[tuple[int, str, Any]]
    for path in (torchs, own):
        library, version = _versioned(path)
        if library is not None:
            found.append((version, path, library))
    found.sort(key=lambda one: one[0])
    for version, path, library in found[:-1]:
        loader.dlclose(library._handle)  # type: ignore[attr-defined,unused-ignore]  # noqa: SLF001
        did("older", f"{path}: {version}")
    for _, path, library in found[-1:]:
        _kept.append(library)
        did("preload", path)


# --- Windows ----------------------------------------------------------------------------------------------


def _before_path() -> "list[str]":
    """Return where a bare name is looked for before PATH: application, system and current folder."""
    ctypes = _ctypes()
    program = ctypes.create_unicode_buffer(32768)
    ctypes.WinDLL("kernel32").GetModuleFileNameW(None, program, 32768)
    return [os.path.dirname(program.value), _system(), os.path.dirname(_system()), os.getcwd()]


def _system() -> "str":
    return os.path.join(os.environ.get("SYSTEMROOT", "C:\\Windows"), "System32")


def _driver_windows() -> "bool":
    folders = _before_path() + os.environ.get("PATH", "").split(os.pathsep)
    return any(f and os.path.exists(os.path.join(f, "nvcuda.dll")) for f in folders)


def _windows(packages: "list[str]", first: "list[str]") -> "None":
    """Put the folders in front of PATH; load by full path only what would be found elsewhere before it.

    TensorFlow and cuDNN ask by bare name, which `os.add_dll_directory` does not serve.
    """
    places = (("bin",), ("lib", "x64"), ("bin", "x86_64"))
    folders = first + [os.path.join(package, *place) for package in packages for place in places]
    folders = [f for f in folders if any(n.lower().endswith((".dll", ".exe")) for n in _names(f))]
    ours = [os.path.normcase(f) for f in folders]
    rest = [p for p in os.environ.get("PATH", "").split(os.pathsep) if os.path.normcase(p) not in ours]
    every = os.environ.get("TRUEUP_HOOK") == "preload" or _packaged()
    try:
        os.environ["PATH"] = os.pathsep.join(folders + rest)
        did("path", os.pathsep.join(folders))
    except (ValueError, OSError) as error:  # longer than Windows allows
        every = True
        did("failed", f"PATH: {error}")
    shadows = {n.lower() for f in _before_path() for n in _names(f)}
    files = [(n, os.path.join(f, n)) for f in folders for n in _names(f)]
    for family in (CUDA_DLLS, CUDNN_DLLS):
        chosen = [(n, p) for start in family for n, p in files if n.startswith(start)]
        if every or any(n.lower() in shadows for n, _ in chosen):
            for name, path in chosen:
                _load_once(name, path)


def _packaged() -> "bool":
    """Tell whether this is a Store Python: for such a program Windows searches no PATH."""
    ctypes = _ctypes()
    ask = getattr(ctypes.WinDLL("kernel32"), "GetCurrentPackageFullName", None)
    no_package = 15700
    return ask is not None and ask(ctypes.byref(ctypes.c_uint32(0)), None) != no_package


def _load_once(name: "str", path: "str") -> "None":
    ctypes = _ctypes()
    kernel32 = ctypes.WinDLL("kernel32")
    kernel32.GetModuleHandleW.restype = ctypes.c_void_p
    if kernel32.GetModuleHandleW(ctypes.c_wchar_p(name)):
        did("loaded-before", name)
    else:
        _load(path)


def _vc_runtime() -> "None":
    """Load the environment's copy of the VC++ runtime, unless System32 has the same or a newer one.

    In a venv neither place of the copies is the application folder: the base Python's is.
    """
    for name in ("vcruntime140_1.dll", "msvcp140.dll", "msvcp140_1.dll"):
        places = (os.path.join(sys.prefix, "Scripts", name), os.path.join(sys.prefix, name))
        copy = next(filter(os.path.exists, places), None)
        if copy and _file_version(copy) > _file_version(os.path.join(_system(), name)):
            _load_once(name, copy)


def _file_version(path: "str") -> "tuple[int, int]":
    """Return the two words of a DLL's version; (0, 0) where there is no file, (0, 1) no version."""
    if not os.path.exists(path):
        return (0, 0)
    ctypes = _ctypes()
    api, name = ctypes.WinDLL("version"), ctypes.c_wchar_p(path)
    size = api.GetFileVersionInfoSizeW(name, None)
    data = ctypes.create_string_buffer(size or 1)
    value, length = ctypes.c_void_p(), ctypes.c_uint()
    if not (
        size
        and api.GetFileVersionInfoW(name, 0, size, data)
        and api.VerQueryValueW(data, ctypes.c_wchar_p("\\"), ctypes.byref(value), ctypes.byref(length))
    ):
        return (0, 1)
    words = ctypes.cast(value, ctypes.POINTER(ctypes.c_uint32))
    return (words[2], words[3])


# --- XLA --------------------------------------------------------------------------------------------------


def _libdevice(packages: "list[str]") -> "None":
    """Name the folder of libdevice and ptxas to XLA, unless the user set flags of his own."""
    flag = "--xla_gpu_cuda_data_dir="
    have = os.environ.get("XLA_FLAGS", "").strip()
    # One that a parent process in another environment was given by its hook is replaced.
    inherited = have.startswith(flag) and have.rstrip("'").endswith("cuda_nvcc") and have.count("--") == 1
    if have and not inherited:
        did("xla-kept", have)
        return
    for package in packages:
        if os.path.exists(os.path.join(package, "nvvm", "libdevice", "libdevice.10.bc")):
            if WINDOWS and any(ord(c) > 127 for c in package):
                did("skip", f"XLA reads no such path: {package}")
                return
            os.environ["XLA_FLAGS"] = flag + (f"'{package}'" if " " in package else package)
            did("xla", package)
            return
