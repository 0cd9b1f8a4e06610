"""What must hold of a drawing, with a sentence for each; checked without torch."""

from core.claims.judge import hold, judge
from core.claims.model import Check, ClaimResult

__all__ = ["Check", "ClaimResult", "hold", "judge"]
