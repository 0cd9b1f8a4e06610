"""Kernels that Inductor writes for this network, each with its blocks."""

import json
import re
import time
from pathlib import Path

from torch._inductor import config
from torch._inductor.compile_fx import compile_fx

owner = {}


def inductor(graph, inputs):
    """Inductor, after recording the block of each operation."""
    for node in graph.graph.nodes:
        if node.op.startswith("call"):
            stack = list(node.meta.get("nn_module_stack", {}).values())
            owner[node.name] = stack[-1][0].partition("].")[2] if stack else ""
    return compile_fx(graph, inputs)


def milliseconds(network):
    """The fastest of several passes."""
    times = []
    for _ in range(9):
        begin = time.perf_counter()
        network(x)
        times.append(1000 * (time.perf_counter() - begin))
    return min(times)


notes = {"enabled": True, "debug_dir": "trace", "provenance_tracking_level": 1}
options = {f"trace.{name}": value for name, value in notes.items()}
compiled = torch.compile(model, backend=inductor)
with torch.no_grad(), config.patch({**options, "force_disable_caches": True}):
    difference = (compiled(x) - model(x)).abs().max().item()
    names, times = ["in Python", "compiled"], [milliseconds(model), milliseconds(compiled)]

rows, code = [], {}
for file in Path("trace").rglob("*node_mappings.json"):
    text = file.with_name("output_code.py").read_text()
    code |= dict(re.findall(r"^(cpp_\w+) = .*?r'''(.*?)'''", text, re.DOTALL | re.MULTILINE))
    found = json.loads(file.read_text())
    for kernel, done in found["cppCodeToPost"].items():
        nodes = dict.fromkeys(node for each in done for node in found["postToPre"].get(each, []))
        blocks = ", ".join(dict.fromkeys(owner.get(node) or "forward itself" for node in nodes))
        name = kernel.rpartition(":")[0]
        rows.append([name, blocks, str(code[name].count("\n")) if name in code else "of a library"])
kernels, calls, operations, faster = len(code), len(rows), len(owner), times[0] / times[1]
print(*code.values(), *("  ".join(row) for row in rows), sep="\n")
print(f"{operations} operations became {calls} calls, of {kernels} kernels and of libraries")
print(f"{times[0]:.2f} ms in Python, {times[1]:.2f} ms compiled; differs by {difference:.1e}")
