"""How the facts of a case stand to each other: the names that the catalog's conditions ask for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.version import Version

from trueup.diagnose import cards, eras
from trueup.diagnose.case import NAMED, Case, canonical, is_card, version
from trueup.diagnose.condition import Circumstances
from trueup.diagnose.own import own, unexplained
from trueup.diagnose.visible import renumbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.diagnose.model import Observation

Versions = dict[str, tuple[Version, ...]]
FEW = 4  # of eight: one package brings up to two, and each library fails whose own needs are away
TOOLKIT = ("cudart", "cublas", "cublaslt", "cufft", "curand", "cusolver", "cusparse", "nvrtc")
NOTHING = frozenset(("none", "not installed", "no cuda", "no driver", "未安装", "无", "没有安装"))
ARCHES = re.compile(r"sm_(\d{2,3})")
LONG_PATH = re.compile(r"[a-z]:\\[^'\"<>|*?\n]{200,}", re.IGNORECASE)
ODD_PATH = re.compile(
    r"[a-z]:\\[^'\"<>|*?:\n]{0,200}[^\x00-\x7f]|(?:/home|/Users)/[^/\s]{0,60}[^\x00-\x7f]", re.IGNORECASE
)
CPU_AVX = re.compile(  # what has AVX for certain: from the second generation of Core and from Ryzen on
    r"\bi[3579][- ](?:[2-9]\d{3}|1\d{4})[a-z]{0,3}\b|\bryzen\b|threadripper|\bepyc\b|core ultra|xeon (?:gold|silver|platinum)"
    r"|xsave avx\b|sse4_2 avx\b",
    re.IGNORECASE,
)
MAJORS = {1: "2.0", 11: "12.0"}  # capabilities that no toolkit lists under their .0
PRODUCT_NUMBERS = {"need-tag": "need-cudnn", "py": "python", "sm": "cap", "cu": "built-cuda"}


def relate(case: Case, observations: Iterable[Observation]) -> Circumstances:
    """Return all that conditions can ask about."""
    seen = tuple(observations)
    versions = _with_log(case, seen)
    names = set(case.flags) | {one.signal for one in seen} | _os_names(case, seen)
    missing = tuple(filter(None, (eras.library(one.values["lib"]) for one in seen if "lib" in one.values)))
    names |= _missing_names(missing)
    _needs(versions, missing)
    names |= _cuda_names(versions, missing)
    names |= {
        f"{key}:none" for key in ("cuda", "driver") if case.texts.get(key, "").strip().lower() in NOTHING
    }
    names |= {"cuda:none"} if "note-cuda-not-installed" in names and not versions.get("cuda") else set()
    names |= _cudnn_names(versions)
    names |= _card_names(versions)
    names |= _driver_names(versions, names)
    names |= _python_names(versions)
    names |= _text_names(case, seen)
    names |= _release_names(case)
    names -= {"cpu-old"} if "cpu:avx" in names and "note-avx-lacking" not in names else set()
    names |= _list_names(versions)
    names |= _kinds_seen(seen)
    names |= {"fault:unexplained"} if unexplained(seen) or own(seen) else set()
    names |= {"fault:own"} if own(seen) else set()
    return Circumstances(frozenset(names), versions)


def _with_log(case: Case, seen: tuple[Observation, ...]) -> Versions:
    """Stated facts count; where nothing was stated, what the log says by the way."""
    read: dict[str, list[Version]] = {}
    for one in seen:
        for name, text in one.values.items():
            found = _value(name, text)
            if found is not None:
                read.setdefault(PRODUCT_NUMBERS.get(name, name), []).append(found)
    _join(read, "cap", "capmajor", "capminor")
    _join(read, "loaded", "loaded-major", "loaded-minor")
    _join(read, "wanted", "wanted-major", "wanted-minor")
    versions = dict(case.versions)
    for name, values in read.items():
        if name not in versions or name in ("loaded", "wanted"):
            versions[name] = tuple(dict.fromkeys(values))
    if not versions.get("cap"):
        stated = " , ".join(text for key, text in case.texts.items() if is_card(key))
        versions["cap"] = cards.capabilities(stated) or cards.in_lines(one.text for one in seen)
    return {name: values for name, values in versions.items() if values}


def _join(read: dict[str, list[Version]], name: str, major: str, minor_name: str) -> None:
    if read.get(major) and read.get(minor_name):
        read.setdefault(name, []).append(Version(f"{read[major][0].major}.{read[minor_name][0].major}"))


def _value(name: str, text: str) -> Version | None:
    digits = text.replace(".", "").isdigit() and "." not in text
    if name in ("py", "wheel-py") and digits:
        return version(f"{text[0]}.{text[1:] or 0}")
    if name in ("sm", "cu", "index-cu") and digits and len(text) > 1:
        return version(f"{text[:-1]}.{text[-1]}")
    if name in ("loaded", "wanted", "cudnn") and digits and len(text) >= 4:
        return _cudnn_number(int(text))
    if name == "need-tag":
        return version(f"{text[0]}.{text[1:] or 0}")
    if name in ("lib", "package", "have-package", "module"):
        return None
    if name in ("driver-cuda", "built-cuda") and digits and len(text) >= 4:
        return version(f"{int(text) // 1000}.{int(text) % 1000 // 10}")
    return version(text)


def _cudnn_number(number: int) -> Version:
    """Take `7605` and `90100` apart: the thousands changed to ten thousands with cuDNN 9."""
    base = 10000 if number >= 90000 else 1000
    return Version(f"{number // base}.{number % base // 100}.{number % 100}")


def _kinds_seen(seen: tuple[Observation, ...]) -> set[str]:
    kinds = {one.signal.partition("-")[0] for one in seen if one.line}
    return {f"seen:{kind}" for kind in ("harmless", "works") if kind in kinds}


def _list_names(versions: Versions) -> set[str]:
    """Read pip's list of what it could have: it starts or ends where this Python has wheels."""
    names = set()
    want, first, last = (versions.get(name) for name in ("want", "first", "last"))
    if want and first and min(want) < min(first) and min(first).major > 0:
        names.add("list:want-older")
    if want and last and max(want) > max(last) and not names:
        names.add("list:want-newer")
    wheel, python = versions.get("wheel-py"), versions.get("python")
    if wheel and python and len(python[0].release) > 1 and minor(python[0]) != minor(wheel[0]):
        names.add("wheel:other-python")
    return names


