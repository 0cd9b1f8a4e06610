"""A quick part of the onnx package's own test models; `tests.bench.onnx_models` runs all."""

import functools

import pytest
import torch

from tests.bench.onnx_models import Case, cases, outcome

NODES = (
    "test_averagepool_2d_same_upper test_basic_conv_with_padding test_batchnorm_example "
    "test_clip_default_inbounds_expanded test_convtranspose_autopad_same test_cumsum_2d_axis_1 "
    "test_depthtospace_example test_einsum_transpose test_gather_1 test_gelu_tanh_2 "
    "test_hardswish test_instancenorm_example test_layer_normalization_2d_axis1 "
    "test_lstm_batchwise test_onehot_with_axis test_prelu_broadcast "
    "test_reduce_l2_keep_dims_example test_softmax_axis_1 test_spacetodepth "
    "test_split_equal_parts_2d test_tile test_tril_neg test_where_example"
).split()
SMALL = ("AvgPool3d_stride", "BatchNorm1d_3d_input_eval", "Conv1d_dilated", "Conv3d_groups",
         "ConvTranspose2d", "Embedding", "GLU_dim", "PReLU_2d_multiparam", "PixelShuffle",
         "ReflectionPad2d", "Softmin", "log_softmax_dim3")  # fmt: skip


@functools.cache
def found(kind: str) -> dict[str, Case]:
    torch.set_num_threads(1)
    return {case.name: case for case in cases(kind)}


@pytest.mark.parametrize("name", SMALL)
def test_models_converted_from_torch_give_the_shipped_outputs(name: str):
    one = outcome(found("pytorch-converted")[f"test_{name}"])
    assert (one.state, one.reason) == ("passed", "")


@pytest.mark.slow
@pytest.mark.parametrize("name", NODES)
def test_single_operations_give_the_shipped_outputs(name: str):
    one = outcome(found("node")[name])
    assert (one.state, one.reason) == ("passed", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("test_nonzero_example", "for which there is no block"),
        ("test_gru_defaults", "resets before the recurrent weights, but torch after them"),
        ("test_maxpool_with_argmax_2d_precomputed_strides", "which torch counts otherwise"),
        ("test_slice_neg_steps", "runs backwards over the batch"),
        ("test_bernoulli", "draws random numbers"),
    ],
)
def test_what_torch_computes_otherwise_is_refused_not_drawn(name: str, said: str):
    one = outcome(found("node")[name])
    assert one.state == "refused"
    assert said in one.reason
