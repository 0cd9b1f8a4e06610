"""The code of every family of torchvision draws and computes the same bits: fast, on small models.

Whole models of the registry are in test_families.py, which is slow.
"""

import typing
import warnings

import pytest
import torch
from torchvision import models

from core.analyse import analyse, build
from core.wings.importing import import_module
from core.wings.importing.tracing.outputs import tensor_leaves
from core.wings.importing.tracing.sample_inputs import adopt, perturb, samples
from core.wings.importing.verify.compare_tensors import difference
from core.wings.importing.weights import full_state, mapped_state
from tests.wings.importing.small_torchvision import MODELS, run_of

SLOW = {"FCN", "FasterRCNN", "GoogLeNet", "Inception3", "KeypointRCNN", "QuantizableGoogLeNet",
        "QuantizableInception3", "S3D", "VideoResNet of (2+1)D"}  # fmt: skip
"""What others do, too, or what is large at its smallest."""
BY_VALUES = {"FCOS", "FasterRCNN", "KeypointRCNN", "MaskRCNN", "RetinaNet", "SSD"}
"""How many boxes there are decides what they do next."""
ALL = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in MODELS]


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_the_code_of_a_family_draws_and_computes_the_same_bits(name: str):
    make, shape = MODELS[name]
    shapes, run = (shape,) * (2 if "RAFT" in name else 1), run_of(name)
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make().eval()
    special = name in BY_VALUES
    found = import_module(model, shapes, "Small", run=run, specialise=special)
    assert bool(found.decisions) == special
    report = analyse(found.project.graph, "Small")
    assert report.source, report.errors
    perturb(model)
    ours = build(report.source).eval()
    adopt(ours, mapped_state(full_state(model), found.keys, ours))
    batch = samples(shapes, ["float32"] * len(shapes), 2)
    with torch.no_grad():
        wanted = list(tensor_leaves(run(model, *batch) if run else model(*batch)))
        assert wanted
        assert difference(wanted, list(tensor_leaves(ours(*batch)))) == ""


def test_every_class_of_torchvision_s_registry_has_a_small_one():
    builders = [models.get_model_builder(name) for name in models.list_models()]
    classes = {typing.get_type_hints(builder)["return"].__name__ for builder in builders}
    assert classes == {name.partition(" ")[0] for name in MODELS}


@pytest.mark.gate
def test_the_batch_of_the_sample_is_not_reported_as_decided():
    make, shape = MODELS["SwinTransformer3d"]
    found = import_module(make().eval(), [shape])
    assert [line for line in found.specialised if line.startswith("shape = ")] == []
