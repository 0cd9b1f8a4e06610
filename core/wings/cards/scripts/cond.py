"""Two branches chosen by values: torch.cond keeps both in a graph, a Python `if` does not."""

with torch.no_grad():
    means = model(x).flatten(1).mean(1)
order, middle = means.argsort(), means.mean().item()
batches = [x[order[: len(x) // 2]], x[order[-(len(x) // 2) :]]]  # one below the middle, one above


def halve(z):
    """The branch for a batch above the middle."""
    return z / 2


def double(z):
    """The branch for a batch below."""
    return z * 2


class TwoWays(nn.Module):
    """The network, followed by one of two branches."""

    def __init__(self, by_cond):
        super().__init__()
        self.network, self.by_cond = model, by_cond

    def forward(self, x):
        z = self.network(x)
        if self.by_cond:
            return torch.cond(z.mean() > middle, halve, double, (z,))
        return halve(z) if z.mean() > middle else double(z)


def right(network):
    """For how many of the two batches a network agrees with plain Python."""
    return sum(torch.allclose(network(b), TwoWays(False)(b), atol=1e-5) for b in batches)


with torch.no_grad():
    program, refused = torch.export.export(TwoWays(True), (batches[0],)), ""
    kept = right(program.module())
    traced = right(torch.jit.trace(TwoWays(False), (batches[0],), check_trace=False))
    try:
        torch.export.export(TwoWays(False), (batches[0],))
    except RuntimeError as error:
        refused = str(error).strip().splitlines()[0][:60]
graphs = dict(program.graph_module.named_children())
branches = len(graphs)
ways = [[n, str(o.target)] for n, g in graphs.items() for o in g.graph.nodes if "call" in o.op]
rows = [["torch.cond, exported", f"correct for {kept} of 2", f"{branches} branches in its graph"]]
rows += [["if, traced", f"correct for {traced} of 2", "the branch of its example"]]
rows += [["if, exported", "refused" if refused else "taken", refused]]
print(*("  ".join(row) for row in rows + ways), sep="\n")
