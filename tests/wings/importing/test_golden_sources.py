"""Sources of imported models, read by people: kept byte for byte, and equal to torchvision."""

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torchvision import models

from core.analyse import analyse, build
from core.wings.importing import ImportedModel, import_module
from core.wings.importing.weights import mapped_state

GOLDEN = Path(__file__).parents[2] / "golden" / "imported"
LINES = {
    "resnet18": 86,
    "resnet152": 100,
    "densenet121": 72,
    "vit_b_16": 77,
    "swin_t": 273,
    "convnext_tiny": 105,
    "lraspp_mobilenet_v3_large": 354,
    "deeplabv3_resnet50": 185,
}
SLOW = {"vit_b_16", "swin_t", "deeplabv3_resnet50", "resnet152", "convnext_tiny"}
KEYS = {"vit_b_16": 144, "deeplabv3_resnet50": 30, "lraspp_mobilenet_v3_large": 308}
"""Keys that differ: named layers of a Sequential, of a list that branches, of a backbone."""
SIDES = {"densenet121": 64, "resnet18": 64, "resnet152": 64}
ALL = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in LINES]


@cache
def case(name: str) -> tuple[nn.Module, ImportedModel, str]:
    torch.manual_seed(0)
    given: dict[str, Any] = {"weights": None}
    if "_resnet" in name or "lraspp" in name:
        given["weights_backbone"] = None
    module = models.get_model(name, **given).eval()
    found, source = imported(module, name)
    perturb(module)
    return module, found, source


def perturb(module: nn.Module) -> None:
    """Zero heads and layers that start as the identity would hide differences."""
    draw = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for value in module.state_dict().values():
            if value.is_floating_point():
                value += 0.01 * (torch.rand(value.shape, generator=draw) - 0.5)


def imported(module: nn.Module, name: str) -> tuple[ImportedModel, str]:
    side = SIDES.get(name, 224)
    found = import_module(module, [(3, side, side)], name)
    report = analyse(found.project.graph, name)
    assert report.source, report.errors
    return found, report.source


@pytest.mark.gate
@pytest.mark.parametrize("name", ALL)
def test_the_source_of_an_imported_model_is_the_one_that_was_read(
    name: str, request: pytest.FixtureRequest
):
    path = GOLDEN / f"{name}.py"
    source = case(name)[2]
    if request.config.getoption("--golden"):
        path.write_text(source, encoding="utf-8")
    assert source == path.read_text("utf-8")
    assert len(source.splitlines()) <= LINES[name]


@pytest.mark.parametrize("name", ALL)
def test_the_kept_source_stands_alone_and_computes_torchvisions_bits(name: str):
    spec = importlib.util.spec_from_file_location(f"kept_{name}", GOLDEN / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    kept = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kept)
    module, found, source = case(name)
    last = [line for line in source.splitlines() if line.startswith("class ")][-1]
    ours = getattr(kept, last.removeprefix("class ").partition("(")[0])().eval()
    ours.load_state_dict(mapped_state(module.state_dict(), found.keys, ours))
    x = torch.rand(2, 3, SIDES.get(name, 224), SIDES.get(name, 224))
    with torch.no_grad():
        theirs: Any = module(x)
        theirs = theirs["out"] if isinstance(theirs, dict) else theirs
        assert torch.equal(ours(x), theirs)


@pytest.mark.parametrize("name", ALL)
def test_the_map_of_keys_names_every_tensor_once(name: str):
    module, found, source = case(name)
    ours = build(source).state_dict()
    mapped = {key: found.keys.get(key, key) for key in ours}
    assert len(found.keys) == KEYS.get(name, 0)
    assert sorted(mapped.values()) == sorted(module.state_dict())
    theirs = module.state_dict()
    assert {k: v.shape for k, v in ours.items()} == {k: theirs[m].shape for k, m in mapped.items()}


@pytest.mark.gate
@pytest.mark.parametrize("name", ALL)
def test_importing_an_emitted_source_gives_that_source_again(name: str):
    module, found, source = case(name)
    ours = build(source).eval()
    tables = dict(ours.named_buffers())  # no formula is known for them: they come with the weights
    weights = mapped_state(module.state_dict(), found.keys, ours)
    ours.load_state_dict({k: v for k, v in weights.items() if k in tables}, strict=False)
    _, again = imported(ours, name)
    assert again.splitlines()[1:] == source.splitlines()[1:]
