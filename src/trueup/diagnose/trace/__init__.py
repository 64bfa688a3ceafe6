"""The loader's view: the tree of binaries that a framework needs, each found as the real loader would."""

from trueup.diagnose.trace.model import Node, Trace
from trueup.diagnose.trace.walk import name_of, trace

__all__ = ["Node", "Trace", "name_of", "trace"]
