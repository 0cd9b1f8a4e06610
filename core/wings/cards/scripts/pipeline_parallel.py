"""The network as a pipeline of two processes, which pass micro-batches on to each other."""

import os
import tempfile

import torch.distributed as dist
import torch.multiprocessing as mp
from torch.fx import symbolic_trace
from torch.fx.passes.split_module import split_module

MICRO, traced, folder = 4, symbolic_trace(model), tempfile.TemporaryDirectory()
early, waiting = set(), [node for node in traced.graph.nodes if node.target == BLOCK]
while waiting:  # the first stage ends with BLOCK
    early.add(waiting[-1])
    waiting += waiting.pop().all_input_nodes
stages = list(split_module(traced, model, lambda node: int(node not in early)).children())
with torch.no_grad():
    passed = stages[0](x)


def work(rank):
    """One process: rank 0 has the first stage, rank 1 the second one and the loss."""
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{folder.name}/meet", rank=rank, world_size=2)
    blank, sent = [torch.empty_like(part) for part in passed.chunk(MICRO)], []
    if rank == 0:
        given = [stages[0](part) for part in x.chunk(MICRO)]
        sent += [dist.isend(each.detach().contiguous(), 1) for each in given]
        for value, slope in zip(given, blank, strict=True):
            dist.recv(slope, 1)
            value.backward(slope)
    for part, aim in zip(blank, y.chunk(MICRO), strict=True) if rank == 1 else ():
        dist.recv(part, 0)
        part.requires_grad_()
        (loss_function(stages[1](part), aim) / MICRO).backward()
        sent.append(dist.isend(part.grad.contiguous(), 0))
    for message in sent:
        message.wait()
    torch.save([weight.grad for weight in model.parameters()], f"{folder.name}/{rank}.pt")


mp.start_processes(work, nprocs=2, start_method="fork")
found = [torch.load(f"{folder.name}/{rank}.pt", weights_only=True) for rank in (0, 1)]
loss_function(model(x), y).backward()
rows, lies = [], []
for (name, weight), parts in zip(model.named_parameters(), zip(*found, strict=True), strict=True):
    owners = [rank for rank in (0, 1) if parts[rank] is not None]
    rows.append([name, ", ".join(map(str, owners)), f"{weight.nbytes:,}"])
    lies += [(parts[rank] - weight.grad).abs().max().item() for rank in owners]
sent, every = 2 * passed.nbytes, sum(weight.nbytes for weight in model.parameters())
difference, idle = max(lies), 100 / (MICRO + 1)
print(*("{:32} rank {:4} {:>12} bytes".format(*row) for row in rows), sep="\n")
print(f"{sent:,} bytes are sent; gradients differ by {difference:.1e}; {idle:.0f} % of time idle")
