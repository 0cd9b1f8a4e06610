"""Memory of networks with frozen blocks equals what a plain script with torch's hooks counts."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

from core.analyse import Report, analyse, build
from core.analyse.report import size
from core.insight.summary import Memory, summary
from core.project import graph_from_json
from tests.core.insight.drawn import RESIDUAL, chain, lenet, resnet, sequence

BATCH = 2


def own_module() -> Report:
    """A stem with normalisation, a residual block, a head."""
    return chain(
        [3, 16, 16],
        ("stem", "Conv2d", {"out_channels": 8, "kernel_size": 3, "padding": 1}),
        ("norm", "BatchNorm2d", {}),
        ("relu1", "ReLU", {}),
        ("down", "Conv2d", {"out_channels": 16, "kernel_size": 3, "stride": 2}),
        ("relu2", "ReLU", {}),
        ("flat", "flatten", {"start_dim": 1}),
        ("fc", "Linear", {"out_features": 3}),
    )


def encoder() -> Report:
    return sequence(
        "encoder",
        "TransformerEncoderLayer",
        {"nhead": 2, "dim_feedforward": 16, "batch_first": True, "dropout": 0.0},
    )


NETWORKS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "lenet": (lenet, ("conv1", "conv2")),
    "lenet with a frozen head": (lenet, ("fc3",)),
    "residual": (resnet, ("stem", "stage")),
    "own module": (own_module, ("stem", "norm")),
    "transformer": (encoder, ("encoder",)),
}


def frozen(report: Report, names: tuple[str, ...]) -> Report:
    """The report of the same network with these parts frozen, as a drawing with them has it."""
    return replace(report, rates=dict.fromkeys(names, 0.0))


def plain(report: Report, names: tuple[str, ...]) -> Memory:
    """What torch itself counts in one step with AdamW, without anything of ours but the module."""
    module = build(report.source or "", report.class_name).train()
    for name in names:
        module.get_submodule(name).requires_grad_(False)
        for part in module.get_submodule(name).modules():
            if isinstance(part, nn.BatchNorm2d):
                part.eval()
    own = {p.untyped_storage().data_ptr() for p in module.parameters()}
    kept: dict[int, Any] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        output = module(*(torch.zeros(size(s, BATCH)) for _, s in report.inputs))
    saved = sum(storage.nbytes() for storage in kept.values())
    output.sum().backward()
    optimizer = torch.optim.AdamW(p for p in module.parameters() if p.requires_grad)
    optimizer.step()
    states = [v for state in optimizer.state.values() for v in state.values()]
    gradients = [p.grad for p in module.parameters() if p.grad is not None]
    return Memory(_bytes(module.parameters()), _bytes(gradients), _bytes(states), 0, saved)


def _bytes(tensors: Any) -> int:
    return sum(t.nelement() * t.element_size() for t in tensors)


@pytest.mark.parametrize("name", NETWORKS)
def test_memory_with_frozen_blocks_is_what_torch_s_hooks_count(name: str) -> None:
    make, names = NETWORKS[name]
    report = make()
    found = summary(frozen(report, names), BATCH, {"optimizer": "AdamW"}).memory
    assert replace(found, activations_bytes=0) == plain(report, names)


def test_what_is_frozen_in_the_drawing_keeps_nothing_and_has_no_gradients() -> None:
    nodes: dict[str, Any] = {
        "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
        "stem": {
            "block": "Conv2d",
            "settings": {"out_channels": 4, "kernel_size": 3},
            "frozen": True,
        },
        "stage": {
            "block": "Residual",
            "settings": {"channels": 4},
            "repeat": 2,
            "frozen": True,
        },
        "flat": {"block": "flatten", "settings": {"start_dim": 1}},
        "fc": {"block": "Linear", "settings": {"out_features": 3}},
        "logits": {"block": "Output"},
    }
    edges = ["image -> stem", "stem -> stage", "stage -> flat", "flat -> fc", "fc -> logits"]
    drawing = {"nodes": nodes, "edges": edges, "composites": {"Residual": RESIDUAL}}
    found = summary(analyse(graph_from_json(drawing), "Net"), BATCH, {"optimizer": "AdamW"})
    learned = 4 * 36 * 3 + 3
    assert found.trainable_params == learned
    assert found.memory.gradients_bytes == 4 * learned
    assert found.memory.optimizer_bytes == 2 * 4 * learned + 2 * 4  # and two step counters
    assert found.memory.kept_for_backward_bytes == BATCH * 4 * 36 * 4  # the input of fc
    kept = {
        row.id: row.kept_for_backward_bytes for row in found.rows if row.kept_for_backward_bytes
    }
    assert kept == {"fc": BATCH * 4 * 36 * 4}
