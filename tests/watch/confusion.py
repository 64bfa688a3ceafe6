"""Prints the classifier's confusion table for the documentation, as Markdown.

`python tests/watch/confusion.py [FIRST_SEED [SEEDS [HEALTHY]]]` draws from the wide ranges.
"""

from __future__ import annotations

import sys
from collections import Counter

from simulate import CAUSES, WIDE, simulate

from trueup.watch.classify import classify


def main() -> None:
    first, seeds, healthy = (*map(int, sys.argv[1:]), *(5000, 100, 500)[len(sys.argv) - 1 :])
    right = drawn = 0
    print("| simulated | traces | right | otherwise |\n| --- | --: | --: | --- |")  # noqa: T201
    for cause in CAUSES:
        count = healthy if cause == "healthy" else seeds
        found = Counter(classify(simulate(cause, seed, WIDE)).cause for seed in range(first, first + count))
        right, drawn = right + found[cause], drawn + count
        others = ", ".join(f"{name} {number}" for name, number in found.most_common() if name != cause)
        print(f"| {cause} | {count} | {100 * found[cause] / count:.1f} % | {others} |")  # noqa: T201
    print(f"| **all** | {drawn} | {100 * right / drawn:.1f} % | |")  # noqa: T201


if __name__ == "__main__":
    main()
