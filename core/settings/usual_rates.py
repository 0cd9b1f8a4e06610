"""Usual learning rates by depth and blocks of a network, optimiser and schedule. No torch.

Used by the suggestions (`suggest.py`) and by the remedies of a verdict (`core/runs/remedies.py`).
"""

from core.settings.lr_schedulers import SCHEDULES
from core.settings.network_facts import Network
from core.settings.optimizers import OPTIMIZERS

ORDINARY = 0.01
"""The highest rate of a cycle (OneCycleLR) of AdamW, for most networks."""
ALONE, CAREFUL = 0.05, 0.003
SHALLOW = 8
"""Layers up to which a network with attention bears the rate of others."""
SHORTENED = {"attention": "has attention", "recurrent": "is recurrent"}
CONSTANT = 0.3
"""A rate that stays is about a third of one that climbs and comes far down again."""


def highest_rate(network: Network) -> tuple[float, str]:
    """The highest rate of a cycle of AdamW, and why it is that; "" where it is the ordinary one."""
    if network.layers == 1 and not network.families & SHORTENED.keys():
        return ALONE, "because a single layer tolerates a high learning rate"
    if "attention" in network.families and network.layers > SHALLOW:
        return CAREFUL, f"because the network has attention and {network.layers} layers"
    if network.plain_and_deep:
        return CAREFUL, f"because there is no normalisation between the {network.layers} layers"
    for family, words in SHORTENED.items():
        if family in network.families:
            return ORDINARY, f"with gradient clipping because the network {words}"
    return ORDINARY, ""


def usual_rate(network: Network, optimizer: str, momentum: float, schedule: str) -> float:
    """The rate at which an optimiser usually learns with such a network, its momentum counted in.

    schedule: the name of one, "" for a constant rate.
    """
    bears = highest_rate(network)[0] / ORDINARY
    declared = OPTIMIZERS.get(optimizer)
    if declared and declared.usual_rate is not None:
        usual = declared.usual_rate * min(1.0, bears)  # more than 1 was measured with Adam alone
    else:
        usual = CONSTANT * ORDINARY * bears
    if declared and "momentum_sums" in declared.traits:
        usual *= max(1e-3, 1 - momentum)
    cycle = schedule in SCHEDULES and "cycle" in SCHEDULES[schedule].traits
    return usual / CONSTANT if cycle else usual
