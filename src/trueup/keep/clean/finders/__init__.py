"""The searches: each takes the scene and yields what it finds, unmeasured and not yet judged."""
