"""Product names of graphics cards, reduced to a key that all spellings of one card share."""

from __future__ import annotations

import re

BRANDS = frozenset({"geforce", "quadro", "tesla", "grid"})
_NOISE = frozenset(
    {"nvidia", "corporation", "gpu", "graphics", "design", "with", "card", "series", "generation"}
)
_LAPTOP = frozenset({"laptop", "mobile", "notebook"})
_FORM = frozenset({"pcie", "pci", "sxm", "sxm2", "sxm3", "sxm4", "sxm5", "fhhl", "dgxs", "hbm2", "hbm2e", "hbm3", "hbm3e",
                   "gddr5", "gddr5x", "gddr6", "gddr6x", "ddr3", "ddr4", "oem", "boost", "rev", "a"})  # fmt: skip
_RARE = (
    ("[", r"^.*\[(.+?)\].*$", r"\1"),  # "TU104 [GeForce RTX 2080]", as lspci writes it
    ("/pcie", r"/pcie.*$", " "),  # "GeForce RTX 3090/PCIe/SSE2", as OpenGL writes it
    ("uuid", r"\(uuid.*$|^gpu \d+:", " "),  # "GPU 0: NVIDIA A100 (UUID: GPU-…)", as `nvidia-smi -L` writes it
    ("(g", r"\(g[a-z]\d{3}\w*\)", " "),
    ("collector", r"collectors?( edition)?", " "),
    ("(", r"\((r|tm|c)\)", " "),
    ("mig", r"\bmig[- ]+\d+g[.]\d+gb.*$", " "),  # "A100-SXM4-40GB MIG 1g.5gb": a slice of that card
    ("max", r"max[- ]?q", " maxq "),
    ("b", r"(\d)\s*(gb|mb)\b", r"\1\2"),
)
_SERIES = r"(gtx|gts|gt|rtx|mx|titan)"
_MEMORY = re.compile(r"\d+gb|\d+mb")


def key(name: str) -> str:
    """Return the key of a product name: lower-case words, brand and memory kept, noise dropped."""
    text = name.lower()
    for word, pattern, plain in _RARE:
        if word in text:  # to compile a pattern costs more than all other work on a name
            text = re.sub(pattern, plain, text)
    text = re.sub(r"[^a-z0-9]+", " ", text)
    text = re.sub(rf"\b{_SERIES}\s*(\d{{2,4}})", lambda m: m[1] + ("" if m[1] == "mx" else " ") + m[2], text)
    text = re.sub(r"\b(\d{3,4})(ti|super|d\b)", r"\1 \2", text)
    text = re.sub(r"\bti(super)\b", r"ti \1", text)
    words = ["laptop" if w in _LAPTOP else w for w in text.split() if w not in _NOISE]
    laptop = ["laptop"] if "laptop" in words or "maxq" in words else []
    return " ".join([w for w in words if w not in ("laptop", "maxq")] + laptop)


def looser(key_: str) -> tuple[str, ...]:
    """Return weaker keys to try, nearest first: without memory size, without form factor, the card of a vGPU.

    Last come what people leave out: the series of a bare number, `blackwell`, and the word behind `4060M`.
    """
    words = key_.split()
    plain = [w for w in words if not _MEMORY.fullmatch(w)]
    bare = [w for w in plain if w not in _FORM]
    tries = [plain, bare]
    if len(plain) > 1 and re.fullmatch(r"\d+(q|b|c|a)", plain[-1]):
        tries.append(plain[:-1])  # "t4 16q": a slice of a T4
        tries.append([*plain[:-2], re.sub(r"(?<=\d)[a-z]+$", "", plain[-2])])  # "v100dx 8q": one of a V100
    if len(plain) > 2 and re.fullmatch(r"\d \d+c", " ".join(plain[-2:])):
        tries.append(plain[:-2])  # "a30 4 24c": a vGPU on a slice of one
    tries += _completed(bare)
    return tuple(dict.fromkeys(" ".join(t) for t in tries if t and t != words))


def _completed(words: list[str]) -> list[list[str]]:
    """Return a name with what it leaves out; a number of three digits may be another maker's."""
    mobile = [w.removesuffix("m") if re.fullmatch(r"\d{4}m", w) else w for w in words]
    full = words if mobile == words else [*mobile, "laptop"]
    made = [full]
    if re.fullmatch(r"\d{4}", " ".join(full[:1])):
        made += [["geforce", series, *full] for series in ("rtx", "gtx")]
    if full[:2] == ["rtx", "pro"] and "blackwell" not in full:
        made.append([*full[:3], "blackwell", *full[3:]])
    return made


def brandless(key_: str) -> str:
    """Return a key without the brand's word: "rtx 4060 laptop", "t4"."""
    return " ".join(w for w in key_.split() if w not in BRANDS)
