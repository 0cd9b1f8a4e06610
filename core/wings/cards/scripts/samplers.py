"""The samples of an epoch for three samplers; 90 samples of one class, 10 of another."""

from torch.utils.data import BatchSampler, RandomSampler, SequentialSampler, WeightedRandomSampler

classes = torch.tensor([0] * 90 + [1] * 10)
weights = (1 / classes.bincount())[classes].tolist()
generator = torch.Generator().manual_seed(SEED)
orders = {
    "sequential": SequentialSampler(classes),
    "shuffle": RandomSampler(classes),
    "balanced": WeightedRandomSampler(weights, len(classes), generator=generator),
}
labels, rare, distinct = list(orders), [], []
for name, order in orders.items():
    rows = torch.tensor(list(order))
    rare.append(int(classes[rows].sum()))
    distinct.append(len(rows.unique()))
    print(f"{name:10} {rare[-1]:3} of the rare class, {distinct[-1]:3} different samples")
drawn, usual = rare[2], rare[1]
steps = len(BatchSampler(orders["shuffle"], 32, drop_last=False))
fewer = len(BatchSampler(orders["shuffle"], 32, drop_last=True))
print(f"batches of 32: {steps} steps, {fewer} with drop_last")
