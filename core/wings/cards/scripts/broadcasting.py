"""Smaller tensors stretched to the shape of x, and the effect on their gradients."""

values = x.float()
inner = [1] * (values.dim() - 1)
smaller = {
    "one number": torch.tensor(2.0),
    "one sample": values.mean(0),
    "one number for each sample": values.flatten(1).mean(1).view(-1, *inner),
}
rows = []
for name, tensor in smaller.items():
    wide = tensor.broadcast_to(values.shape)  # a view with strides of 0, no copy
    rows.append([name, str(tuple(tensor.shape)), str(tuple(wide.shape)), str(wide.stride())])

bias = torch.zeros(1, requires_grad=True)
(values + bias).sum().backward()
gradient = bias.grad.item()  # the sum over all positions it was stretched to
print(f"gradient of the sum with respect to one number added everywhere: {gradient:g}")
try:
    values + torch.zeros(values.shape[-1] + 1)
except RuntimeError as error:
    refused = str(error)
    print(f"not possible: {refused}")
