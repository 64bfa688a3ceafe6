"""Lets an environment find the CUDA, cuDNN and VC++ runtime that lie in it. Written by trueup.

Copied into site-packages beside `trueup.pth`, which calls `arm` at each start of Python: so this module is
small, and what it does waits in `_trueup_hook_work` until a framework is imported. Runs on Python 3.6 and
newer and depends on nothing. Variable TRUEUP_HOOK: `0` off, `trace` tells on standard error what was done,
`preload` loads the DLLs by full path where PATH would do (Windows). `done` keeps what was done as
(action, detail).
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What a framework does not find by itself. torch and paddle bring or find their own CUDA.
NEEDS = {"tensorflow": "vc cuda", "onnxruntime": "vc cuda", "torch": "vc", "paddle": "vc"}

done = []  # type: list[tuple[str, str]]


def arm() -> "None":
    """Watch for the first import of a framework."""
    if os.environ.get("TRUEUP_HOOK") != "0" and not any(isinstance(f, Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def did(action: "str", detail: "object") -> "None":
    done.append((action, str(detail)))
    if os.environ.get("TRUEUP_HOOK") == "trace" and sys.stderr is not None:
        encoding = getattr(sys.stderr, "encoding", None) or "ascii"
        line = f"[trueup hook] {action} {detail}\n"
        sys.stderr.write(line.encode(encoding, "backslashreplace").decode(encoding))


class Finder:
    """Makes the environment ready right before a framework's first line runs; finds nothing itself.

    A mere question, as by `importlib.util.find_spec`, changes nothing.
    """

    def __init__(self) -> "None":
        self.waiting = dict(NEEDS)

    def find_spec(self, name: "str", path: "Any" = None, target: "Any" = None) -> "Any":
        if name not in self.waiting:
            return None
        others = [f for f in sys.meta_path if not isinstance(f, Finder) and hasattr(f, "find_spec")]
        for finder in others:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                self._watch(name, spec)
                return spec
        return None

    def _watch(self, name: "str", spec: "Any") -> "None":
        loader, run = spec.loader, getattr(spec.loader, "exec_module", None)
        if run is None or not spec.origin:  # an empty folder of that name
            return
        site = os.path.dirname(os.path.dirname(os.path.abspath(spec.origin)))

        def exec_module(module: "Any") -> "Any":
            del loader.exec_module
            try:
                import _trueup_hook_work as work  # type: ignore[import-not-found]

                work.prepare(name, site, self.waiting.pop(name, ""))
            except Exception as error:  # noqa: BLE001  # the framework must start whatever happens here
                did("error", repr(error))
            return run(module)

        try:
            loader.exec_module = exec_module
        except AttributeError:
            did("skip", f"{name}: its loader cannot be watched")
