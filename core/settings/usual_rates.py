"""Usual learning rates by depth and blocks of a network, optimiser and schedule. No torch.

Used by the suggestions (`suggest.py`) and by the remedies of a verdict (`core/runs/remedies.py`).
"""

from core.settings.network_facts import Network

ORDINARY = 0.01
"""The highest rate of a cycle (OneCycleLR) of AdamW, for most networks."""
ALONE, CAREFUL = 0.05, 0.003
SHALLOW = 8
"""Layers up to which a network with attention bears the rate of others."""
SHORTENED = {"attention": "has attention", "recurrent": "is recurrent"}
CONSTANT = 0.3
"""A rate that stays is about a third of one that climbs and comes far down again."""
CYCLES = ("OneCycleLR",)
BY_OPTIMIZER = {
    "SGD": 0.05,
    "ASGD": 0.05,
    "Adagrad": 0.01,
    "Adadelta": 1.0,
    "Rprop": 0.01,
    "Muon": 0.02,
    "Adafactor": 0.01,
}
"""Constant rates that small networks learn with; of all other optimisers it is that of Adam."""


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
    if optimizer in BY_OPTIMIZER:  # what bears more was measured with Adam alone
        usual = BY_OPTIMIZER[optimizer] * min(1.0, bears)
    else:
        usual = CONSTANT * ORDINARY * bears
    if optimizer == "SGD":
        usual *= max(1e-3, 1 - momentum)
    return usual / CONSTANT if schedule in CYCLES else usual
