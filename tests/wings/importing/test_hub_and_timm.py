"""Models of a torch.hub repository on disk and of timm, without anything from the network."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from core.common.errors import ImportRefused
from core.wings.importing import timm_models
from core.wings.importing.sources import open_source

HUBCONF = """\
dependencies = ["torch"]
from torch import nn


def small(width=8):
    return nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 2))


def number():
    return 3


def breaks():
    raise ValueError("no weights here")
"""


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    (tmp_path / "hubconf.py").write_text(HUBCONF, encoding="utf-8")
    return tmp_path


def refused(text: str, pretrained: bool = False) -> str:
    with pytest.raises(ImportRefused) as error:
        open_source(text, pretrained=pretrained)
    return f"{error.value.message} {error.value.hint}".strip()


def test_an_entry_of_a_repository_on_disk_is_made_with_its_arguments(hub: Path):
    found = open_source(f"torch.hub:{hub}:small(width=6)")
    assert (found.name, found.trained) == ("small", True)
    assert [tuple(w.shape) for w in found.module.parameters()] == [(6, 4), (6,), (2, 6), (2,)]
    assert found.shapes == ((4,),)
    assert not found.module.training


@pytest.mark.parametrize(("spec", "message"), [
    ("small", "needs a folder and an entry. Write torch.hub:DIR:entry or "
     "torch.hub:DIR:entry(argument=value)."),
    ("{hub}/none:small", "{hub}/none is not a folder. Give the folder of a local repository."),
    ("{hub}:big", "hubconf.py has no entry big. It has nn, small, number, breaks."),
    ("{hub}:number", "is an int, not a module."),
    ("{hub}:breaks", "cannot be created: no weights here."),
    ("{hub}:small(open(1))", "(open(1)) are not plain values as arguments. Write "
     "torch.hub:DIR:entry or torch.hub:DIR:entry(argument=value)."),
])  # fmt: skip
def test_what_is_no_entry_is_refused_in_a_sentence(hub: Path, spec: str, message: str):
    assert refused("torch.hub:" + spec.format(hub=hub)) == message.format(hub=hub)


def test_a_folder_without_hubconf_is_refused(tmp_path: Path):
    assert refused(f"torch.hub:{tmp_path}:small").startswith(f"{tmp_path} has no hubconf.py")


class Net(nn.Module):
    """What the stand-in for timm makes."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3 * 8 * 8, 5)
        self.pretrained_cfg = {"input_size": (3, 8, 8)}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(x.flatten(1))


@pytest.fixture
def timm(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """A module in the place of timm, with one model; what it was asked for."""
    asked: list[dict[str, object]] = []

    def create_model(name: str, **options: object) -> nn.Module:
        asked.append({"name": name, **options})
        return Net()

    module = ModuleType("timm")
    module.__spec__ = importlib.util.spec_from_loader("timm", None)
    module.list_models = lambda: ["tiny_net", "tiny_vit"]  # type: ignore[attr-defined]
    module.create_model = create_model  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "timm", module)
    return asked


def test_a_model_of_timm_begins_at_random_and_downloads_nothing(timm: list[dict[str, object]]):
    found = open_source("timm:tiny_net.a1_in1k")
    assert (found.name, found.shapes, found.trained) == ("tiny_net_a1_in1k", ((3, 8, 8),), False)
    assert timm == [{"name": "tiny_net.a1_in1k", "pretrained": False}]
    assert timm_models.timm_models() == ["tiny_net", "tiny_vit"]


@pytest.mark.parametrize("ending", ["safetensors", "pt"])
def test_weights_come_from_a_file(timm: list[dict[str, object]], tmp_path: Path, ending: str):
    state, file = Net().state_dict(), tmp_path / f"weights.{ending}"
    (save_file if ending == "safetensors" else torch.save)(state, file)
    found = open_source(f"timm:tiny_net:{file}")
    assert found.trained
    assert torch.equal(found.module.state_dict()["fc.weight"], state["fc.weight"])


def test_what_timm_cannot_give_is_refused(timm: list[dict[str, object]], tmp_path: Path):
    assert refused("timm:tiny_nett") == "timm has no model 'tiny_nett'. Did you mean tiny_net?"
    assert refused("timm:tiny_net", pretrained=True).startswith("comes without trained weights")
    assert refused(f"timm:tiny_net:{tmp_path}/no.pt").startswith("There is no file ")
    save_file({"fc.bias": torch.zeros(2)}, tmp_path / "other.safetensors")
    words = refused(f"timm:tiny_net:{tmp_path}/other.safetensors")
    assert words.startswith("other.safetensors does not fit: ")
    assert words.endswith("Use a file with the whole state_dict of this model.")


def test_without_timm_the_command_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(timm_models, "find_spec", lambda name: None)
    assert refused("timm:resnet18") == (
        "cannot be created: timm is not installed here. Install it: pip install timm"
    )
    assert timm_models.timm_models() == []
