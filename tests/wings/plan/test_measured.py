"""The model of a plan against what torch allocates: one process, and two that shard by FSDP2."""

import os
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.multiprocessing.spawn import start_processes

from core.analyse import analyse_project, build
from core.insight.profiling.profiler import profile_steps
from core.project import write_text
from core.project.templates import load_template
from core.wings.plan.memory import device_memory
from core.wings.plan.sizes import sizes_of

BAND = (0.8, 1.2)
"""Planned bytes of one device, as a share of those that a step really allocates."""
TEMPLATES = ["lenet_digits", "transformer_digits", "resnet_digits", "lstm_text", "unet_digits"]


@pytest.mark.slow
@pytest.mark.parametrize("name", TEMPLATES)
def test_the_memory_of_a_step_is_within_a_fifth_of_the_measured_peak(name: str) -> None:
    project = load_template(name)
    report = analyse_project(project)
    measured = profile_steps(write_text(project), report, 32).profile
    memory = measured.memory
    peak = memory["weights"] + memory["gradients"] + memory["optimizer"]
    peak += max(size for _, size in measured.over_time)
    planned = device_memory(sizes_of(report, project.training), "ddp", 1, 32)
    assert BAND[0] <= planned.total / peak <= BAND[1]
    assert planned.optimizer == memory["optimizer"]
    assert planned.gradients == memory["gradients"]


def _shard(rank: int, folder: str, source: str, name: str, groups: list[str]) -> None:
    store = dist.FileStore(f"{folder}/rendezvous", 2)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    module = build(source, name)
    for group in groups:
        fully_shard(module.get_submodule(group), mesh=mesh)
    fully_shard(module, mesh=mesh)
    local = sum(p.to_local().nbytes for p in module.parameters())  # pyright: ignore[reportAttributeAccessIssue]
    torch.save(local, f"{folder}/{rank}.pt")
    dist.destroy_process_group()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["transformer_digits", "lenet_digits"])
def test_planned_shards_are_those_of_fully_shard(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    monkeypatch.setitem(os.environ, "OMP_NUM_THREADS", "1")
    project = load_template(name)
    report = analyse_project(project)
    sizes = sizes_of(report, project.training)
    groups = [group for group in sizes.groups() if group]
    arguments: tuple[Any, ...] = (str(tmp_path), report.source, report.class_name, groups)
    start_processes(_shard, arguments, nprocs=2, start_method="fork")
    sharded = [int(torch.load(tmp_path / f"{rank}.pt")) for rank in range(2)]
    assert max(sharded) == sum(weight.shard(2) for weight in sizes.weights)
    assert sum(sharded) == sizes.total
