"""Three ways to learn from the inside of a teacher, and what each changes in a small student."""

import copy

from torch.nn import functional as F

STEPS, RATE, taken = 40, 0.01, []
model.get_submodule(BLOCK).register_forward_hook(lambda *each: taken.append(each[2].detach()))
answer = model(x).detach()
inside, pictures = taken[0], x.dim() == taken[0].dim() == 4
torch.manual_seed(SEED)
read = [] if x.is_floating_point() else [nn.Embedding(int(x.max()) + 1, 4)]
last = nn.LazyLinear(answer[0].numel())
layers = [nn.LazyConv2d(4, 3, 2, 1)] if pictures else [*read, nn.Flatten(), nn.LazyLinear(8)]
start = nn.Sequential(nn.Sequential(*layers), nn.Sequential(nn.ReLU(), nn.Flatten(), last))
first, _ = start[0](x), start(x)  # lazy layers find their sizes
goal = F.adaptive_avg_pool1d(inside.flatten(1)[:, None], first[0].numel())[:, 0]


def attention(values, size):
    """Where the squares of the channels are large, (N, H * W), of length 1."""
    return F.normalize(F.adaptive_avg_pool2d(values.square().mean(1), size).flatten(1))


ways = {
    "features": lambda z: F.mse_loss(z.flatten(1), goal),
    "cosine": lambda z: (1 - F.cosine_similarity(z.flatten(1), goal)).mean(),
}
if pictures:
    seen = attention(inside, first.shape[2:])
    ways["attention"] = lambda z: (attention(z, z.shape[2:]) - seen).square().sum(1).mean()
table, rows = [], []
for way in ("labels", *ways):
    student = copy.deepcopy(start)
    optimiser = torch.optim.AdamW(student.parameters(), RATE, weight_decay=0.0)
    for step in range(STEPS + 1):
        z = student[0](x)
        told = loss_function(student[1](z).view_as(answer), y)
        if step < STEPS:
            optimiser.zero_grad()
            (told + (ways[way](z) if way in ways else 0)).backward()
            optimiser.step()
    table.append([each.item() for each in (told, *(measure(z) for measure in ways.values()))])
    rows.append([way, *(f"{value:.4g}" for value in table[-1]), *["-"] * (3 - len(ways))])
own = [table[place][place] for place in range(1, len(table))]
lowest = sum(value == min(row[i] for row in table) for i, value in enumerate(own, 1))
share, count = 100 * own[1] / table[0][2], len(ways)
small = sum(weight.numel() for weight in start.parameters())
print(*(" | ".join(f"{cell:12}" for cell in row) for row in rows), sep="\n")
print(f"{small:,} weights; {lowest} of {count} ways end lowest in their own loss")