def _os_names(case: Case, seen: tuple[Observation, ...]) -> set[str]:
    if case.os in ("windows-native", "wsl2", "linux"):
        return {f"os:{case.os}"} | ({"os:unix"} if case.os != "windows-native" else set())
    signals = {one.signal for one in seen}
    if "text-wsl" in signals:
        return {"os:wsl2", "os:unix"}
    if "text-windows" in signals:
        return {"os:windows-native"}
    return {"os:linux", "os:unix"} if "text-unix" in signals else set()


def _missing_names(missing: tuple[eras.Library, ...]) -> set[str]:
    names = set()
    for one in missing:
        names.add(f"missing:{one.family}")
        if one.family in TOOLKIT:
            names.add("missing:toolkit")
        if one.family == "cudnn" and one.part:
            names.add("missing:cudnn-part")
    families = {one.family for one in missing}
    if "cudnn" in families and not families.intersection(TOOLKIT):
        names.add("missing:only-cudnn")
    if families.intersection(TOOLKIT) and len(families.intersection((*TOOLKIT, "cudnn"))) <= FEW:
        names.add("missing:some")
    if families and families <= {"cusolver"}:
        names.add("missing:only-cusolver")
    if families and families <= {"nvinfer"}:
        names.add("missing:only-tensorrt")
    return names


