"""A convolution and the BatchNorm behind it as one Function, which keeps less for its backward."""

from torch.autograd.function import once_differentiable
from torch.autograd.graph import saved_tensors_hooks
from torch.func import functional_call

given, conv, norm = [], model.get_submodule(BLOCK), model.get_submodule(NORM).train()
conv.register_forward_pre_hook(lambda _, inputs: given.append(inputs[0]))
model(x)
leaves = [t.detach().requires_grad_() for t in (given[0], conv.weight, norm.weight, norm.bias)]


class _ConvNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, image, weight, scale, shift):
        values = functional_call(conv, {"weight": weight}, (image,))
        out, *batch = torch.native_batch_norm(values, scale, shift, None, None, True, 0, norm.eps)
        ctx.save_for_backward(image, weight, scale, *batch)  # not values
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        image, weight, scale, *batch = (t.detach().requires_grad_() for t in ctx.saved_tensors)
        with torch.enable_grad():  # the convolution a second time
            values = functional_call(conv, {"weight": weight}, (image,))
        of_values, *others = torch.ops.aten.native_batch_norm_backward(
            grad, values.detach(), scale, None, None, *batch, True, norm.eps, [True] * 3
        )
        return *torch.autograd.grad(values, (image, weight), of_values), *others


def _plain(image, weight, scale, shift):
    values = functional_call(conv, {"weight": weight}, (image,))
    return functional_call(norm, {"weight": scale, "bias": shift}, (values,))


def step(way):
    """The bytes that the forward pass keeps, and the result with its gradients."""
    held, own = {}, {tensor.data_ptr() for tensor in (*leaves[1:], *norm.buffers())}
    with saved_tensors_hooks(lambda t: (held.update({t.data_ptr(): t.nbytes}), t)[1], lambda t: t):
        output = way(*leaves)
    slopes = torch.autograd.grad(output, leaves, output.detach().cos(), create_graph=True)
    return sum(size for at, size in held.items() if at not in own), [output, *slopes]


(plain_bytes, expected), (kept, found) = step(_plain), step(_ConvNorm.apply)
difference = max((a - b).abs().max().item() for a, b in zip(expected, found, strict=True))
share, names, sizes = 100 * kept / plain_bytes, ["modules", "Function"], [plain_bytes, kept]
try:
    torch.autograd.grad(found[0].exp().sum(), leaves[0], create_graph=True)[0].sum().backward()
except RuntimeError as error:
    refused = str(error).splitlines()[0]
print(f"{plain_bytes:,} bytes are kept by the modules, {kept:,} by the Function: {share:.3g} %")
print(f"results and gradients differ by {difference:.1e}\na second gradient: {refused}")
