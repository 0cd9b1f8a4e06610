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
layers = [part for part in model.modules()
          if isinstance(part, nn.Linear | nn.Conv1d | nn.Conv2d | nn.Conv3d)]  # fmt: skip
kinds = nn.modules.batchnorm._NormBase | nn.LayerNorm | nn.GroupNorm | nn.RMSNorm
normalising = [part for part in model.modules() if isinstance(part, kinds)]
model.train()  # batch norm calculates with the batch, as it does where a training starts


def spread(begin, skipped=()):
    """The standard deviation after each layer; what is skipped passes its input on."""
    torch.manual_seed(SEED)
    seen = []
    handles = [part.register_forward_hook(lambda _p, _i, out: seen.append(out.std().item()))
               for part in layers]  # fmt: skip
    handles += [part.register_forward_hook(lambda _p, into, _o: into[0]) for part in skipped]
    for name, weight in (pair for part in layers if begin for pair in part.named_parameters()):
        (begin if name == "weight" else init.zeros_)(weight)
    with torch.no_grad():
        model(x)
    for handle in handles:
        handle.remove()
    return seen


deviations = {scheme: spread(begin) for scheme, begin in schemes.items()}
for scheme, seen in deviations.items():
    print(f"{scheme:14}" + " ".join(f"{deviation:9.2e}" for deviation in seen))
falls = {n: seen[0] / seen[-1] if seen[-1] else math.inf for n, seen in deviations.items()}
ratio, norms = falls["normal, 0.01"], len(normalising)
plain = spread(schemes["normal, 0.01"], normalising)
bare = plain[0] / plain[-1] if plain[-1] else math.inf  # without normalisation
depth = list(range(1, len(layers) + 1))
logs = [torch.tensor(seen).clamp_min(1e-12).log10().tolist() for seen in deviations.values()]
drawn, small, xavier, kaiming, orthogonal = logs
least, flattest = min((max(f, 1 / f) if f else math.inf, n) for n, f in falls.items())
print(f"with weights of 0.01 the standard deviation falls by a factor of {ratio:,.3g}")
