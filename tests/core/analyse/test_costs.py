"""Costs are torch's own counts, torchinfo's are kept beside them, both worked out by hand."""

import subprocess
import sys

import pytest
import torch
import torchinfo
from torch import nn

from core.analyse.costs import Costs, costs, counting, is_leaf, mult_adds_of, torchinfo_mult_adds


def counted(module: nn.Module, *inputs: torch.Tensor) -> int:
    with counting() as counter:
        module.eval()(*inputs)
    return mult_adds_of(counter)


def test_a_convolution_multiplies_its_weights_at_every_output_position() -> None:
    conv = nn.Conv2d(1, 6, kernel_size=5, padding=2)  # 150 weights without biases, 28 x 28
    assert counted(conv, torch.rand(1, 1, 28, 28)) == 117_600
    assert counted(conv, torch.rand(3, 1, 28, 28)) == 352_800
    assert costs(conv, 117_600) == Costs(156, 156, 117_600)


def test_a_linear_layer_multiplies_at_every_place_of_a_sequence() -> None:
    linear = nn.Linear(400, 120)
    assert counted(linear, torch.rand(2, 400)) == 96_000
    assert counted(linear, torch.rand(2, 7, 400)) == 672_000


def test_attention_counts_its_projections_and_its_products() -> None:
    attention, x = nn.MultiheadAttention(32, 4, batch_first=True), torch.rand(1, 64, 32)
    # query, key, value and output: 4 x 32 x 32 x 64; scores and mixing: 2 x 64 x 64 x 32
    assert counted(attention.to("meta"), *[x.to("meta")] * 3) == 262_144 + 262_144
    assert counted(nn.Flatten(), torch.rand(1, 4, 4)) == 0


def test_a_recurrent_layer_multiplies_at_every_step() -> None:
    lstm = nn.LSTM(8, 16, batch_first=True, device="meta")  # 4 x 16 x (8 + 16) at 5 steps
    assert counted(lstm, torch.rand(2, 5, 8, device="meta")) == 2 * 5 * 1536
    gru = nn.GRU(8, 16, batch_first=True, device="meta")
    assert counted(gru, torch.rand(2, 5, 8, device="meta")) == 2 * 5 * 1152


def test_a_functional_operation_has_no_weights() -> None:
    assert costs(None) == Costs(0, 0, 0)
    assert costs(None, 12) == Costs(0, 0, 12)


def test_frozen_weights_count_as_parameters_but_not_as_trainable() -> None:
    linear = nn.Linear(3, 2)
    linear.bias.requires_grad_(False)
    assert costs(linear, 6) == Costs(8, 6, 6)


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
}


@pytest.mark.parametrize("case", CASES)
def test_torchinfo_s_figure_of_every_kind_of_layer_is_torchinfo_s(case: str) -> None:
    make, shape = CASES[case]
    module = make().eval()
    assert is_leaf(module)
    with torch.no_grad():
        output = module(torch.rand(shape))
    first = output[0] if isinstance(output, tuple) else output
    truth = torchinfo.summary(module, input_size=shape, verbose=0)
    got = costs(module)
    assert (got.params, got.trainable_params) == (truth.total_params, truth.trainable_params)
    assert torchinfo_mult_adds(module, first.shape) == truth.total_mult_adds


def test_torchinfo_s_figure_of_an_embedding_is_torchinfo_s() -> None:
    module, tokens = nn.Embedding(11, 4), torch.zeros(2, 7, dtype=torch.long)
    truth = torchinfo.summary(module, input_data=tokens, verbose=0)
    assert torchinfo_mult_adds(module, (2, 7, 4)) == truth.total_mult_adds
    assert counted(module, tokens) == 0  # it looks up, and multiplies nothing


def test_a_pruned_layer_has_the_weights_that_its_mask_keeps() -> None:
    from torch.nn.utils import prune

    module = prune.l1_unstructured(nn.Linear(10, 4), "weight", amount=0.5)
    truth = torchinfo.summary(module, input_size=(1, 10), verbose=0)
    assert costs(module).params == 24 == truth.total_params
    assert torchinfo_mult_adds(module, (1, 4)) == 24 == truth.total_mult_adds


@pytest.mark.gate
def test_counting_does_not_import_triton():
    """Else each command would end with pages of its complaints."""
    code = "import core.analyse.costs, sys; print([m for m in sys.modules if m == 'triton'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
