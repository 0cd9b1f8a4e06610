"""A model of torchvision is imported without its weights, which it would download."""

from typing import Any

import pytest
from torch import nn
from torchvision import models

from core.wings.importing import sources


@pytest.mark.parametrize("name", ["resnet18", "deeplabv3_resnet50", "fasterrcnn_resnet50_fpn"])
def test_models_are_built_without_downloads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def get_model(_: str, **options: Any) -> nn.Module:
        asked.append(options)
        return nn.Identity()

    monkeypatch.setattr(models, "get_model", get_model)
    sources.from_torchvision(name)
    assert [options["weights"] for options in asked] == [None]
    if name != "resnet18":
        assert asked[0]["weights_backbone"] is None
