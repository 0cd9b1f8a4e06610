"""Gradients add up until they are cleared: a mistake, or larger batches with little memory."""

import math


def length():
    """The length (norm) of the gradient of all weights."""
    return sum(w.grad.square().sum() for w in model.parameters() if w.grad is not None) ** 0.5


loss_function(model(x), y).backward()
once = float(length())
used = [w for w in model.parameters() if w.grad is not None]
whole = [w.grad.clone() for w in used]
loss_function(model(x), y).backward()  # no zero_grad() before
twice = float(length())
model.zero_grad()
cleared = float(length())

half = len(x) // 2
for part, target in ((x[:half], y[:half]), (x[half:], y[half:])):
    (loss_function(model(part), target) / 2).backward()
halves = float(length())
pairs = zip(whole, used, strict=True)
difference = max(float((a - b.grad).abs().max()) for a, b in pairs)
ratio = twice / once if once else math.nan
ways = ["one backward()", "two, no zero_grad()", "after zero_grad()", "two halves, each / 2"]
lengths = [once, twice, cleared, halves]
print(f"two calls give {ratio:.4f} times the gradient of one")
print(f"two half batches differ from the whole batch by {difference:.1e} at most")
