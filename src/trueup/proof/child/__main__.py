"""Load this folder as a package of its own name, so that no file in it hides a module of the environment."""

import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> int:
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or os.curdir) != HERE]
    name = "_trueup_proof"
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(HERE, "__init__.py"), submodule_search_locations=[HERE]
    )
    if spec is None or spec.loader is None:
        return 1
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    course = importlib.import_module(name + ".course")
    return int(course.run(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
