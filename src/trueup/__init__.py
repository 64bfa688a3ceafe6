"""Brings GPU deep-learning stacks into true."""

__version__ = "0.1.0"
