"""Weights beside a project are read safely: all where all suit, else none and one sentence."""

from collections import OrderedDict
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from core.analyse import build
from core.engine.weights_file import WeightsError, read_weights, write_weights
from core.wings.importing.pipeline import import_model


def test_weights_that_do_not_suit_are_one_sentence_and_change_nothing(tmp_path: Path):
    path = tmp_path / "net.safetensors"
    state = {"fc.weight": torch.ones(3, 6), "a.b": torch.ones(3)}
    save_file(state, path, {"key:fc.bias": "a.b"})  # as earlier versions wrote it
    ours = nn.Sequential(OrderedDict(fc=nn.Linear(6, 3)))
    read_weights(path, ours)
    assert ours.state_dict()["fc.bias"].tolist() == [1, 1, 1]
    wider = nn.Sequential(OrderedDict(fc=nn.Linear(6, 4), head=nn.Linear(4, 2)))
    before = {key: tensor.clone() for key, tensor in wider.state_dict().items()}
    with pytest.raises(WeightsError) as error:
        read_weights(path, wider)
    message = "fc.weight needs (4, 6) but net.safetensors holds (3, 6), and 3 more do not fit."
    assert error.value.message == message
    assert all(torch.equal(before[k], t) for k, t in wider.state_dict().items())
    deeper = nn.Sequential(OrderedDict(fc=nn.Linear(6, 3), head=nn.Identity(), out=nn.PReLU()))
    with pytest.raises(WeightsError, match=r"out.weight needs \(1,\) but .* has no such tensor."):
        read_weights(path, deeper)


def test_a_file_that_is_no_safetensors_is_never_unpickled(tmp_path: Path):
    path = tmp_path / "net.safetensors"
    torch.save({"weight": torch.ones(1)}, path)
    with pytest.raises(WeightsError, match=r"net.safetensors cannot be read as safetensors"):
        read_weights(path, nn.PReLU())


@pytest.mark.gate
@pytest.mark.parametrize("name", ["nano:small", "tokens:Tied", "tokens:Listed", "models:Token"])
def test_the_file_is_the_state_dict_of_the_source_as_it_stands(name: str, tmp_path: Path):
    path, seen = tmp_path / "net.safetensors", []
    import_model(f"python:tests.wings.importing.{name}", on_drawn=lambda whole: seen.append(
        (whole.write_weights(path), whole)
    ))  # fmt: skip
    ((_, whole),) = seen
    incompatible = build(str(whole.report.source)).load_state_dict(load_file(path))
    assert (incompatible.missing_keys, incompatible.unexpected_keys) == ([], [])


def test_weights_that_cannot_be_written_leave_no_file(tmp_path: Path):
    (tmp_path / "net.safetensors").mkdir()
    with pytest.raises(IsADirectoryError):
        write_weights(tmp_path / "net.safetensors", {"weight": torch.ones(1)})
    assert [file.name for file in tmp_path.iterdir()] == ["net.safetensors"]
