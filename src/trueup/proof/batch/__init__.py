"""The largest batch that a model trains with, and what each remedy for too little memory gives."""

from trueup.proof.batch.model import Found, Options, Study, Trial, Variant
from trueup.proof.batch.study import study
from trueup.proof.batch.trial import Trials

__all__ = ["Found", "Options", "Study", "Trial", "Trials", "Variant", "study"]
