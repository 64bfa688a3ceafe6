"""What is installed: environments, packages, CUDA copies, settings. Nothing is imported, no tree is walked."""
