"""The gradients of four ranks, added up in a ring: in one process, message by message."""


def gradient(samples, targets):
    """The gradient of all weights, in one row."""
    model.zero_grad()
    loss_function(model(samples), targets).backward()
    grads = [weight.grad for weight in model.parameters() if weight.grad is not None]
    return torch.cat([each.flatten() for each in grads]).double()


pairs = list(zip(x.chunk(4), y.chunk(4), strict=True))  # the samples of each rank
count = len(pairs)
fixed = [(gradient(*pair) * 2**32).round().long() for pair in pairs]
total, gradients = sum(fixed), len(fixed[0])
held = [list(each.clone().tensor_split(count)) for each in fixed]  # held[rank][part]
rows, sent = [], [0] * count


def pass_on(step, part_of, adds):
    """Each rank sends a part to the next one, all at the same time."""
    moving = [(rank, part_of(rank) % count) for rank in range(count)]
    values = [held[rank][part].clone() for rank, part in moving]
    for (rank, part), value in zip(moving, values, strict=True):
        there = (rank + 1) % count
        held[there][part] = held[there][part] + value if adds else value
        sent[rank] += 4 * len(value)  # as float32
        what = "adds it" if adds else "keeps it"
        rows.append([str(step), str(rank), str(there), str(part), what, f"{4 * len(value):,}"])


for step in range(count - 1):
    pass_on(step + 1, lambda rank, step=step: rank - step, adds=True)
for step in range(count - 1):
    pass_on(step + count, lambda rank, step=step: rank + 1 - step, adds=False)
wrong = sum(int((torch.cat(parts) != total).sum()) for parts in held)
apart = (total.double() / 2**32 / count - gradient(x, y)).abs().max().item()
each, server, steps = max(sent), 4 * gradients * count, 2 * (count - 1)
ranks = list(range(2, 17))
in_ring = [8e-6 * gradients * (n - 1) / n for n in ranks]
at_server = [4e-6 * gradients * n for n in ranks]
print(*("  ".join(row) for row in rows), sep="\n")
print(f"{steps} steps, {each:,} bytes from each rank; a server sends {server:,}; {wrong} wrong")
