"""A pruning method of one's own: it masks the outputs of a layer that vary least."""

import copy

from torch.nn.utils import prune

SHARE = 0.5
taken = []
hook = model.get_submodule(BLOCK).register_forward_hook(
    lambda *each: taken.append(each[2].detach())
)
expected = model(x).detach()
hook.remove()


class LeastMoving(prune.BasePruningMethod):
    """Masks all weights that lead to the outputs with the smallest spread over the batch."""

    PRUNING_TYPE = "unstructured"  # the mask may be of any form

    def __init__(self, outputs):
        self.spread = outputs.flatten(1).std(1)

    def compute_mask(self, weight, default_mask):
        mask = default_mask.clone()
        mask[self.spread.argsort()[: round(SHARE * len(mask))]] = 0
        return mask


outputs = taken[0].movedim(1 if model.get_submodule(BLOCK).weight.dim() > 2 else -1, 0)
ways = {
    "least moving": lambda layer: LeastMoving.apply(layer, "weight", outputs),
    "smallest norm": lambda layer: prune.ln_structured(layer, "weight", SHARE, n=2, dim=0),
    "at random": lambda layer: prune.random_structured(layer, "weight", SHARE, dim=0),
}
torch.manual_seed(SEED)
names, losses, changes, rows = list(ways), [], [], []
for name, way in ways.items():
    network = copy.deepcopy(model)
    layer = network.get_submodule(BLOCK)
    way(layer)
    found = network(x).detach()
    changes.append((found - expected).square().mean().sqrt().item())
    losses.append(loss_function(found, y).item())
    masked = (layer.weight_mask.flatten(1).sum(1) == 0).sum().item()
    rows.append([name, str(masked), f"{changes[-1]:.4g}", f"{losses[-1]:.4f}"])
    prune.remove(layer, "weight")
kept = (network(x) - found).abs().max().item()
total, unpruned = len(outputs), loss_function(expected, y).item()
mine, least = changes[0], names[changes.index(min(changes))]
print(*(" | ".join(row) for row in rows), sep="\n")
print(f"{masked} of {total} outputs are masked; unpruned loss {unpruned:.4f}; {kept} by removing")
