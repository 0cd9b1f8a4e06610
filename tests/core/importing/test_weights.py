"""Weights beside a project are read safely: all where all suit, else none and one sentence."""

from collections import OrderedDict
from pathlib import Path

import pytest
import torch
from torch import nn

from core.importing.weights import WeightsError, read_weights, write_weights


def test_weights_that_do_not_suit_are_one_sentence_and_change_nothing(tmp_path: Path):
    path = tmp_path / "net.safetensors"
    write_weights(path, {"fc.weight": torch.ones(3, 6), "a.b": torch.ones(3)}, {"fc.bias": "a.b"})
    ours = nn.Sequential(OrderedDict(fc=nn.Linear(6, 3)))
    read_weights(path, ours)
    assert ours.state_dict()["fc.bias"].tolist() == [1, 1, 1]
    wider = nn.Sequential(OrderedDict(fc=nn.Linear(6, 4), head=nn.Linear(4, 2)))
    before = {key: tensor.clone() for key, tensor in wider.state_dict().items()}
    with pytest.raises(WeightsError) as error:
        read_weights(path, wider)
    said = "fc.weight needs (4, 6) but net.safetensors holds (3, 6), and 3 more do not suit."
    assert error.value.message == said
    assert all(torch.equal(before[k], t) for k, t in wider.state_dict().items())
    deeper = nn.Sequential(OrderedDict(fc=nn.Linear(6, 3), head=nn.Identity(), out=nn.PReLU()))
    with pytest.raises(WeightsError, match=r"out.weight needs \(1,\) but .* holds no such tensor."):
        read_weights(path, deeper)


def test_a_file_that_is_no_safetensors_is_never_unpickled(tmp_path: Path):
    path = tmp_path / "net.safetensors"
    torch.save({"weight": torch.ones(1)}, path)
    with pytest.raises(WeightsError, match=r"net.safetensors cannot be read as safetensors"):
        read_weights(path, nn.PReLU())