def _needs(versions: Versions, missing: tuple[eras.Library, ...]) -> None:
    """Set what the build needs: by the names that it asked for, else by the framework's release."""
    asked = [one.cuda for one in missing if one.cuda is not None]
    exact = [one for one in asked if len(one.release) > 1]
    if asked:
        versions["need-cuda"] = ((exact or asked)[0],)
    cudnn = [Version(one.number) for one in missing if one.family == "cudnn" and one.number]
    if cudnn:
        versions["need-cudnn"] = (cudnn[0],)
    for framework in ("tf", "ort", "ct2"):
        for release in versions.get(framework, ())[:1]:
            built = eras.era(framework, release)
            if built is not None:
                versions.setdefault("need-cuda", (built.cuda,))
                versions.setdefault("need-cudnn", (built.cudnn,) if built.cudnn else ())
    for release in versions.get("torch", ())[:1]:
        built = eras.era("torch", release)
        if built is not None:
            versions.setdefault("built-cuda", (built.cuda,))
    if "need-cuda" in versions:
        versions.setdefault("built-cuda", versions["need-cuda"])


def _cuda_names(versions: Versions, missing: tuple[eras.Library, ...]) -> set[str]:
    have, need = versions.get("cuda"), versions.get("need-cuda")
    if not have:
        return {"cuda:unstated"}
    if not need:
        return {"cuda:stated"}
    names = {"cuda:stated", "cuda:right" if eras.any_same(have, need[0]) else "cuda:other"}
    asked = {(one.family, one.number) for one in missing}
    if ("cusolver", "10") in asked and any(one >= Version("11.1") for one in have):
        names |= {"cuda:other-minor"}
    if ("cusolver", "11") in asked and any(one.release[:2] == (11, 0) for one in have):
        names |= {"cuda:other-minor"}
    if "cuda:other" in names and all(one.major == need[0].major for one in have) and need[0].major >= 11:
        names |= {"cuda:other-minor"}
    return names


def _cudnn_names(versions: Versions) -> set[str]:
    names = _loaded_names(versions)
    made_for, cuda = versions.get("cudnn-cuda"), versions.get("cuda") or versions.get("need-cuda")
    if made_for and cuda and not eras.any_same(made_for, cuda[0]):
        names.add("cudnn:for-other-cuda")
    have, need = versions.get("cudnn"), versions.get("wanted") or versions.get("need-cudnn")
    if not have:
        return names | {"cudnn:unstated"}
    names.add("cudnn:stated")
    if not need:
        return names
    wanted = need[0]
    if any(_serves(one, wanted) for one in have):
        names.add("cudnn:right")
    elif not any(one.major == wanted.major for one in have):
        names.add("cudnn:newer-major" if min(have).major > wanted.major else "cudnn:older-major")
    else:
        names.add("cudnn:too-old")
    return names


def _loaded_names(versions: Versions) -> set[str]:
    if not versions.get("loaded") or not versions.get("wanted"):
        return set()
    loaded, wanted = versions["loaded"][0], versions["wanted"][0]
    if loaded.major != wanted.major:
        return {"loaded:newer-major" if loaded.major > wanted.major else "loaded:older-major"}
    if loaded < wanted:
        return {"loaded:too-old"}
    return {"loaded:newer"} if loaded > wanted else set()


def _serves(have: Version, wanted: Version) -> bool:
    if have.major != wanted.major:
        return False
    return len(have.release) == 1 or have.minor >= wanted.minor


def _card_names(versions: Versions) -> set[str]:
    found: set[str] = set()
    cap, built = versions.get("cap"), versions.get("built-cuda")
    if not cap:
        return {"card:unknown"}
    built_for = built[0] if built else None
    newest, oldest = max(cap), min(cap)
    if built_for is not None:
        floor = eras.first_cuda(newest)
        if minor(built_for) < floor and not (len(built_for.release) == 1 and built_for.major == floor.major):
            found.add("card:newer-than-build")
            if minor(built_for) < eras.first_cuda(Version(MAJORS.get(newest.major, f"{newest.major}.0"))):
                found.add("card:newer-major")
        if built_for > eras.last_cuda(oldest) or _without_code(versions, oldest):
            found.add("card:older-than-build")
    if newest >= Version("12.0") or newest >= Version("10.0"):
        found.add("card:blackwell")
    if oldest < Version("5.0"):
        found.add("card:before-maxwell")
    return found


