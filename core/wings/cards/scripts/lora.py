"""Low-rank changes as a parametrization of the drawing's weights, beside full fine-tuning."""

import copy

from torch.nn.utils import parametrize

STEPS, RATE, KINDS = 30, 0.01, (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)


class _LowRank(nn.Module):
    def __init__(self, weight, rank):
        super().__init__()
        rows, columns = weight.flatten(1).shape
        self.down = nn.Parameter(torch.randn(rank, columns) / columns**0.5)
        self.up = nn.Parameter(torch.zeros(rows, rank))

    def forward(self, weight):
        return weight + (self.up @ self.down).view_as(weight)


def learn(network):
    """The number of trained numbers, and the losses of a few steps on the batch."""
    trained = [weight for weight in network.parameters() if weight.requires_grad]
    optimiser, found = torch.optim.AdamW(trained, RATE, weight_decay=0.0), []
    for _ in range(STEPS):
        optimiser.zero_grad()
        loss = loss_function(network(x), y)
        found.append(loss.item())
        loss.backward()
        optimiser.step()
    return sum(weight.numel() for weight in trained), [*found, loss_function(network(x), y).item()]


curves, counts, ranks = [], [], (1, 2, 4)
for rank in ranks:
    torch.manual_seed(SEED)
    network = copy.deepcopy(model).requires_grad_(False)
    adapted = [part for part in network.modules() if isinstance(part, KINDS)]
    for part in adapted:
        parametrize.register_parametrization(part, "weight", _LowRank(part.weight, rank))
    for found, value in zip((counts, curves), learn(network), strict=True):
        found.append(value)
(first, second, third), (full, every) = curves, learn(copy.deepcopy(model))
steps, begin, lowest, reached = list(range(STEPS + 1)), every[0], every[-1], third[-1]
share, names = 100 * counts[-1] / full, [*(f"rank {rank}" for rank in ranks), "all weights"]
rows = [[name, f"{n:,}", f"{losses[-1]:.4f}"] for name, n, losses in
        zip(names, [*counts, full], [*curves, every], strict=True)]  # fmt: skip
expected = network(x)
for part in adapted:
    parametrize.remove_parametrizations(part, "weight")  # the sum becomes the weight
difference = (network(x) - expected).abs().max().item()
print(*(f"{a:12} {b:>12} trained, loss {c}" for a, b, c in rows), sep="\n")
print(f"merged into the weights, the outputs differ by {difference:.1e}")
