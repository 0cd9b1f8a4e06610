"""The graph of the forward pass, walked from the loss back to the weights."""

from collections import Counter


def short(node):
    """The name of a node without its C++ namespace."""
    return node.name().rpartition("::")[2]


loss = loss_function(model(x), y)
named = {id(weight): name for name, weight in model.named_parameters()}
found, waiting, rows = {loss.grad_fn}, [loss.grad_fn], []
while waiting:
    node = waiting.pop(0)
    nexts = [after for after, _ in node.next_functions if after is not None]
    weight = getattr(node, "variable", None)  # AccumulateGrad holds its leaf
    leads = named.get(id(weight), "") or ", ".join(short(after) for after in nexts)
    rows.append([short(node), leads or "the end"])
    for after in nexts:
        if after not in found:
            found.add(after)
            waiting.append(after)

kinds = Counter(name.rstrip("0123456789") for name, _ in rows)
kind_names, kind_counts = [list(column) for column in zip(*kinds.most_common(12), strict=True)]
nodes = len(rows)
accumulators = sum(name == "AccumulateGrad" for name, _ in rows)
rows = rows[:60]
print(f"{nodes} nodes, {accumulators} of which are AccumulateGrad: one for each weight tensor")
