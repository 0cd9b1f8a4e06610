"""A graph break of TorchDynamo: a number read in Python after one block."""

import torch._dynamo as dynamo


def read_back(_layer, _given, output):
    """Python reads a number, so the graph breaks here."""
    if output.float().mean().item() > 1e9:
        print("a very large mean")


with torch.no_grad():
    whole = dynamo.explain(model)(x)
    dynamo.reset()
    hook = model.get_submodule(BLOCK).register_forward_hook(read_back)
    broken = dynamo.explain(model)(x)
hook.remove()

graphs, graphs_broken = whole.graph_count, broken.graph_count
breaks = broken.graph_break_count
rows = [
    ["as drawn", str(graphs), str(whole.graph_break_count), str(whole.op_count)],
    [f"with .item() after {BLOCK}", str(graphs_broken), str(breaks), str(broken.op_count)],
]
reasons = [[reason.reason.strip().splitlines()[0][:90]] for reason in broken.break_reasons]
print(f"as drawn: {graphs} graph, {whole.graph_break_count} breaks, {whole.op_count} operations")
print(f"with .item() after {BLOCK}: {graphs_broken} graphs, {breaks} breaks")
