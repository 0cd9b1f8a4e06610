"""The backward pass of one block against finite differences, and what each pass costs."""

import copy
import time
from itertools import pairwise

from torch.autograd import grad, gradcheck, gradgradcheck
from torch.func import functional_call

layer, taken, rows = model.get_submodule(BLOCK), [], []
block = copy.deepcopy(layer).double()
layer.register_forward_hook(lambda *each: taken.append(each[1:3]), with_kwargs=True)
model(x)
(given, options), names = taken[0], [name for name, _ in layer.named_parameters()]


def of(*leaves):
    """The block as a function of its inputs and its weights."""
    weights = dict(zip(names, leaves[len(given) :], strict=True))
    output = functional_call(block, weights, leaves[: len(given)], options)
    return output if isinstance(output, Tensor) else output[0]


def leaves_of(samples):
    """Inputs and weights in float64; the inputs are moved a little, off the kink of a ReLU."""
    found = [part.detach()[:samples].clone() for part in given] + list(block.parameters())
    found = [leaf.double() if leaf.is_floating_point() else leaf for leaf in found]
    found = [t + 1e-3 * torch.randn_like(t) if t.is_floating_point() else t for t in found]
    return [leaf.detach().requires_grad_(leaf.is_floating_point()) for leaf in found]


for check in (gradcheck, gradgradcheck):
    try:
        said = "agrees" if check(of, leaves_of(2), fast_mode=True) else "differs"
    except RuntimeError as error:  # GradcheckError is one, which says by how much they differ
        said = str(error).strip().splitlines()[0][:100]
    rows.append([check.__name__, said])
first, second = (said == "agrees" for _, said in rows)
leaves, times, agreed = leaves_of(len(x)), [], first + second
moving = [leaf for leaf in leaves if leaf.requires_grad]
for _ in range(9):
    marks = [time.perf_counter()]
    output = of(*leaves).sum()
    marks.append(time.perf_counter())
    slopes = grad(output, moving, create_graph=second, allow_unused=True)
    marks.append(time.perf_counter())
    bend = sum(s.square().sum() for s in slopes if s is not None)
    if second and bend.requires_grad:
        grad(bend, moving, allow_unused=True)
    marks.append(time.perf_counter())
    times.append([1000 * (b - a) for a, b in pairwise(marks)])
best = [min(row[i] for row in times) for i in range(3)]
passes, ratio = ["forward", "backward", "double backward"], best[1] / best[0]
print(*(f"{name}: {outcome}" for name, outcome in rows), sep="\n")
print("{:.3f} ms forward, {:.3f} ms backward, {:.3f} ms double backward".format(*best))
