"""From an alignment to what is to be done: `request.request`, `steps.steps`, and the writers of files."""
