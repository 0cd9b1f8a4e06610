"""An interpreter that notes shape and time of each node, and a pass that replaces activations."""

import time

from torch.fx import Interpreter, symbolic_trace
from torch.nn import functional as F

SIMILAR = {nn.ReLU: F.silu, nn.Tanh: F.hardtanh, nn.Sigmoid: F.hardsigmoid, nn.SiLU: F.hardswish,
           nn.GELU: F.hardswish, F.relu: F.silu, torch.relu: F.silu, F.tanh: F.hardtanh,
           torch.tanh: F.hardtanh, F.sigmoid: F.hardsigmoid, torch.sigmoid: F.hardsigmoid,
           F.silu: F.hardswish, F.gelu: F.hardswish}  # fmt: skip


class Watched(Interpreter):
    """Runs a graph as torch does, and notes each node."""

    def run_node(self, node):
        begin = time.perf_counter()
        result = super().run_node(node)
        ms = 1000 * (time.perf_counter() - begin)
        shape = str(tuple(result.shape)) if torch.is_tensor(result) else type(result).__name__
        noted.append((node.name, getattr(node.target, "__name__", str(node.target)), shape, ms))
        return result


def replace(network):
    """A pass: wherever an activation is called, call a function of similar shape."""
    changes = []
    for node in network.graph.nodes:
        module = node.op == "call_module"
        before = type(network.get_submodule(node.target)) if module else node.target
        if (module or node.op == "call_function") and (after := SIMILAR.get(before)):
            node.op, node.target = "call_function", after
            node.args, node.kwargs = node.args[:1], {}
            changes.append([node.name, before.__name__, after.__name__])
    network.recompile()
    return changes


changed, noted = symbolic_trace(model), []
with torch.no_grad():
    expected = model(x)
    Watched(changed).run(x)  # the first run prepares what later ones use
    noted.clear()
    difference = (Watched(changed).run(x) - expected).abs().max().item()
    changes = replace(changed)
    moved = (changed(x) - expected).abs().max().item()
nodes, replaced = len(noted), len(changes)
longest, _, _, most = max(noted, key=lambda each: each[3])
slowest = 100 * most / sum(each[3] for each in noted)
rows = [[name, called, shape, f"{ms:.3f}"] for name, called, shape, ms in noted]
print(*(f"{name:24} {called:28} {shape:20} {ms:>8}" for name, called, shape, ms in rows), sep="\n")
print(f"{replaced} activations replaced; the output changes by {moved:.3g} at most")
