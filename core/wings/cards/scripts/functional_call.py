"""The network as a function of its weights: called with others, its own unchanged."""

import math

from torch.func import functional_call

own = {name: weight.detach().clone() for name, weight in model.named_parameters()}


def loss_with(scale):
    """The loss of the batch with all weights times a number."""
    weights = {name: scale * weight for name, weight in own.items()}
    with torch.no_grad():
        return loss_function(functional_call(model, weights, (x,)), y).item()


classes = model(x[:1]).shape[1] if y.dtype == torch.int64 else 0
even = math.log(classes) if classes else math.nan
scales = [0.1 * step for step in range(21)]
losses = [loss_with(scale) for scale in scales]
at_zero, at_one = losses[0], loss_with(1.0)
with torch.no_grad():
    difference = abs(at_one - loss_function(model(x), y).item())
changed = max((now - own[name]).abs().max().item() for name, now in model.named_parameters())
print(f"loss with all weights 0: {at_zero:.4f}, with its own: {at_one:.4f}")
print(f"with its own weights passed, the loss differs by {difference:.1e}")
print(f"the network's weights have changed by {changed:g}")
