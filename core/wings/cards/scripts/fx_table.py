"""Every call of the forward pass, recorded by torch.fx with symbols instead of numbers."""

from torch.fx import symbolic_trace

traced = symbolic_trace(model)
rows = []
for node in traced.graph.nodes:
    target = node.target if isinstance(node.target, str) else node.target.__name__
    rows.append([node.op, node.name, target, str(node.args)[:60]])
    print(f"{node.op:14} {node.name:20} {target:28} {rows[-1][3]}")

nodes = len(rows)
modules = sum(row[0] == "call_module" for row in rows)
functions = sum(row[0] in ("call_function", "call_method") for row in rows)
kinds, counts = ["modules", "functions and methods"], [modules, functions]
with torch.no_grad():
    difference = (traced(x) - model(x)).abs().max().item()
print(f"{nodes} nodes: {modules} calls of modules, {functions} of functions and methods")
print(f"the traced network differs by {difference:.1e}")
