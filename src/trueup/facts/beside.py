"""Packages beside a framework: what each of their releases asks of it, and for which Pythons it has wheels."""

from __future__ import annotations

import functools

from trueup.facts.model import Beside
from trueup.facts.store import source, table


@functools.cache
def releases(package: str) -> tuple[Beside, ...]:
    data = table("beside")
    rows = data["packages"].get(package)
    if rows is None:
        return ()
    origin = source({"wheels": data["source"]}, "wheels")
    texts, lists, places = [tuple(t) for t in data["asks"]], data["pythons"], data["platforms"]
    return tuple(
        Beside(
            package,
            version,
            python,
            tuple(
                (platform, arch, None if n is None else tuple(lists[n]))
                for (platform, arch), n in zip(places, wheels, strict=True)
            ),
            texts[asks],
            texts[made_for],
            origin,
        )
        for version, python, wheels, asks, made_for in rows
    )
