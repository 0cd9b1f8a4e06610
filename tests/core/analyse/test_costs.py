"""costs agrees with torchinfo and with numbers worked out by hand."""

import pytest
import torch
import torchinfo
from torch import nn

from core.analyse.costs import Costs, costs, watch


def test_a_convolution_counts_its_weights_at_every_output_position() -> None:
    conv = nn.Conv2d(1, 6, kernel_size=5, padding=2)  # 156 weights, 28 x 28 positions
    assert costs(conv, (1, 6, 28, 28)) == Costs(156, 156, 122_304)
    assert costs(conv, (3, 6, 28, 28)).mult_adds == 366_912


def test_a_linear_layer_counts_its_weights_once_a_sample() -> None:
    assert costs(nn.Linear(400, 120), (2, 120)) == Costs(48_120, 48_120, 96_240)


def test_a_recurrent_layer_counts_its_weights_at_every_step() -> None:
    gru = nn.GRU(8, 16, batch_first=True)  # 3 * 16 * (8 + 16 + 2) = 1248 weights
    assert costs(gru, (2, 5, 16)) == Costs(1248, 1248, 12_480)


def test_a_functional_operation_counts_nothing() -> None:
    assert costs(None, (1, 10)) == Costs(0, 0, 0)
    assert costs(nn.ReLU(), (1, 10)) == Costs(0, 0, 0)


def test_frozen_weights_count_as_parameters_but_not_as_trainable() -> None:
    linear = nn.Linear(3, 2)
    linear.bias.requires_grad_(False)
    assert costs(linear, (1, 2)) == Costs(8, 6, 8)


CASES = {
    "conv": (lambda: nn.Conv2d(3, 8, 3, groups=1), (2, 3, 9, 9)),
    "conv without bias": (lambda: nn.Conv1d(3, 8, 3, bias=False), (2, 3, 9)),
    "transposed": (lambda: nn.ConvTranspose2d(4, 2, 2, stride=2), (2, 4, 5, 5)),
    "linear on a sequence": (lambda: nn.Linear(6, 5), (2, 7, 6)),
    "batch norm": (lambda: nn.BatchNorm2d(4), (2, 4, 5, 5)),
    "layer norm": (lambda: nn.LayerNorm(6), (2, 7, 6)),
    "prelu": (lambda: nn.PReLU(4), (2, 4, 5, 5)),
    "lstm": (lambda: nn.LSTM(6, 5, num_layers=2, bidirectional=True, batch_first=True), (2, 7, 6)),
    "gru": (lambda: nn.GRU(6, 5), (2, 7, 6)),
    "encoder layer": (
        lambda: nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True),
        (2, 7, 8),
    ),
    "encoder": (
        lambda: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=False
        ),
        (2, 7, 8),
    ),
    "sequential": (lambda: nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU()), (2, 1, 9, 9)),
}


@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_layer_counts_as_torchinfo_counts(case: str) -> None:
    make, shape = CASES[case]
    module = make().eval()
    with watch(module) as calls, torch.no_grad():
        output = module(torch.rand(shape))
    first = output[0] if isinstance(output, tuple) else output
    truth = torchinfo.summary(module, input_size=shape, verbose=0)
    got = costs(module, first.shape, calls)
    assert (got.params, got.trainable_params, got.mult_adds) == (
        truth.total_params,
        truth.trainable_params,
        truth.total_mult_adds,
    )


def test_an_embedding_counts_as_torchinfo_counts() -> None:
    module, tokens = nn.Embedding(11, 4), torch.zeros(2, 7, dtype=torch.long)
    truth = torchinfo.summary(module, input_data=tokens, verbose=0)
    assert costs(module, (2, 7, 4)) == Costs(44, 44, truth.total_mult_adds)


def test_a_pruned_layer_counts_what_its_mask_keeps() -> None:
    from torch.nn.utils import prune

    module = prune.l1_unstructured(nn.Linear(10, 4), "weight", amount=0.5)
    truth = torchinfo.summary(module, input_size=(1, 10), verbose=0)
    got = costs(module, (1, 4))
    assert (got.params, got.mult_adds) == (24, 24) == (truth.total_params, truth.total_mult_adds)


def test_watching_leaves_no_hooks_behind() -> None:
    module = nn.Sequential(nn.Linear(2, 2), nn.ReLU())

    def fail_while_watching() -> None:
        with watch(module):
            module(torch.rand(1, 3))

    with pytest.raises(RuntimeError):
        fail_while_watching()
    assert all(not child._forward_hooks for child in module.modules())
