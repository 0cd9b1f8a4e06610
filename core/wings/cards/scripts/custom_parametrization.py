"""A parametrization of one's own: how often it is calculated, cached, and how it is removed."""

import copy

from torch.nn.utils import parametrize

USES, calls = 5, []


class UnitRows(nn.Module):
    """Each row of the weight, so all that leads to one output, divided by its length."""

    def forward(self, weight):
        calls.append(1)
        flat = weight.flatten(1)
        return (flat / flat.norm(dim=1, keepdim=True).clamp_min(1e-12)).view_as(weight)

    def right_inverse(self, weight):
        return weight.clone()  # what is trained begins as what is assigned


def counted(use):
    """How often the parametrization is calculated while something is done."""
    calls.clear()
    use()
    return len(calls)


def several():
    """A few passes of the network."""
    for _ in range(USES):
        network(x)


def cached():
    """The same with a cache, which holds as long as its block."""
    with parametrize.cached():
        several()


network = copy.deepcopy(model)
layer, before = network.get_submodule(BLOCK), list(model.state_dict())
parametrize.register_parametrization(layer, "weight", UnitRows())
read, kept = counted(several), counted(cached)
lengths = layer.weight.detach().flatten(1).norm(dim=1)
stored = [name for name in network.state_dict() if name not in before]
trained = network.get_parameter(stored[0])
(slope,) = torch.autograd.grad(network(x).float().square().sum(), trained)
along = (slope.flatten(1) * trained.detach().flatten(1)).sum(1).abs().max().item()
output = network(x)
parametrize.remove_parametrizations(layer, "weight", leave_parametrized=True)
removed, difference = counted(several), (network(x) - output).abs().max().item()
uses, shortest, longest = USES, lengths.min().item(), lengths.max().item()
names, counts = ["plain", "cached", "removed"], [read, kept, removed]
rows = [["with it", ", ".join(stored)], ["removed", f"{BLOCK}.weight"]]
print(f"{USES} passes calculate the weight {read} times, cached {kept} times, removed {removed}")
print(f"rows are {shortest:.4f} to {longest:.4f} long; removed, the outputs differ by {difference}")
print(f"gradient along its own weight, at most: {along:.1e}")
