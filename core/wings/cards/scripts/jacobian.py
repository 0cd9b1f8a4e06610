"""The Jacobian of one sample: how each output changes with each input."""

from torch.func import jacrev
from torch.nn.attention import SDPBackend, sdpa_kernel


def answers(sample):
    """The outputs of one sample, in a row."""
    return model(sample.unsqueeze(0)).flatten()


with sdpa_kernel(SDPBackend.MATH):  # the fast kernels of attention have no vmap
    jacobian = jacrev(answers)(x[0])  # (outputs, *shape of a sample)
matrix = jacobian.flatten(1)
size = matrix.numel()
largest = torch.linalg.matrix_norm(matrix, 2).item()  # the largest change for a step of length 1

step = torch.zeros_like(x[0]).flatten()
step[matrix.abs().sum(0).argmax()] = 1e-3
moved = answers(x[0] + step.view_as(x[0])) - answers(x[0])
difference = (moved - matrix @ step).abs().max().item()
side = jacobian.shape[-2:] if jacobian.dim() > 2 else matrix.shape
pictures = matrix.reshape(-1, *side)[:12]
print(f"the Jacobian of one sample has {size:,} numbers: {tuple(jacobian.shape)}")
print(f"to first order, a step of length 1 changes the outputs by {largest:.4g} at most")
print(f"for a small step its error is {difference:.1e}")
