"""Dropping repetitions of what has no hash: a message holds a mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")


def unique(items: Iterable[T]) -> tuple[T, ...]:
    kept: list[T] = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return tuple(kept)
