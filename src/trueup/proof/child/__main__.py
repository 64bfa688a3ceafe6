"""Load this folder as a package of its own name, so that no file in it hides a module of the environment."""

import importlib
import importlib.util
import os
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))


def package() -> types.ModuleType:
    """Return the package that this folder is."""
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or os.curdir) != HERE]
    spec = importlib.util.spec_from_file_location(
        "_trueup_proof", os.path.join(HERE, "__init__.py"), submodule_search_locations=[HERE]
    )
    if spec is None or spec.loader is None:
        raise ImportError(HERE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


def main() -> int:
    """Run the course of a proof, or another one that the first argument names."""
    words = sys.argv[1:]
    name = words.pop(0) if words[0] in ("bench", "trial") else "course"
    course = importlib.import_module(package().__name__ + "." + name)
    return int(course.run(words))


if __name__ == "__main__":
    sys.exit(main())
