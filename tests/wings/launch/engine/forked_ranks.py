"""Ranks of a run as forked processes of a test: torch is imported once, and nothing is built."""

import hashlib
import json
import os
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from core.wings.launch.engine.ranked_trainer import RankedTrainer
from core.wings.launch.engine.ranks import Ranks

Work = Callable[[Ranks], Any]

torch.zeros(1, requires_grad=True).sum().backward()
# autograd counts devices once, at the first call; a test that pretends a GPU before it would make
# it start threads, with which no forked process can calculate gradients


def on_ranks(world: int, work: Work) -> list[Any]:
    """What `work` returns on each rank, plain values of JSON."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        children = [_forked(rank, world, work, Path(folder)) for rank in range(world)]
        ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        assert ends == [0] * world
        files = [Path(folder) / f"{rank}.json" for rank in range(world)]
        return [json.loads(file.read_text()) for file in files]


def _forked(rank: int, world: int, work: Work, folder: Path) -> int:
    child = os.fork()
    if child:
        return child
    try:
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
        store = dist.FileStore(str(folder / "store"), world)  # pyright: ignore
        dist.init_process_group("gloo", store=store, rank=rank, world_size=world)
        (folder / f"{rank}.json").write_text(json.dumps(work(Ranks(rank, world))))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def trained(trainer: RankedTrainer, ranks: Ranks) -> dict[str, Any]:
    """Train to the end: weights as a hash, buffers as numbers, and the curves of rank 0."""
    trainer.join(ranks)
    curves: dict[str, Any] = {"loss": [], "epochs": []}
    if ranks.rank:
        trainer.follow()
    else:
        for moment in trainer.fit(0.0):
            curves["loss"] += trainer.drain_metrics()["loss"]
            if moment == "epoch":
                curves["epochs"].append(dict(trainer.record))
    return {"weights": weights_hash(trainer), "buffers": buffers(trainer), **curves}


def weights_hash(trainer: Any) -> str:
    """The SHA-256 of all weights."""
    digest = hashlib.sha256()
    for weight in trainer.module.parameters():
        digest.update(weight.detach().numpy().tobytes())
    return digest.hexdigest()


def buffers(trainer: Any) -> list[float]:
    """All numbers of all buffers."""
    return [number for buffer in trainer.module.buffers() for number in buffer.flatten().tolist()]
