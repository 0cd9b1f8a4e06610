"""A small model of every family of torchvision, imported and compared bit for bit.

The table over all models is `python -m tests.wings.importing.bench.torchvision_models`.
"""

import functools
import warnings

import pytest
import torch

from core.analyse import analyse, build
from core.wings.importing import import_module
from core.wings.importing.sources import Shape, open_source
from core.wings.importing.verify.equivalence import OutputComparison, verdicts

EQUAL, SPECIAL, NEITHER = True, None, None
"""Of another image size: equal, refused by the drawing, or nothing the original can do."""
FAMILIES: dict[str, tuple[Shape, bool | None]] = {
    "alexnet": ((3, 64, 64), EQUAL),
    "convnext_tiny": ((3, 32, 32), EQUAL),
    "efficientnet_b0": ((3, 32, 32), EQUAL),
    "fcn_resnet50": ((3, 32, 32), EQUAL),
    "lraspp_mobilenet_v3_large": ((3, 64, 64), EQUAL),
    "maxvit_t": ((3, 224, 224), NEITHER),
    "mnasnet0_5": ((3, 32, 32), EQUAL),
    "mobilenet_v3_small": ((3, 32, 32), EQUAL),
    "quantized_resnet18": ((3, 64, 64), EQUAL),
    "r3d_18": ((3, 4, 32, 32), EQUAL),
    "raft_small": ((3, 128, 128), EQUAL),
    "regnet_y_400mf": ((3, 32, 32), EQUAL),
    "swin_t": ((3, 32, 32), SPECIAL),
    "vit_b_32": ((3, 224, 224), NEITHER),
}
SLOW = {"alexnet", "fcn_resnet50", "maxvit_t", "raft_small", "swin_t", "vit_b_32"}
ALL = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in FAMILIES]
HEADS = (
    "aux1, aux2: used in training only and not drawn, unless asked for; "
    "in training the original gives 3 results, the drawing 1"
)


@functools.cache
def judged(name: str, shape: Shape) -> dict[str, OutputComparison]:
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = open_source(f"torchvision:{name}")
    shapes = (shape,) * (2 if "raft" in name else 1)
    found = import_module(source.module, shapes, name, run=source.run)
    report = analyse(found.project.graph, name)
    assert report.source, report.errors
    all_verdicts = verdicts(source.module, build(report.source), found.keys, shapes, keep=False)
    return {v.name: v for v in all_verdicts}


@pytest.mark.slow(keep=["mobilenet_v3_small"])
@pytest.mark.parametrize("name", ALL)
def test_a_family_of_torchvision_computes_the_same_bits(name: str):
    shape, size = FAMILIES[name]
    equal = {what: verdict.equal for what, verdict in judged(name, shape).items()}
    assert equal == {
        "the sample": True, "another batch": True, "another image size": size,
        "one training step": True,
    }  # fmt: skip


@pytest.mark.gate
def test_heads_that_run_in_training_only_are_named_in_the_verdict():
    found = judged("googlenet", (3, 64, 64))
    assert [found[what].equal for what in ("the sample", "another batch")] == [True, True]
    assert found["one training step"] == OutputComparison("one training step", False, HEADS)
