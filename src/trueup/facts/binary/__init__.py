"""Readers of binaries: Windows PE, Linux ELF and NVIDIA fatbins. Pure over bytes and file objects."""

from trueup.facts.binary.code import Code, GpuModules, Reach
from trueup.facts.binary.elf import Elf, read_elf
from trueup.facts.binary.fatbin import scan
from trueup.facts.binary.kind import kind_of
from trueup.facts.binary.pe import Import, Pe, dll_names
from trueup.facts.binary.view import BadBinary, View

__all__ = [
    "BadBinary",
    "Code",
    "Elf",
    "GpuModules",
    "Import",
    "Pe",
    "Reach",
    "View",
    "dll_names",
    "kind_of",
    "read_elf",
    "scan",
]
