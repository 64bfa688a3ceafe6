"""Short, honest figures of a machine and an environment, and what is to be expected of them."""

from trueup.proof.bench.compare import Change, compare
from trueup.proof.bench.measure import measure
from trueup.proof.bench.model import Bench, Conditions, Figure, Limits, PassedOver
from trueup.proof.bench.verdict import Judgement, Verdict, judge

__all__ = [
    "Bench",
    "Change",
    "Conditions",
    "Figure",
    "Judgement",
    "Limits",
    "PassedOver",
    "Verdict",
    "compare",
    "judge",
    "measure",
]
