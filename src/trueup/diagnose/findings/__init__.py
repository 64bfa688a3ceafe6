"""What is wrong with a machine and its environments as they are, without any log: findings and the one root cause."""

from trueup.diagnose.findings.checkup import check
from trueup.diagnose.findings.model import Checkup, Finding, Remedy

__all__ = ["Checkup", "Finding", "Remedy", "check"]
