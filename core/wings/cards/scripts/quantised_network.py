"""The whole network in 8 bits, by each of torch's engines for integers."""

import time
import warnings

from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

warnings.simplefilter("ignore")  # torch.ao.quantization moves to torchao
with torch.no_grad():
    expected = model(x)
engines, rows, differences, begun = {}, [], {}, torch.backends.quantized.engine
for name in sorted(torch.backends.quantized.supported_engines):
    torch.backends.quantized.engine = name
    with torch.no_grad():
        observed = prepare_fx(model, get_default_qconfig_mapping(name), (x,))
        observed(x)  # the observers note ranges
        network, best, end = convert_fx(observed), 1e9, time.perf_counter() + 0.5
        while (begin := time.perf_counter()) < end:
            output = network(x)
            best = min(best, 1000 * (time.perf_counter() - begin))
    engines[name], differences[name] = network, (output - expected).abs().max().item()
    rows.append([name, f"{best:.3f} ms", f"{differences[name]:.2e}"])
torch.backends.quantized.engine = begun

calls = []
for node in engines[begun].graph.nodes:
    if node.op == "call_module":
        calls.append([node.name, type(engines[begun].get_submodule(node.target)).__name__])
    elif node.op in ("call_function", "call_method"):
        calls.append([node.name, getattr(node.target, "__name__", str(node.target))])
kinds = [call[1] for call in calls]
quants, dequants = (sum(kind.startswith(k) for kind in kinds) for k in ("quantize", "dequantize"))
difference, runs = differences[begun], len(engines)
print(*("  ".join(row) for row in rows + calls), sep="\n")
print(f"{quants} times to 8 bits and {dequants} times back; outputs differ by {difference:.2e}")
