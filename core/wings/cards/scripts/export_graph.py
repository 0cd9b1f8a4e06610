"""torch.export's graph: the network as ATen operations, each with its block."""

from collections import Counter

program = torch.export.export(model, (x,))
rows, owners = [], Counter()
for node in program.graph.nodes:
    if node.op == "call_function":
        stack = list(node.meta.get("nn_module_stack", {}).values())
        owner = stack[-1][0] if stack else ""
        shape = tuple(getattr(node.meta.get("val"), "shape", ()))
        rows.append([str(node.target), owner, str(shape)])
        owners[owner] += 1
        print(f"{node.target!s:44} {owner:20} {shape}")

operations = len(rows)
blocks, counts = list(owners), list(owners.values())
weights = len(program.graph_signature.parameters)
with torch.no_grad():
    difference = (program.module()(x) - model(x)).abs().max().item()
print(f"{operations} operations, {weights} weights as inputs; differs by {difference:.1e}")
