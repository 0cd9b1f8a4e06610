"""One neuron's forward and backward pass for one sample, with numbers to check by hand."""

layer, kept = model.get_submodule(BLOCK), {}


def keep(_layer, inputs, output):
    """Keep the layer's input and output, and the gradient of the output."""
    output.retain_grad()
    kept["in"], kept["out"] = inputs[0].detach(), output


layer.register_forward_hook(keep)
loss_function(model(x[:1]), y[:1]).backward()

places = kept["in"].flatten(0, -2)  # inputs of the layer: one row, or one for each token
pulls = kept["out"].grad.flatten(0, -2)[:, 0]  # d loss / d z of neuron 0 for each row
a, w = places[0], layer.weight[0].detach()
b = layer.bias[0].item() if layer.bias is not None else 0.0
z = (w * a).sum().item() + b
gradient = pulls @ places  # d loss / d w = the sum of d loss / d z * a
difference = (gradient - layer.weight.grad[0]).abs().max().item()
unmoved = int((gradient == 0).sum())

strongest = (w * a).abs().argsort(descending=True)[:8].tolist()
rows = [
    [f"{i}", f"{a[i]:.4f}", f"{w[i]:.4f}", f"{w[i] * a[i]:.4f}", f"{gradient[i]:.2e}"]
    for i in strongest
]
print(f"z = sum(w * a) + b = {z:.4f}, torch: {kept['out'].flatten(0, -2)[0, 0].item():.4f}")
print(f"d loss / d z = {pulls[0].item():.3e}; largest difference of d loss / d w: {difference:.1e}")
print(f"{unmoved} of {len(w)} weights get no gradient from this sample")
