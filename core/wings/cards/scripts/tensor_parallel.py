"""A Linear of the drawing on two processes, by outputs and by inputs, and what they send."""

import os
import tempfile
from functools import partial

import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.functional import linear

layer, folder = model.get_submodule(BLOCK), tempfile.TemporaryDirectory()
answers, sent = mp.get_context("fork").SimpleQueue(), []


def outputs(rank, z):
    """Each process calculates half of the outputs; the halves are exchanged."""
    parts = layer.weight.tensor_split(2)
    halves = [z.new_empty(*z.shape[:-1], len(part)) for part in parts]
    halves[rank] = linear(z, parts[rank])
    sent.append(halves[rank].nbytes)
    for sender in (0, 1):
        one_way = dist.send if sender == rank else dist.recv
        one_way(halves[sender], 1 - rank)
    found = torch.cat(halves, -1)
    return found if layer.bias is None else found + layer.bias


def inputs(rank, z):
    """Each process reads half of the inputs and calculates a summand of all outputs."""
    found = linear(z.tensor_split(2, -1)[rank], layer.weight.tensor_split(2, 1)[rank])
    sent.append(found.nbytes)
    dist.all_reduce(found)
    return found if layer.bias is None else found + layer.bias


def work(rank):
    """The network in one of two processes, with this layer in halves: what it gives and sends."""
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{folder.name}/meet", rank=rank, world_size=2)
    for way in (outputs, inputs):
        sent.clear()
        layer.forward = partial(way, rank)
        with torch.no_grad():
            lies = (model(x) - expected).abs().max().item()
        answers.put((way.__name__, rank, sum(sent), lies))
    dist.destroy_process_group()


expected = model(x).detach()
mp.start_processes(work, nprocs=2, start_method="fork")
found = sorted(answers.get() for _ in range(4))
rows = [[way, str(rank), f"{size:,}", f"{lies:.1e}"] for way, rank, size, lies in found]
by_inputs, by_outputs = found[0][2] + found[1][2], found[2][2] + found[3][2]
difference, half = max(lies for *_, lies in found), layer.weight.tensor_split(2)[0].nbytes
print(*("by {:8} rank {}: {:>10} bytes sent, differs by {}".format(*row) for row in rows), sep="\n")
