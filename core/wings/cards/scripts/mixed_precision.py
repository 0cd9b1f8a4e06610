"""bfloat16 where it is safe, float32 elsewhere: autocast decides for each call."""

import time

seen, hooks = {}, []
for name, layer in model.named_modules():
    if name and not list(layer.children()):
        hooks.append(
            layer.register_forward_hook(lambda _, given, out, n=name: seen.update({n: out}))
        )
with torch.no_grad():
    expected = model(x).float()
    full = {name: out for name, out in seen.items() if isinstance(out, Tensor)}
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = model(x)
for hook in hooks:
    hook.remove()


def milliseconds():
    """The fastest of several passes."""
    times = []
    for _ in range(9):
        begin = time.perf_counter()
        model(x)
        times.append(1000 * (time.perf_counter() - begin))
    return min(times)


with torch.no_grad():
    times = [milliseconds()]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        times.append(milliseconds())
rows, lies = [], []
for name, expected_out in full.items():
    out = seen[name]
    lies.append((out.float() - expected_out).abs().max().item())
    rows.append([name, str(out.dtype).removeprefix("torch."), f"{lies[-1]:.1e}"])
halved, names = sum(row[1] == "bfloat16" for row in rows), ["float32", "autocast, bfloat16"]
difference, gain = (mixed.float() - expected).abs().max().item(), times[0] / times[1]
weights = {str(weight.dtype) for weight in model.parameters()}
print(*("  ".join(row) for row in rows), sep="\n")
print(f"{halved} of {len(rows)} layers have bfloat16 outputs; weights stay {', '.join(weights)}")
print(f"outputs differ by {difference:.1e}; {times[0]:.2f} ms, under autocast {times[1]:.2f} ms")
