"""What held a training back, from samples alone: `classify(trace)` is pure and says "healthy" too."""

from __future__ import annotations

from trueup.watch.classify.judge import classify
from trueup.watch.classify.model import Finding, Point, Trace, Verdict
from trueup.watch.classify.trace import trace_of

__all__ = ["Finding", "Point", "Trace", "Verdict", "classify", "trace_of"]
