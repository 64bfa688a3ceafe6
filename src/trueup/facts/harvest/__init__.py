"""Facts read from wheels: from a folder, or from a package index by a megabyte of ranges a wheel.

The one place below the command line that reaches the network, and only when a command asks for it.
"""
