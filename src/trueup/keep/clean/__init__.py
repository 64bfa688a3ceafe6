"""Leftovers of earlier installations: found, judged, and moved to a dated trash on wish."""
