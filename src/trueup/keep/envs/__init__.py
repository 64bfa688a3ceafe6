"""Environments of every kind on a machine: where tools keep them, what is in each, and what could be rebuilt."""
