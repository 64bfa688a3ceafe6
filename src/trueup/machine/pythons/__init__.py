"""Interpreters on the machine, found by what installers leave behind; hardly any is started."""

from trueup.machine.pythons.find import PythonsFound, read_pythons

__all__ = ["PythonsFound", "read_pythons"]
