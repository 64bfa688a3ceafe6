"""Changes to a user's machine that can be taken back: shown first, written down first, undone to the byte."""

from trueup.setup.changes.model import Change, Kind, Look, Outcome, Record, State
from trueup.setup.changes.store import Store, Transaction

__all__ = ["Change", "Kind", "Look", "Outcome", "Record", "State", "Store", "Transaction"]
