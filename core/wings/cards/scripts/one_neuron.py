"""One neuron's forward and backward pass for one sample, with numbers to check by hand."""

layer, kept = model.get_submodule(BLOCK), {}


def keep(_layer, inputs, output):
    """Keep the layer's input and output, and the gradient of the output."""
    output.retain_grad()
    kept["in"], kept["out"] = inputs[0].detach(), output


layer.register_forward_hook(keep)
for sample in range(len(x)):  # the first sample for which a neuron of the layer is alive
    model.zero_grad()
    loss_function(model(x[sample : sample + 1]), y[sample : sample + 1]).backward()
    strength = kept["out"].grad.flatten(0, -2).abs().sum(0)
    if strength.any():
        break
neuron = int(strength.gt(0).int().argmax())  # the first that a gradient reaches
live = int(strength.gt(0).sum())

places = kept["in"].flatten(0, -2)  # inputs of the layer: one row, or one for each token
pulls = kept["out"].grad.flatten(0, -2)[:, neuron]  # d loss / d z for each row
a, w = places[0], layer.weight[neuron].detach()
b = layer.bias[neuron].item() if layer.bias is not None else 0.0
z = (w * a).sum().item() + b
gradient = pulls @ places  # d loss / d w = the sum of d loss / d z * a
difference = (gradient - layer.weight.grad[neuron]).abs().max().item()
unmoved, silent = int((gradient == 0).sum()), int((places == 0).all(0).sum())

strongest = (w * a).abs().argsort(descending=True)[:8].tolist()
rows = [
    [f"{i}", f"{a[i]:.4f}", f"{w[i]:.4f}", f"{w[i] * a[i]:.4f}", f"{gradient[i]:.2e}"]
    for i in strongest
]
print(f"neuron {neuron}, sample {sample}: {live} of {len(layer.weight)} neurons are alive there")
print(f"z = sum(w * a) + b = {z:.4f}, torch: {kept['out'].flatten(0, -2)[0, neuron].item():.4f}")
print(f"d loss / d z = {pulls[0].item():.3e}; largest difference of d loss / d w: {difference:.1e}")
print(f"{unmoved} of {len(w)} weights get no gradient from this sample")
