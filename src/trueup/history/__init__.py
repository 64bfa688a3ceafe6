"""WHAT CHANGED: every check, build and proof in SQLite, and what differs since it last worked."""
