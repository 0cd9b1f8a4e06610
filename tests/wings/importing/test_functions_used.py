"""Every function that torchvision's families call is a block, or passes its tensor on unchanged."""

from functools import cache
from typing import Any

import pytest
import torch
from torchvision import models

from core.wings.importing.matching.match import IDENTITY_FUNCTIONS, function_block
from core.wings.importing.tracing.recorder import record
from core.wings.importing.tracing.run_sample import meta_copy

FAMILIES = {
    "convnext_tiny": 64, "deeplabv3_resnet50": 64, "densenet121": 64, "efficientnet_b0": 64,
    "googlenet": 64, "inception_v3": 96, "lraspp_mobilenet_v3_large": 64, 
    "regnet_y_400mf": 64, "shufflenet_v2_x0_5": 64, "squeezenet1_0": 64, "swin_t": 64,
    "swin_v2_t": 64, "vit_b_32": 224, "mobilenet_v2": 64,
}  # fmt: skip
BRACKETS = {"__getitem__": "getitem", "__setitem__": "setitem"}
NO_RESULT = {"fill_"}
"""What changes a tensor in place is written as the part that is changed."""


@cache
def called(name: str) -> frozenset[str]:
    given: dict[str, Any] = {"weights": None}
    if "_resnet" in name or "lraspp" in name:
        given["weights_backbone"] = None
    if name in ("googlenet", "inception_v3"):
        given["init_weights"] = False
    module = meta_copy(models.get_model(name, **given).eval())
    side = FAMILIES[name]
    trace = record(module, [torch.empty(7, 3, side, side, device="meta")])
    return frozenset(step.name for step in trace.root.steps() if step.module is None)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_every_function_a_family_calls_is_a_block(name: str):
    unknown = {
        function
        for function in called(name) - IDENTITY_FUNCTIONS - NO_RESULT
        if function not in BRACKETS and function_block(function) is None
    }
    assert unknown == set()


@pytest.mark.slow
def test_the_families_call_the_functions_that_textbooks_do():
    found = {name.strip("_") for family in FAMILIES for name in called(family)}
    assert {"add", "cat", "chunk", "flatten", "getitem", "interpolate", "layer_norm",
            "linear", "matmul", "mean", "mul", "pad", "permute", "relu", "reshape", "roll",
            "setitem", "softmax", "transpose", "unsqueeze", "view"} <= found  # fmt: skip
