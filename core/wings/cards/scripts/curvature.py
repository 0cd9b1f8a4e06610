"""The largest eigenvalue of the Hessian, from products with vectors; it is never stored."""

import math

from torch.nn.attention import SDPBackend, sdpa_kernel

weights = list(model.parameters())
with sdpa_kernel(SDPBackend.MATH):  # the fast kernels of attention have no second derivative
    loss = loss_function(model(x), y)
    slopes = torch.autograd.grad(loss, weights, create_graph=True)
slope = torch.cat([part.flatten() for part in slopes])


def power(shift):
    """Power iteration: the estimates of the eigenvalue of H + shift farthest from 0."""
    v = torch.randn(slope.numel(), generator=torch.Generator().manual_seed(SEED))
    v, found = v / v.norm(), []
    for _ in range(ITERATIONS):
        parts = torch.autograd.grad(slope @ v, weights, retain_graph=True, materialize_grads=True)
        product = torch.cat([part.flatten() for part in parts])  # H v, by backward over backward
        found.append((v @ product).item())
        v = product + shift * v
        v = v / v.norm()
    return found


estimates = power(0.0)
if estimates[-1] < 0:  # the farthest one is negative: shift all to make the largest farthest
    estimates = power(-estimates[-1])
eigenvalue = estimates[-1]
rate = 2 / eigenvalue if eigenvalue > 0 else math.inf
moved = abs(estimates[-1] - estimates[-2]) / max(abs(eigenvalue), 1e-12)
turns = list(range(1, ITERATIONS + 1))
print(f"largest eigenvalue {eigenvalue:.4g} of a Hessian of {slope.numel():,} x {slope.numel():,}")
print(f"plain gradient descent is stable up to a rate of {rate:.4g}, 2 / eigenvalue if positive")
