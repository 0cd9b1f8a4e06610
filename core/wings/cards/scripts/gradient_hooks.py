"""Four hooks at one block that return twice the gradient they are given."""

layer = model.get_submodule(BLOCK)
weight = next(layer.parameters())
for part in model.modules():
    part.inplace = False  # where a module has hooks, nothing may write into its output


def double(gradients):
    """Twice each gradient; where there is none, none."""
    return tuple(None if each is None else 2 * each for each in gradients)


def hook_output(_layer, _inputs, output):
    """A forward hook that puts a hook on the output of the block."""
    tensor = output[0] if isinstance(output, tuple) else output
    tensor.register_hook(lambda gradient: 2 * gradient)


def gradients():
    """The gradient of each weight after one step."""
    model.zero_grad()
    loss_function(model(x), y).backward()
    found = {name: each.grad for name, each in model.named_parameters()}
    return {name: gradient for name, gradient in found.items() if gradient is not None}


places = {
    "on its output": lambda: layer.register_forward_hook(hook_output),
    "full backward pre-hook": lambda: layer.register_full_backward_pre_hook(
        lambda _layer, of_output: double(of_output)),
    "full backward hook": lambda: layer.register_full_backward_hook(
        lambda _layer, of_input, _of_output: double(of_input)),
    "on its weight": lambda: weight.register_hook(lambda gradient: 2 * gradient),
}  # fmt: skip
plain, counts, ways, longer = gradients(), [], [], []
for place, register in places.items():
    handle = register()
    found = gradients()
    handle.remove()
    longer.append({n: (found[n].norm() / plain[n].norm().clamp(min=1e-30)).item() for n in plain})
    counts.append(sum(not torch.allclose(found[n], plain[n], rtol=1e-3, atol=0) for n in plain))
    own = next(n for n, each in model.named_parameters() if each is weight)
    ways.append([place, f"{longer[-1].get(own, 0):.3g}", f"{counts[-1]} of {len(plain)}"])
    print(*(f"{cell:24}" for cell in ways[-1]))
changed, _, inside, _ = counts
total, names, factors = len(plain), list(plain), list(longer[0].values())
