"""The order in which gradients are finished, and the buckets that are filled with them."""

came, weights = [], {name: w for name, w in model.named_parameters() if w.requires_grad}
for name, weight in weights.items():
    weight.register_post_accumulate_grad_hook(lambda _weight, name=name: came.append(name))
loss_function(model(x), y).backward()
held = {name: weights[name].grad.nbytes for name in came}


def filled(first, others):
    """The buckets, each a list of weights; one is full when it holds its limit of bytes or more."""
    found, limit = [[]], first
    for name in held:
        if sum(held[each] for each in found[-1]) >= limit:
            found.append([])
            limit = others
        found[-1].append(name)
    return found


total = sum(held.values())
full = filled(total / 4, total / 4)
buckets, usual = len(full), len(filled(2**20, 25 * 2**20))
sizes = [sum(held[name] for name in bucket) for bucket in full]
names = [f"bucket {number}" for number in range(1, buckets + 1)]
early = round(100 * sum(sizes[:-1]) / total, 1)
backwards = "yes" if came == [name for name in weights if name in held][::-1] else "no"
place = {name: number for number, bucket in enumerate(full, 1) for name in bucket}
rows = [[str(i), name, f"{held[name]:,}", str(place[name])] for i, name in enumerate(came, 1)]
print(*(f"{i:>3} {name:32} {size:>12} bucket {number}" for i, name, size, number in rows), sep="\n")
print(f"{buckets} buckets; {early} % of the bytes can be sent early; {usual} with torch's limits")
