"""Lives of cards, for the stand-in of the management library. A life is lines of `STEP KEY VALUE`.

The format is that of `tests/machine/fake_nvml.c`. `SHOWN` names the steps of a life whose screens are kept.
"""

from __future__ import annotations

CARD = """\
0 *.sm 92
0 *.access 61
0 *.used 8192
0 *.temperature 67
0 *.slows 93
0 *.fan 54
0 *.power 158000
0 *.limit 170000
0 *.clock-sm 1807
0 *.top-sm 2100
0 *.clock-memory 7300
0 *.top-memory 7501
0 *.gen 4
0 *.width 16
0 *.top-gen 4
0 *.top-width 16
0 *.sent 120000
0 *.received 850000
0 *.pstate 2
0 *.reasons 0x0
0 *.compute 4242:8000
0 *.graphics 1200:96
0 *.busy 4242:92
"""
IDLE = """\
0 *.sm 0
0 *.access 0
0 *.used 310
0 *.temperature 36
0 *.fan 0
0 *.power 14200
0 *.clock-sm 210
0 *.clock-memory 405
0 *.gen 1
0 *.sent 0
0 *.received 0
0 *.pstate 8
0 *.reasons 0x1
0 *.compute !3
0 *.busy !21
"""
WDDM = """\
0 *.model 0
0 *.compute 4242:-
0 *.graphics 1200:- 3344:- 5120:-
0 *.busy !3
"""
STEADY = "".join(
    f"{step} *.sm {90 + step * 7 % 9}\n{step} *.power {150 + step * 5 % 17}000\n" for step in range(30)
)

LIVES: dict[str, str] = {
    "steady-training": CARD + STEADY,
    "idle": CARD + IDLE,
    "starts-then-idles": CARD + "".join(f"{n} *.sm {min(95, n * 12) if n < 15 else 0}\n" for n in range(25)),
    "lost-and-back": CARD + "4 *.handle !15\n9 *.handle 0\n",
    "lost-in-the-middle-of-a-look": CARD + "4 *.temperature !15\n4 *.power !15\n6 *.temperature 70\n6 *.power 90000\n",
    "reset": CARD + "3 *.sm !16\n3 *.handle !16\n5 init 999\n8 init 0\n8 *.handle 0\n8 *.sm 0\n",
    "library-forgets-its-start": CARD + "3 count !1\n5 count 1\n",
    "permission-denied": CARD + "0 *.handle !4\n",
    "no-driver": "0 init 9\n",
    "mig": CARD
    + "0 *.name NVIDIA A100-SXM4-40GB\n0 *.total 40960\n0 *.slices 2\n0 *.slice NVIDIA A100-SXM4-40GB MIG 3g.20gb\n"
    "0 *.slice-total 19968\n0 *.slice-used 7168\n0 *.sm !3\n0 *.access !3\n0 *.fan !3\n0 *.busy !3\n",
    "unplugged": CARD + "0 count 2\n0 1.name NVIDIA GeForce RTX 4090\n4 1.handle !15\n6 count 1\n",
    "hot": CARD + "".join(f"{n} *.temperature {70 + n}\n" for n in range(24)) + "15 *.reasons 0x60\n15 *.clock-sm 1110\n15 *.fan 100\n",
    "power-capped": CARD + "0 *.reasons 0x4\n0 *.limit 80000\n0 *.power 79800\n0 *.clock-sm 1185\n",
    "old-driver-without-functions": CARD + "0 driver 418.43\n0 *.reasons 0x4\n",
    "two-cards": CARD + "0 count 2\n0 1.name NVIDIA GeForce GTX 1060 6GB\n0 1.total 6144\n0 1.used 512\n0 1.sm 3\n0 1.compute !3\n0 1.busy !21\n",
    "eight-cards": CARD + "0 count 8\n0 *.name NVIDIA H100 80GB HBM3\n0 *.total 81559\n0 *.used 70100\n0 *.limit 700000\n0 *.power 612000\n",
    "fan-error": CARD + "0 *.fan !17\n3 *.fan !999\n6 *.fan 40\n",
    "hidden-by-wddm": CARD + WDDM,
    "hundred-processes": CARD + "0 *.compute 5000+100:70\n0 *.busy 5000:12 5001:80\n",
    "driver-updated-meanwhile": CARD + "3 count !18\n3 init 18\n8 init 0\n8 count 1\n8 driver 580.88\n",
    "clocks-missing": CARD + "0 *.clock-sm !3\n0 *.top-sm !3\n0 *.clock-memory !3\n0 *.top-memory !3\n0 *.reasons !3\n",
    "very-long-names": CARD + "0 *.name NVIDIA RTX 6000 Ada Generation Laptop GPU with Max-Q Design 显卡 显卡 显\n",
    "name-cut-within-a-letter": CARD + "0 *.name NVIDIA RTX 6000 Ada Generation Laptop GPU with Max-Q Design 显卡 显卡 显卡 显卡 显卡 显\n",
    "above-hundred": CARD + "0 *.sm 4294967295\n0 *.access 255\n0 *.fan 4294967295\n",
    "no-numbers": CARD
    + "0 *.temperature 0x7fc00000\n0 *.power 0xffffffff\n0 *.clock-sm 0xffffffff\n0 *.sent 0xffffffff\n0 *.used 999999\n",
    "below-zero": CARD + "0 *.temperature -12\n0 *.power -1000\n0 *.gen -1\n",
    "pcie-x1": CARD + "0 *.width 1\n0 *.gen 1\n0 *.received 196000\n0 *.sm 31\n",
    "laptop-memory-full": CARD + WDDM + "0 *.name NVIDIA GeForce RTX 3060 Laptop GPU\n0 *.total 6144\n0 *.used 6050\n0 *.fan !3\n",
}  # fmt: skip
SHOWN = {
    "fan-error": (2, 4, 10),
    "lost-and-back": (5, 14),
    "lost-in-the-middle-of-a-look": (5, 12),
    "reset": (4, 16),
    "library-forgets-its-start": (3, 12),
    "driver-updated-meanwhile": (5, 20),
    "unplugged": (5, 12),
    "starts-then-idles": (24,),
    "hot": (23,),
}
LAST = 10
OLD = ("old-driver-without-functions",)


def steps(life: str) -> tuple[int, ...]:
    return SHOWN.get(life, (LAST,))
