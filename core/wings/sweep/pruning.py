"""Early stopping of bad trials: the rules, and the text for a trial that one of them stops.

`median` ends a trial that is worse than the median of the others at the same epoch. `asha` and
`hyperband` are successive halving (Li et al. 2018): one third of the trials continues past each
rung of 1, 3, 9 ... epochs. Hyperband has several such ladders, so that slow starters survive in
some. Optuna is imported only where a sweep runs.
"""

from typing import Any

BEFORE_PRUNING = 4  # trials that end unpruned, so that there is a median
FIRST_PRUNED = 3  # epochs that every trial gets
KEPT = 3  # one in so many continues past a rung
RUNGS = 3  # of a long training: its first rung is at 1/27 of the epochs
RULES = {
    "median": "worse than the median of the others at epoch {epoch}",
    "asha": "not in the best third at epoch {epoch} (ASHA)",
    "hyperband": "not in the best third of its bracket at epoch {epoch} (Hyperband)",
}
"""Each rule with the reason of a trial that it stops."""
OFF = "off"


def pruner_of(rule: str, epochs: int) -> Any:
    """Optuna's pruner of a rule, of none for "off". epochs: of the longest trial."""
    from optuna import pruners

    first = max(1, epochs // KEPT**RUNGS)
    if rule == "median":
        return pruners.MedianPruner(BEFORE_PRUNING, FIRST_PRUNED)
    if rule == "asha":
        return pruners.SuccessiveHalvingPruner(first, reduction_factor=KEPT)
    if rule == "hyperband":
        return pruners.HyperbandPruner(first, max(epochs, first), reduction_factor=KEPT)
    return pruners.NopPruner()
