"""A quick part of the onnx package's own test models; `bench/onnx_models.py` runs all."""

import functools

import pytest
import torch

from tests.wings.importing.bench.onnx_models import Case, cases, outcome

NODES = (
    "test_averagepool_2d_same_upper test_basic_conv_with_padding test_batchnorm_example "
    "test_clip_default_inbounds_expanded test_convtranspose_autopad_same test_cumsum_2d_axis_1 "
    "test_depthtospace_example test_einsum_transpose test_gather_1 test_gelu_tanh_2 "
    "test_hardswish test_instancenorm_example test_layer_normalization_2d_axis1 "
    "test_lstm_batchwise test_onehot_with_axis test_prelu_broadcast "
    "test_reduce_l2_keep_dims_example test_softmax_axis_1 test_spacetodepth "
    "test_split_equal_parts_2d test_tile test_tril_neg test_where_example "
    "test_acos test_asinh test_isinf_negative test_add_uint64 test_cumprod_2d_axis_1 "
    "test_attention_3d_gqa_causal test_attention_4d_attn_mask_3d_causal "
    "test_attention_4d_with_past_and_present_qk_matmul_bias "
    "test_attention_local_window_gqa_rank4_mask test_rotary_embedding_interleaved "
    "test_top_k test_top_k_same_values_2d test_nonzero_example test_compress_1 "
    "test_gathernd_example_int32_batch_dim1 test_scatternd test_scatter_elements_with_axis "
    "test_hardmax_axis_1 test_eyelike_with_dtype test_reversesequence_time "
    "test_nllloss_NCd1d2_with_weight_reduction_sum_ii test_sce_mean_weight_ii "
    "test_dropout_default_mask test_col2im_strides test_affine_grid_2d_align_corners "
    "test_roialign_aligned_true test_reflect_pad test_resize_upsample_scales_cubic_asymmetric "
    "test_resize_tf_crop_and_resize_extrapolation_value "
    "test_resize_downsample_sizes_linear_antialias test_resize_upsample_sizes_nearest_not_larger"
).split()
SMALL = ("AvgPool3d_stride", "BatchNorm1d_3d_input_eval", "Conv1d_dilated", "Conv3d_groups",
         "ConvTranspose2d", "Embedding", "GLU_dim", "PReLU_2d_multiparam", "PixelShuffle",
         "ReflectionPad2d", "Softmin", "log_softmax_dim3")  # fmt: skip


@functools.cache
def found(kind: str) -> dict[str, Case]:
    torch.set_num_threads(1)
    return {case.name: case for case in cases(kind)}


@pytest.mark.gate
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
    ("name", "reason"),
    [
        ("test_det_2d", "that has no block"),
        ("test_adam", "has no batch"),
        ("test_hardmax_axis_0", "looks for the largest number among the samples"),
        ("test_top_k_same_values", "takes 3 of the samples"),
        ("test_layer_normalization_4d_axis0", "normalises over the samples, too"),
        ("test_qlinearconv", "computes with packed integers"),
        ("test_gru_defaults", "resets before the recurrent weights, but torch after them"),
        ("test_maxpool_with_argmax_2d_precomputed_strides", "which torch counts differently"),
        ("test_slice_neg_steps", "runs backwards over the batch"),
        ("test_bernoulli", "draws random numbers"),
    ],
)
def test_what_torch_computes_otherwise_is_refused_not_drawn(name: str, reason: str):
    one = outcome(found("node")[name])
    assert one.state == "refused"
    assert reason in one.reason
