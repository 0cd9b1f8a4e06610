"""The gradients of an ensemble of networks, computed by one vmap."""

from torch.func import functional_call, grad, stack_module_state, vmap

members = []
for seed in range(SEED, SEED + MEMBERS):
    torch.manual_seed(seed)
    members.append(type(model)().eval())
weights, buffers = stack_module_state(members)  # each (MEMBERS, *shape of the weight)


def loss_of(weights, buffers):
    """The loss of one member on the batch."""
    return loss_function(functional_call(model, (weights, buffers), (x,)), y)


each = vmap(grad(loss_of), randomness="different")(weights, buffers)
gradients = torch.cat([part.flatten(1) for part in each.values()], dim=1)
unit = gradients / gradients.norm(dim=1, keepdim=True)
cosines = unit @ unit.T
others = cosines[~torch.eye(MEMBERS, dtype=torch.bool)]
alike = others.mean().item()

loss_function(members[1](x), y).backward()
alone = torch.cat([weight.grad.flatten() for weight in members[1].parameters()])
difference = (alone - gradients[1]).abs().max().item()
print(f"gradients of {MEMBERS} members have a cosine of {alike:.3f} on average")
print(f"member 1 alone gives the same up to {difference:.1e}")