def _without_code(versions: Versions, capability: Version) -> bool:
    for framework in ("tf", "torch"):
        for release in versions.get(framework, ())[:1]:
            built = eras.era(framework, release, (versions.get("built-cuda") or (None,))[0])
            if built is not None and built.oldest is not None:
                return capability < built.oldest
    return False


def minor(one: Version) -> Version:
    return eras.minor(one)


def _driver_names(versions: Versions, names: set[str]) -> set[str]:
    found = set()
    built = versions.get("built-cuda") or versions.get("cuda")
    os = "linux" if "os:linux" in names else "windows"
    if versions.get("driver") and built:
        least = eras.least_driver(built[0], os)
        found.add("driver:too-old" if least and max(versions["driver"]) < least else "driver:enough")
    if versions.get("driver-cuda") and built:
        limit, need = max(versions["driver-cuda"]), built[0]
        low = limit.major < need.major or (need.major < 11 and minor(limit) < minor(need))
        found.add("driver:too-old" if low else "driver:enough")
    return found


def _python_names(versions: Versions) -> set[str]:
    pip, run = versions.get("pip-python"), versions.get("run-python")
    two = pip and run and len(run[0].release) > 1 and minor(pip[0]) != minor(run[0])
    names: set[str] = {"python:two"} if two else set()
    for one in versions.get("python", ())[:1]:
        for framework in ("tf", "ort", "torch"):
            releases = versions.get(framework, ())
            built = eras.era(framework, releases[-1]) if releases else None
            if built is not None and len(one.release) > 1:
                names |= {"python:too-new"} if minor(one) > built.pythons[1] else set()
                names |= {"python:too-old"} if minor(one) < built.pythons[0] else set()
                names |= {"python:right"} if built.pythons[0] <= minor(one) <= built.pythons[1] else set()
    return names


def _release_names(case: Case) -> set[str]:
    """Tell two releases of TensorFlow in one list of packages: their files lie in the same folder."""
    pairs = NAMED.findall(case.texts.get("packages", "").lower())
    found = {minor(Version(number)) for name, number in pairs if canonical(name) == "tf"}
    return {"framework:two-releases"} if len(found) > 1 else set()


def _text_names(case: Case, seen: tuple[Observation, ...]) -> set[str]:
    names = set()
    texts = [one.text for one in seen]
    if any(LONG_PATH.search(text) for text in texts):
        names.add("path:long")
    if any(ODD_PATH.search(text) for text in (*texts, *case.texts.values())):
        names.add("path:odd")
    if CPU_AVX.search(case.texts.get("cpu", "")) or any(CPU_AVX.search(text) for text in texts):
        names.add("cpu:avx")
    if renumbers((*texts, *(f"{key}: {value}" for key, value in case.texts.items()))):
        names.add("visible:renumbered")
    names |= {f"framework:{canonical(word)}" for word in _frameworks(case, texts)}
    said = {one.signal.removeprefix("says-") for one in seen if one.signal.startswith("says-")}
    names |= {f"framework:{name}" for name in said}
    return names


FRAMEWORK = re.compile(
    r"\b(tensorflow|torch|pytorch|jax|jaxlib|onnxruntime|paddle|paddlepaddle|cupy|numba|ctranslate2|bitsandbytes)(?![a-z])",
    re.IGNORECASE,
)


def _frameworks(case: Case, texts: list[str]) -> set[str]:
    stated = {key for key in case.texts if key in ("tensorflow", "torch", "jax", "onnxruntime", "paddle")}
    return stated | {
        hit.lower() for text in (*case.texts.values(), *texts) for hit in FRAMEWORK.findall(text)
    }
