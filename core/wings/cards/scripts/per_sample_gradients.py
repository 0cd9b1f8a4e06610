"""The gradient of each sample, all computed in one pass."""

from torch.func import functional_call, grad, vmap

weights = {name: weight.detach() for name, weight in model.named_parameters()}


def loss_of(weights, sample, target):
    """The loss of one sample, as a function of the weights."""
    output = functional_call(model, weights, (sample.unsqueeze(0),))
    return loss_function(output, target.unsqueeze(0))


each = vmap(grad(loss_of), in_dims=(None, 0, 0), randomness="different")(weights, x, y)
norms = torch.stack([part.flatten(1).square().sum(1) for part in each.values()]).sum(0).sqrt()

loss_function(model(x), y).backward()
mean = torch.cat([part.mean(0).flatten() for part in each.values()])
whole = torch.cat([weight.grad.flatten() for weight in model.parameters()])
difference, longest = (mean - whole).abs().max().item(), norms.max().item()

ratio = (norms.max() / norms.min()).item()
order = norms.argsort(descending=True)
samples, pulls = [f"sample {i}" for i in order.tolist()], norms[order].tolist()
print(f"the largest gradient is {ratio:.3g} times as long as the smallest")
print(f"their mean differs from the gradient of the batch by {difference:.1e} at most")
