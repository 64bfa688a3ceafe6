"""Closure proof: a set of binaries needs nothing that is not in it or surely on the machine."""

from trueup.proof.closure.collect import environment, names, wheels
from trueup.proof.closure.locked import locked
from trueup.proof.closure.model import (
    ClosureReport,
    File,
    GpuLibrary,
    Missing,
    MissingSymbol,
    Reach,
    Target,
)
from trueup.proof.closure.prove import prove
from trueup.proof.closure.target import target_of, target_of_record

__all__ = [
    "ClosureReport",
    "File",
    "GpuLibrary",
    "Missing",
    "MissingSymbol",
    "Reach",
    "Target",
    "environment",
    "locked",
    "names",
    "prove",
    "target_of",
    "target_of_record",
    "wheels",
]
