"""torch.compile's modes on a training step: first call, steps per second, graphs and breaks."""

import copy
import time

import torch._dynamo as dynamo
from torch._dynamo.utils import counters
from torch._inductor.utils import fresh_cache

STEPS = 20
modes = {
    "eager": None,
    "aot_eager": {"backend": "aot_eager"},
    "default": {},
    "reduce-overhead": {"mode": "reduce-overhead"},
    "max-autotune": {"mode": "max-autotune"},
}


def step(network):
    """The outputs, and the gradients of all weights."""
    output = network(x)
    loss_function(output, y).backward()
    return output.detach()


names, firsts, rates, rows, lies, counts = list(modes), [], [], [], [], []
for name, options in modes.items():
    dynamo.reset()
    counters.clear()
    inner = copy.deepcopy(model)
    network = inner if options is None else torch.compile(inner, **options)
    with fresh_cache():  # else a mode finds the kernels of the one before
        begin = time.perf_counter()
        output = step(network)
        firsts.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        for _ in range(STEPS):
            step(network)
        rates.append(STEPS / (time.perf_counter() - begin))
    lies.append((output - model(x)).abs().max().item())
    counts.append((counters["stats"]["unique_graphs"], sum(counters["graph_break"].values())))
    rows.append([name, f"{firsts[-1]:.2f}", f"{rates[-1]:.1f}", *map(str, counts[-1])])
    print("{:16} first call {:>7} s, {:>9} steps/s, {} graphs, {} breaks".format(*rows[-1]))
(graphs, breaks), difference = counts[2], max(lies)
gain, best = max(rates) / rates[0], names[rates.index(max(rates))]
saved = 1 / rates[0] - 1 / rates[2]
after = firsts[2] / saved if saved > 0 else float("inf")
