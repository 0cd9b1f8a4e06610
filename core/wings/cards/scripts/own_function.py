"""An operation with a custom backward pass, checked by gradcheck and gradgradcheck."""

from torch.autograd import gradcheck, gradgradcheck


class Swish(torch.autograd.Function):
    """z * sigmoid(z), by Ramachandran et al. (2017)."""

    @staticmethod
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return z * torch.sigmoid(z)

    @staticmethod
    def backward(ctx, grad):
        (z,) = ctx.saved_tensors
        s = torch.sigmoid(z)
        return grad * s * (1 + z * (1 - s))


z = torch.linspace(-4, 4, 16, dtype=torch.float64, requires_grad=True)
first_right = gradcheck(Swish.apply, (z,))
second_right = gradgradcheck(Swish.apply, (z,))

at = torch.linspace(-6, 6, 61, dtype=torch.float64, requires_grad=True)
value = Swish.apply(at)
(slope,) = torch.autograd.grad(value.sum(), at, create_graph=True)
(bend,) = torch.autograd.grad(slope.sum(), at)
second = bend[30].item()
difference = (slope - torch.autograd.grad(nn.functional.silu(at).sum(), at)[0]).abs().max().item()
xs, values, slopes, bends = at, value, slope, bend
print(f"gradcheck {first_right}, gradgradcheck {second_right} on 16 values")
print(f"second derivative at 0: {second:.4f}; slope differs from nn.SiLU's by {difference:.1e}")
