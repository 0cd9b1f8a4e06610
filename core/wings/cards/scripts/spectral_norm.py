"""How much a layer can stretch its input, with and without spectral norm."""

import copy

from torch.nn.utils.parametrizations import spectral_norm


def largest(layer):
    """The largest singular value of a layer's weight as a matrix."""
    return torch.linalg.matrix_norm(layer.weight.detach().flatten(1), 2).item()


plain = model.get_submodule(BLOCK)
layer = spectral_norm(copy.deepcopy(plain)).train()
before, steps = largest(plain), list(range(11))
made = layer.parametrizations.weight[0]
values = []
for _ in steps:  # each read in training is one step of the power iteration
    layer.eval()
    values.append(largest(layer))
    layer.train()
    _ = layer.weight

after = values[-1]
stored = list(layer.state_dict())
rows = [[key, " x ".join(map(str, value.shape))] for key, value in layer.state_dict().items()]
print(f"{BLOCK} stretches by {before:.4g} at most, with spectral norm by {after:.4g}")
print(f"kept in state_dict: {', '.join(stored)}")
