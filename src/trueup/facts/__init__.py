"""WHAT IS TRUE: tables of knowledge, each row with its source and date."""

from trueup.facts.catalog import Facts, load

__all__ = ["Facts", "load"]
