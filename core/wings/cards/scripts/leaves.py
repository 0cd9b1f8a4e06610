"""Leaves of the autograd graph, and the tensors computed from them."""

output = model(x)
loss = loss_function(output, y)
named = [("x", x), *model.named_parameters(), ("output", output), ("loss", loss)]
named += [("output.detach()", output.detach())]
rows = []
for name, tensor in named:
    grad_fn = type(tensor.grad_fn).__name__ if tensor.grad_fn else "none"
    leaf, learns = ("yes" if flag else "no" for flag in (tensor.is_leaf, tensor.requires_grad))
    rows.append([name, leaf, learns, grad_fn])

loss.backward()
weights = list(model.parameters())
holding = sum(weight.grad is not None for weight in weights)
numbers_held = sum(weight.grad.numel() for weight in weights if weight.grad is not None)
print(f"{holding} tensors hold a gradient now, {numbers_held:,} numbers in total")
print(f"x is a leaf without requires_grad: x.grad is {x.grad}")
