"""The smallest weights become 0 by masks: local, global, in three rounds, and for good."""

import copy
from itertools import product

from torch.nn.utils import prune


def pruned(way, share, rounds=1):
    """A copy of the network with masks on weights of two or more dimensions, and their places."""
    network = copy.deepcopy(model)
    places = [(part, name) for part in network.modules()
              for name, w in part.named_parameters(recurse=False) if w.dim() > 1]  # fmt: skip
    for _ in range(rounds):
        if way == "global":
            prune.global_unstructured(places, prune.L1Unstructured, amount=share)
        for part, name in places if way == "local" else ():
            prune.l1_unstructured(part, name, amount=share)
    return network, places


def answers(network):
    """What it answers for the batch, its loss, and the share of right classes."""
    with torch.no_grad():
        output = network(x)
    named = not y.is_floating_point() and output.dim() == y.dim() + 1
    dim = -1 if output.shape[:-1] == y.shape else 1
    right = f"{(output.argmax(dim) == y).float().mean():.0%}" if named else "not classes"
    return output, loss_function(output, y).item(), right


shares, rows, by_layer, whole = [0.0, 0.2, 0.5, 0.8, 0.9, 0.95], [], [], []
for share, (way, losses) in product(shares, (("local", by_layer), ("global", whole))):
    _, loss, right = answers(pruned(way, share)[0])
    losses.append(loss)
    rows.append([f"{share:.0%}", way, f"{loss:.4f}", right])
    print(*(f"{cell:10}" for cell in rows[-1]))
at_local, at_whole = by_layer[3], whole[3]
state = pruned("global", 0.8)[0].state_dict()
left = [(round(100 * state[f"{path[:-5]}_mask"].mean().item(), 1), path[:-5])
        for path in state if path.endswith("_orig")]  # fmt: skip
(least, emptiest), (most, fullest) = min(left), max(left)

network, places = pruned("local", 0.5, rounds=3)
masks = [getattr(part, f"{name}_mask") for part, name in places]
weights, kept = sum(mask.numel() for mask in masks), sum(mask.sum().item() for mask in masks)
remaining, masked = 100 * kept / weights, answers(network)[0]
with_masks = sum(each.nbytes for each in network.state_dict().values())
for part, name in places:
    prune.remove(part, name)
permanent = sum(each.nbytes for each in network.state_dict().values())
difference = (answers(network)[0] - masked).abs().max().item()
print(f"three rounds of 50 % leave {remaining:.4g} % of {weights:,} weights")
