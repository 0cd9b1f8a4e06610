"""8 bits in three steps, observe, scale, round: by hand, beside torch's own functions."""

import copy

apart, rows, outputs, errors = [], [], [], []
fakes = [torch.fake_quantize_per_tensor_affine, torch.fake_quantize_per_channel_affine]
networks = [copy.deepcopy(model) for _ in range(2)]


def eight_bits(values, channels=False):
    """What 8 bits make of values, their root mean square error, and what the observer saw."""
    dims = tuple(range(int(channels), values.dim()))
    low, high = values.amin(dims, keepdim=True), values.amax(dims, keepdim=True)
    scale = ((high.clamp(min=0) - low.clamp(max=0)) / 255).clamp(min=1e-8)  # 0 is in the range
    zero = (-128 - (low.clamp(max=0) / scale).round()).clamp(-128, 127).int()
    made = (((values * (1 / scale)).round() + zero).clamp(-128, 127) - zero) * scale
    along = (scale.flatten(), zero.flatten(), 0) if channels else (scale.item(), zero.item())
    theirs = fakes[channels](values, *along, -128, 127)
    apart.append((made - theirs).abs().max().item())
    seen = [f"{low.min():.3g} to {high.max():.3g}", f"{scale.max():.3g}", f"{zero.flatten()[0]}"]
    return made, (made - values).square().mean().sqrt().item(), seen


for name, weight in model.named_parameters():
    if weight.dim() > 1:  # a bias keeps its 32 bits
        whole, wide, seen = eight_bits(weight.detach())
        each, narrow, _ = eight_bits(weight.detach(), channels=True)
        for network, made in zip(networks, (whole, each), strict=True):
            network.get_parameter(name).data = made
        rows.append([name, *seen, f"{wide:.2e}", f"{narrow:.2e}"])
        errors.append([weight.numel(), wide, narrow])


def watch(name):
    """A hook that quantises the output of a layer."""
    return lambda _part, _given, out: (
        outputs.append([name, *(found := eight_bits(out))[2], f"{found[1]:.2e}"])
        if torch.is_tensor(out) and out.is_floating_point() else None)  # fmt: skip


for name, part in model.named_modules():
    if name and not list(part.children()):
        part.register_forward_hook(watch(name))
with torch.no_grad():
    expected, *found = [network(x) for network in (model, *networks)]
by_tensor, by_channel = ((each - expected).abs().max().item() for each in found)
sizes, per_tensor, per_channel = torch.tensor(errors, dtype=torch.float64).T
squares = (sizes * per_tensor.square()).sum() / (sizes * per_channel.square()).sum()
names, ratio, against_torch = [row[0] for row in rows], squares.sqrt().item(), max(apart)
full, small = int(4 * sizes.sum()), int(sizes.sum() + 4 * len(sizes))
print(*("  ".join(row) for row in rows + outputs), sep="\n")
print(f"per tensor the error is {ratio:.3g} times as large; torch differs by {against_torch:.1e}")
