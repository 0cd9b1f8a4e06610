"""Two halves of a batch at the same time: one is forked, the other runs here."""

import time

torch.set_num_interop_threads(2)  # threads for forked calls


class Both(nn.Module):
    """The network on the halves of a batch."""

    def __init__(self, ahead):
        super().__init__()
        self.network, self.ahead = model, ahead

    def forward(self, first, second):
        if not self.ahead:
            return self.network(first), self.network(second)
        forked = torch.jit.fork(self.network, first)
        here = self.network(second)
        return torch.jit.wait(forked), here


def milliseconds(network):
    """The fastest of several calls."""
    times = []
    for _ in range(12):
        begin = time.perf_counter()
        network(*halves)
        times.append(1000 * (time.perf_counter() - begin))
    return min(times)


halves = [part.contiguous() for part in x.chunk(2)]
with torch.no_grad():
    traced = {ahead: torch.jit.trace(Both(ahead), tuple(halves)) for ahead in (False, True)}
    times = [milliseconds(traced[False]), milliseconds(traced[True])]
    together = torch.cat(traced[True](*halves))
    difference = (together - model(x)).abs().max().item()
lines = [(node.kind(), str(node).strip()) for node in traced[True].graph.nodes()]
kinds = [kind for kind, _ in lines]
forks, waits = sum("fork" in kind for kind in kinds), kinds.count("aten::wait")
rows = [[kind, line.partition(" = ")[2][:70]] for kind, line in lines]
names, gain = ["one after the other", "forked"], times[0] / times[1]
print(traced[True].graph)
print(f"{forks} fork and {waits} wait are kept; the outputs differ by {difference:.1e}")
print(f"{times[0]:.2f} ms one after the other, {times[1]:.2f} ms forked")
