"""The standard deviation of values in a deep network, for five initialisations."""

import math

from torch.nn import init

schemes = {
    "as drawn": None,
    "normal, 0.01": lambda weight: init.normal_(weight, std=0.01),
    "Xavier": init.xavier_uniform_,
    "Kaiming": lambda weight: init.kaiming_normal_(weight, nonlinearity="relu"),
    "orthogonal": init.orthogonal_,
}
layers = [(name, part) for name, part in model.named_modules()
          if isinstance(part, nn.Linear | nn.Conv1d | nn.Conv2d | nn.Conv3d)]  # fmt: skip
norms = sum("Norm" in type(part).__name__ for part in model.modules() if not list(part.children()))
model.train()  # batch norm calculates with the batch, as it does where a training starts
deviations = {}
for scheme, begin in schemes.items():
    torch.manual_seed(SEED)
    seen = []
    handles = [part.register_forward_hook(lambda _p, _i, out, at=seen: at.append(out.std().item()))
               for _, part in layers]  # fmt: skip
    with torch.no_grad():
        for _, part in layers:
            if begin is not None:
                begin(part.weight)
                if part.bias is not None:
                    init.zeros_(part.bias)
        model(x)
    for handle in handles:
        handle.remove()
    deviations[scheme] = seen
    print(f"{scheme:14}" + " ".join(f"{deviation:9.2e}" for deviation in seen))

depth = list(range(1, len(deviations["as drawn"]) + 1))
logs = [torch.tensor(seen).clamp_min(1e-12).log10().tolist() for seen in deviations.values()]
drawn, small, xavier, kaiming, orthogonal = logs
falls = {n: seen[0] / seen[-1] if seen[-1] else math.inf for n, seen in deviations.items()}
ratio = falls["normal, 0.01"]
changes = {max(f, 1 / f) if f else math.inf: n for n, f in falls.items()}
least = min(changes)
flattest = changes[least]
print(f"with weights of 0.01 the standard deviation falls by a factor of {ratio:,.3g}")
