"""What a step keeps and how long it takes, with checkpoints after every so many operations."""

import time
from functools import partial

from torch.autograd.graph import saved_tensors_hooks
from torch.fx import symbolic_trace
from torch.fx.passes.split_module import split_module
from torch.utils.checkpoint import checkpoint

model.train()
calls = [n.name for n in symbolic_trace(model).graph.nodes if n.op not in ("placeholder", "output")]
own = {each.untyped_storage().data_ptr() for each in (*model.parameters(), *model.buffers(), x)}


def divided(count):
    """The network in segments of successive operations; all but the last are checkpointed."""
    place = {name: i * count // len(calls) for i, name in enumerate(calls)}
    network = split_module(symbolic_trace(model), model, lambda node: place.get(node.name, 0))
    for part in list(network.children())[:-1]:
        part.forward = partial(checkpoint, part.forward, use_reentrant=False)
    return network, sum(at < count - 1 for at in place.values())


def step(network):
    """Bytes kept after the forward pass, all gradients, and the time of the step in ms."""
    held, begin = {}, time.perf_counter()

    def keep(tensor):
        held[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    torch.manual_seed(SEED)  # the same dropout in each step
    with saved_tensors_hooks(keep, lambda tensor: tensor):
        output = network(x)
    model.zero_grad()
    loss_function(output, y).backward()
    spent = 1000 * (time.perf_counter() - begin)
    grads = [weight.grad for weight in model.parameters() if weight.grad is not None]
    return sum(size for at, size in held.items() if at not in own), grads, spent


found, operations = [], len(calls)
counts = list(range(1, min(6, operations) + 1))
for count in counts:
    network, repeated = divided(count)
    steps = [step(network) for _ in range(4)]
    found.append((steps[0][0], count, repeated, min(each[2] for each in steps), steps[0][1]))
rows = [[str(n), f"{size:,}", str(twice), f"{ms:.2f}"] for size, n, twice, ms, _ in found]
kept_mb = [1e-6 * size for size, *_ in found]
(plain, _, _, alone, expected), others = found[0], found[1:] or found
least, best, again, spent, grads = min(others, key=lambda each: each[:2])
share, slower = 100 * least / max(plain, 1), spent / alone
difference = max((a - b).abs().max().item() for a, b in zip(grads, expected, strict=True))
print(f"{plain:,} bytes are kept; with {best} segments {least:,}, and {again} of {operations}")
print(f"operations run twice: {slower:.2f} times as long; gradients differ by {difference:.1e}")
