"""KEEP IT: settings, leftovers, PATH, CUDA copies, editors; look, show, do, undo."""
