"""WSL2 from Windows and from inside: what is there, the one next step, and the hand-over to editors.

Nothing of this is remembered: each look reads the machine again, so restarts between the steps change nothing.
"""
