"""detach() stops gradients; no_grad() saves the memory for them."""


def step(cut):
    """The weights that get a gradient, with the output of the block detached or not."""
    model.zero_grad()
    block = model.get_submodule(BLOCK)
    handle = block.register_forward_hook(lambda _b, _i, out: out.detach() if cut else None)
    loss = loss_function(model(x), y)
    handle.remove()
    if loss.requires_grad:
        loss.backward()
    return [name for name, weight in model.named_parameters() if weight.grad is not None]


def kept_bytes():
    """Bytes that a forward pass keeps for the backward pass, including weights."""
    kept = {}

    def note(tensor):
        kept[tensor.data_ptr()] = tensor.numel() * tensor.element_size()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        model(x)
    return sum(kept.values())


every, reached = step(cut=False), step(cut=True)
still = len(reached)
rows = [[name, "yes" if name in reached else "no"] for name in every]
with_grad = kept_bytes()
with torch.no_grad():
    without = kept_bytes()
print(f"{still} of {len(every)} weight tensors get a gradient once {BLOCK} is detached")
print(f"a forward pass keeps {with_grad:,} bytes; under no_grad() {without:,}")
