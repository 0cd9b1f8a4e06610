"""Shape, dtype and strides of every tensor in the forward pass."""

met = [("x", x)]
for name, part in model.named_modules():
    if not list(part.children()):  # a layer, not a group of layers
        part.register_forward_hook(lambda _part, _in, out, name=name: met.append((name, out)))
output = model(x)

rows = []
for name, tensor in met:
    if isinstance(tensor, torch.Tensor):
        shape, strides = tuple(tensor.shape), tensor.stride()
        kind = str(tensor.dtype).removeprefix("torch.")
        rows.append(
            [name, str(shape), kind, str(strides), "yes" if tensor.is_contiguous() else "no"]
        )
        print(f"{name:16} {shape!s:20} {kind:8} {tensor.device} strides {strides}")

names = [name for name, tensor in met if isinstance(tensor, torch.Tensor)]
bytes_held = [
    tensor.numel() * tensor.element_size() for _, tensor in met if torch.is_tensor(tensor)
]
first_stride = x.stride(0)
print(f"one step along the batch skips {first_stride} numbers of x")
