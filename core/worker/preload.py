"""Preloading of a warm worker: import torch and use everything once.

The first optimiser and the first analysis each bring in more of torch than torch's own import does.
Nothing of it stays: a run seeds every generator before it draws. No GPU is touched, since which one
the run will be granted is not known yet.
"""

import gc
import io
import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import torch
from torch import nn

from core.analyse import analyse_project, build
from core.project import read_text

CHAIN = {
    "image": {"block": "Input", "settings": {"shape": [1, 8, 8]}},
    "conv1": {"block": "Conv2d", "settings": {"out_channels": 2, "kernel_size": 3}},
    "norm1": {"block": "BatchNorm2d"},
    "relu1": {"block": "ReLU"},
    "pool1": {"block": "MaxPool2d", "settings": {"kernel_size": 2}},
    "flat": {"block": "flatten", "settings": {"start_dim": 1}},
    "fc1": {"block": "Linear", "settings": {"out_features": 2}},
    "logits": {"block": "Output"},
}


def preload() -> None:
    """Import everything a run needs and use it once, on the processor."""
    from core.worker import setup  # noqa: F401

    with warnings.catch_warnings(), suppress(ModuleNotFoundError):
        warnings.simplefilter("ignore")  # of libraries that are imported, not of ours
        import tensorboardX.summary  # noqa: F401
    module = analyse_once()
    with no_gpu():
        _step(module)
    gc.collect()


def analyse_once() -> nn.Module:
    """Analyse a network, as each edit does; its module."""
    edges = [f"{a} -> {b}" for a, b in zip(CHAIN, list(CHAIN)[1:], strict=False)]
    file = {"layerloom": 1, "name": "spare", "graph": {"nodes": CHAIN, "edges": edges}}
    report = analyse_project(read_text(json.dumps(file)))
    assert report.source is not None
    return build(report.source, report.class_name)


@contextmanager
def no_gpu() -> Iterator[None]:
    """Have torch find no GPU for a while.

    An optimiser's step asks for one even on the processor, and CUDA then reads once and for all
    which GPUs this process may see: before the queue has granted one.
    """
    patched = [(torch.cuda, "is_available"), (torch.accelerator, "current_accelerator")]
    originals = [getattr(owner, name) for owner, name in patched]
    for owner, name in patched:
        setattr(owner, name, lambda *_, **__: None)
    try:
        yield
    finally:
        for (owner, name), original in zip(patched, originals, strict=True):
            setattr(owner, name, original)


def _step(module: nn.Module) -> None:
    """One step on zeros: no random number is drawn but for the first weights.

    Without a backward pass, even on the processor: torch counts the GPUs at the first one, and that
    is when CUDA reads which of them this process may see.
    """
    weights = list(module.parameters())
    optimiser = torch.optim.AdamW(weights, fused=True)
    nn.CrossEntropyLoss()(module(torch.zeros(4, 1, 8, 8)), torch.zeros(4, dtype=torch.long))
    for weight in weights:
        weight.grad = torch.zeros_like(weight)
    nn.utils.clip_grad_norm_(weights, 1.0)
    optimiser.step()
    torch.optim.lr_scheduler.StepLR(optimiser, 1).step()
    torch.save(module.state_dict(), io.BytesIO())
