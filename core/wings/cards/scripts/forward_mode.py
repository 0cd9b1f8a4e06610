"""A derivative in one direction: exact by forward mode, approximate by finite differences."""

import math

from torch.func import functional_call, jvp
from torch.nn.attention import SDPBackend, sdpa_kernel

weights = {name: weight.detach() for name, weight in model.named_parameters()}


def loss_at(weights):
    """The loss of the batch, as a function of the weights."""
    return loss_function(functional_call(model, weights, (x,)), y)


slopes = torch.autograd.grad(loss_function(model(x), y), list(model.parameters()))
length = sum(part.square().sum() for part in slopes).sqrt()
direction = {
    name: part / length for name, part in zip(weights, slopes, strict=True)
}  # the steepest
with sdpa_kernel(SDPBackend.MATH):  # the fast kernels of attention have no forward mode
    loss, slope = jvp(loss_at, (weights,), (direction,))  # both in one pass, without a graph
exponents = [-1, -2, -3, -4, -5, -6, -7]
errors = []
for exponent in exponents:
    h = 10.0**exponent
    moved = {name: weight + h * direction[name] for name, weight in weights.items()}
    errors.append(abs((loss_at(moved) - loss).item() / h - slope.item()))

best = exponents[errors.index(min(errors))]
logs = [torch.tensor(error).clamp_min(1e-12).log10().item() for error in errors]
slope = slope.item()
digits = round(math.log10(abs(slope) / max(min(errors), 1e-12))) if slope else math.nan
print(f"the loss changes by {slope:.5g} for each unit in the steepest direction")
print(f"finite differences are closest with a step of 1e{best}, with an error of {min(errors):.1e}")
