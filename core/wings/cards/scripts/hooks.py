"""Hooks on modules see outputs, hooks on tensors see gradients."""

deviations, gradients = {}, {}


def watch(name):
    """A hook that records a layer's output and gradient: standard deviation and norm."""

    def hook(_layer, _inputs, output):
        if torch.is_tensor(output) and output.requires_grad:
            deviations[name] = output.std().item()
            output.register_hook(lambda gradient: gradients.update({name: gradient.norm().item()}))

    return hook


handles = [part.register_forward_hook(watch(name)) for name, part in model.named_modules()
           if name and not list(part.children())]  # fmt: skip
loss_function(model(x), y).backward()
for handle in handles:
    handle.remove()  # a hook stays until it is removed

layers = [name for name in deviations if name in gradients]
deviation, length = [deviations[name] for name in layers], [gradients[name] for name in layers]
ratio = (torch.tensor(length[0]) / length[-1]).item()
for name in layers:
    print(f"{name:20} std {deviations[name]:.3g}, gradient {gradients[name]:.3g}")
print(f"the gradient at {layers[0]} is {ratio:.3g} times as long as that at {layers[-1]}")
