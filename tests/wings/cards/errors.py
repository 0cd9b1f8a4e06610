"""The errors of this wing, for what all errors keep."""

from core.wings.cards.expression import BenchError
from core.wings.cards.run import CardError

ERRORS = (CardError, BenchError)
