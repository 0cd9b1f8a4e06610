"""The sentences a student reads, word for word, with the changes that are offered."""

from typing import Any

import pytest

from blocks import CATALOGUE, N, Problem, Signature
from blocks.checks import block_problems, block_warnings
from blocks.spec import Block
from blocks.validate import setting_problems

from .torch_truth import complete


def wire(*shape: Any, dtype: str = "float32") -> Signature:
    """A batch of the given sample sizes."""
    return Signature((N, *shape), dtype)


def only(problems: list[Problem]) -> Problem:
    assert len(problems) == 1, problems
    return problems[0]


def problem(name: str, inputs: dict[str, Any], **given: Any) -> Problem:
    """The one problem of a block with these wires and settings, over its palette settings."""
    block: Block = CATALOGUE[name]
    chosen = {**block.start, **given}
    assert setting_problems(block, chosen) == []
    return only(block_problems(block, complete(block, chosen, inputs), inputs))


def warning(name: str, inputs: dict[str, Any], **given: Any) -> Problem:
    block = CATALOGUE[name]
    full = complete(block, {**block.start, **given}, inputs)
    assert block_problems(block, full, inputs) == []
    return only(block_warnings(block, full, inputs))


def titles(found: Problem) -> list[str]:
    return [fix.title for fix in found.fixes]


def test_a_kernel_larger_than_the_image():
    found = problem("Conv2d", {"input": wire(1, 4, 4)}, kernel_size=5)
    assert found.code == "image_too_small"
    assert found.message == "has a 5x5 kernel but receives a 4x4 image."
    assert found.hint == "Set kernel_size to 4 or less, or enlarge the padding."
    assert titles(found) == ["Set kernel_size to 4", "Set padding to 1"]
    assert found.fixes[0].edits == ({"op": "set", "settings": {"kernel_size": 4}},)


def test_a_dilated_kernel_larger_than_the_padded_image():
    found = problem("Conv2d", {"input": wire(1, 5, 5)}, dilation=4, padding=1)
    assert found.message == (
        "has a 3x3 kernel (spanning 9x9 with dilation) but receives a 5x5 image (7x7 with padding)."
    )
    assert titles(found) == ["Set kernel_size to 2", "Set padding to 2", "Set dilation to 1"]


def test_a_kernel_longer_than_the_sequence():
    found = problem("Conv1d", {"input": wire(8, 2)})
    assert found.message == "has a kernel of 3 but receives a sequence of 2."


def test_a_pooling_window_larger_than_the_image():
    found = problem("MaxPool2d", {"input": wire(16, 1, 1)})
    assert (found.code, found.message) == (
        "image_too_small",
        "has a 2x2 kernel but receives a 1x1 image.",
    )
    assert titles(found) == ["Set kernel_size to 1", "Set padding to 1"]


def test_a_pooling_padding_of_more_than_half_a_window():
    found = problem("AvgPool2d", {"input": wire(16, 8, 8)}, padding=2)
    assert found.code == "bad_setting"
    assert found.message == "has a padding of 2x2 but allows at most half the kernel, 1x1."
    assert titles(found) == ["Set padding to 1", "Set kernel_size to 4"]


def test_padding_same_with_a_stride():
    found = problem("Conv2d", {"input": wire(3, 8, 8)}, padding="same", stride=2)
    assert found.message == "has padding 'same', which needs a stride of 1 but receives 2x2."
    assert titles(found) == ["Set stride to 1", "Set padding to 1"]


def test_a_reflected_border_wider_than_the_image():
    found = problem(
        "Conv2d", {"input": wire(3, 2, 2)}, padding=2, padding_mode="reflect", kernel_size=3
    )
    assert found.code == "image_too_small"
    assert found.message == (
        "has padding_mode 'reflect', which allows a padding of at most 1x1 "
        "for a 2x2 input but receives 2x2."
    )


def test_an_output_padding_as_large_as_the_stride():
    found = problem("ConvTranspose2d", {"input": wire(3, 8, 8)}, output_padding=2)
    assert found.message == (
        "has an output_padding of 2x2 but needs less than the stride 2x2 or the dilation 1x1."
    )
    assert titles(found) == ["Set output_padding to 1", "Set stride to 3"]


def test_in_channels_that_contradict_the_wire():
    found = problem("Conv2d", {"input": wire(16, 28, 28)}, in_channels=3)
    assert found.code == "channel_mismatch"
    assert found.message == ("needs 3 channels (in_channels=3) but receives 16 in (N, 16, 28, 28).")
    assert titles(found) == [
        "Remove in_channels: the wire decides it",
        "Set in_channels to 16",
        "Insert Conv2d(out_channels=3, kernel_size=1) before it",
    ]
    assert found.fixes[0].edits == ({"op": "set", "settings": {"in_channels": None}},)


def test_in_features_that_contradict_the_wire():
    found = problem("Linear", {"input": wire(400)}, in_features=256)
    assert found.code == "feature_mismatch"
    assert found.message == "needs 256 features (in_features=256) but receives 400 in (N, 400)."


def test_a_linear_that_gets_an_image_instead_of_its_features():
    found = problem("Linear", {"input": wire(16, 5, 5)}, in_features=400)
    assert found.code == "missing_flatten"
    assert found.message == (
        "needs 400 features (in_features=400) but receives (N, 16, 5, 5), "
        "whose last dimension is 5."
    )
    assert found.hint == "Insert a flatten before it: 16*5*5 = 400 features."
    assert found.fixes[0].edits == (
        {"op": "insert", "port": "input", "block": "flatten", "settings": {"start_dim": 1}},
    )


def test_a_linear_on_an_image_is_a_warning():
    found = warning("Linear", {"input": wire(16, 5, 5)})
    assert found.code == "missing_flatten"
    assert found.message == "receives an image (N, 16, 5, 5) and acts on each row of 5 alone."
    assert titles(found) == ["Insert flatten(start_dim=1) before it"]


def test_a_convolution_that_gets_a_row():
    found = problem("Conv2d", {"input": wire(784)})
    assert found.code == "wrong_rank"
    assert found.message == ("needs (N, C, H, W) but receives (N, 784), which has 2 dimensions.")
    assert found.hint == "Add the missing dimension before it."
    assert found.fixes[0].edits == (
        {
            "op": "insert",
            "port": "input",
            "block": "unflatten",
            "settings": {"dim": 1, "sizes": (1, 28, 28)},
        },
    )


def test_a_gray_image_without_channels():
    found = problem("Conv2d", {"input": wire(28, 28)})
    assert titles(found)[:2] == [
        "Use Conv1d(out_channels=16, kernel_size=3) instead",
        "Insert unsqueeze(dim=1) before it",
    ]


def test_a_recurrent_layer_that_gets_an_image():
    found = problem("GRU", {"input": wire(1, 28, 28)})
    assert found.message == (
        "needs (N, L, features) but receives (N, 1, 28, 28), which has 4 dimensions."
    )
    assert titles(found)[0] == "Insert squeeze(dim=1) before it"


def test_an_embedding_of_floats():
    found = problem("Embedding", {"input": wire(20)})
    assert found.code == "needs_integers"
    assert found.message == "needs integers (int64) but receives float32 in (N, 20)."
    assert found.hint == "Feed it token or class numbers: set the dtype of the Input to int64."
    assert found.fixes[0].edits == (
        {"op": "input", "port": "input", "settings": {"dtype": "int64"}},
    )


def test_a_linear_on_tokens():
    found = problem("Linear", {"input": wire(20, dtype="int64")})
    assert found.code == "needs_floats"
    assert found.message == (
        "needs numbers with a fraction (float32) but receives int64 in (N, 20)."
    )
    assert titles(found) == [
        "Insert Embedding(num_embeddings=1000, embedding_dim=64) before it",
        "Set the Input's dtype to float32",
        "Insert to(dtype='float32') before it",
    ]


def test_a_residual_join_with_another_number_of_channels_and_pixels():
    inputs = {"input": wire(32, 14, 14), "other": wire(16, 28, 28)}
    found = problem("add", inputs)
    assert found.code == "unequal_shapes"
    assert found.message == (
        "needs two tensors of the same shape but receives (N, 32, 14, 14) and (N, 16, 28, 28)."
    )
    assert titles(found) == [
        "Insert Conv2d(out_channels=32, kernel_size=1, stride=2) before it",
        "Disconnect other",
    ]
    assert found.fixes[0].edits[0]["port"] == "other"


def test_a_join_that_torch_would_broadcast_by_accident():
    found = problem("add", {"input": wire(3, 8, 8), "other": Signature((8,))})
    assert found.message == (
        "needs two tensors of the same shape but receives (N, 3, 8, 8) and (8,)."
    )
    assert found.hint == "Give both wires the same number of dimensions."


def test_a_join_with_a_size_of_one_is_meant():
    block, inputs = CATALOGUE["mul"], {"input": wire(16, 8, 8), "other": wire(16, 1, 1)}
    assert block_problems(block, complete(block, {}, inputs), inputs) == []


def test_a_concatenation_of_unequal_images():
    found = problem("cat", {"tensors": (wire(64, 56, 56), wire(32, 28, 28))})
    assert found.code == "unequal_shapes"
    assert found.message == (
        "needs every size but that of dimension 1 to be equal but receives "
        "(N, 64, 56, 56) and (N, 32, 28, 28) (tensors.0 and tensors.1)."
    )
    assert titles(found) == ["Insert interpolate(size=56) before it", "Disconnect tensors.1"]


def test_a_concatenation_along_the_wrong_dimension():
    found = problem("cat", {"tensors": (wire(64), wire(32))}, dim=0)
    assert titles(found)[-2:] == ["Join along dimension 1 instead", "Disconnect tensors.1"]


def test_groups_that_do_not_divide_the_channels():
    found = problem("Conv2d", {"input": wire(6, 8, 8)}, groups=4, out_channels=8)
    assert found.code == "groups_divide"
    assert found.message == (
        "splits its channels into 4 groups but receives 6 channels, which 4 does not divide."
    )
    assert titles(found) == ["Set groups to 2"]


def test_groups_that_do_not_divide_the_filters():
    found = problem("Conv2d", {"input": wire(6, 8, 8)}, groups=3, out_channels=16)
    assert found.message == (
        "splits its filters into 3 groups but has out_channels=16, which 3 does not divide."
    )
    assert titles(found) == ["Set out_channels to 18", "Set groups to 2"]


def test_group_norm_with_groups_that_do_not_divide():
    found = problem("GroupNorm", {"input": wire(10, 8, 8)}, num_groups=4)
    assert found.message == (
        "splits its channels into 4 groups (num_groups) but receives 10 channels, "
        "which 4 does not divide."
    )
    assert titles(found) == ["Set num_groups to 5"]


def test_heads_that_do_not_divide_the_features():
    found = problem("TransformerEncoderLayer", {"src": wire(8, 30)})
    assert found.code == "heads_divide"
    assert found.message == (
        "splits 30 features (d_model) among 4 heads, but 4 does not divide 30."
    )
    assert titles(found) == ["Set nhead to 3", "Insert Linear(out_features=32) before it"]


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_a_batch_that_would_be_read_as_time(name: str):
    found = problem(name, {"input": wire(28, 28)}, batch_first=False)
    assert found.code == "batch_first"
    assert found.message == (
        "needs batch_first=True but has batch_first=False: (N, 28, 28) holds the batch first, "
        "so it would read the samples as steps of one sequence."
    )
    assert titles(found) == ["Set batch_first to true"]


def test_a_time_that_would_be_read_as_batch():
    found = problem(
        "MultiheadAttention", dict.fromkeys(("query", "key", "value"), Signature((7, N, 8)))
    )
    assert found.code == "batch_first"
    assert titles(found) == ["Set batch_first to false"]


def test_an_lstm_with_one_of_two_states():
    found = problem("LSTM", {"input": wire(5, 8), "h_0": Signature((1, N, 64))})
    assert found.code == "unconnected"
    assert found.message == "needs both h_0 and c_0, or neither, but receives only h_0."


def test_a_state_of_another_width():
    found = problem("GRU", {"input": wire(5, 8), "hx": Signature((1, N, 32))})
    assert found.message == "needs (1, N, 64) at hx but receives (1, N, 32)."
    assert titles(found) == ["Set hidden_size to 32", "Disconnect hx"]


def test_keys_of_another_width():
    inputs = {"query": wire(7, 8), "key": wire(5, 6), "value": wire(5, 8)}
    found = problem("MultiheadAttention", inputs)
    assert found.message == "needs 8 features at key (kdim) but receives 6 in (N, 5, 6)."
    assert titles(found) == ["Set kdim to 6", "Insert Linear(out_features=8) before it"]


def test_a_hint_of_causality_without_a_mask():
    found = problem("TransformerEncoderLayer", {"src": wire(7, 8)}, is_causal=True)
    assert found.message == (
        "has is_causal=True, a hint about a causal mask, but receives no src_mask."
    )


def test_pixel_shuffle_with_channels_that_do_not_divide():
    found = problem("PixelShuffle", {"input": wire(6, 8, 8)})
    assert found.message == (
        "needs a multiple of 4 channels (upscale_factor 2 squared) but receives 6."
    )


def test_sizes_that_do_not_multiply_to_the_old_one():
    found = problem("unflatten", {"input": wire(784)}, sizes=(3, 28, 28))
    assert found.code == "bad_setting"
    assert found.message == (
        "needs sizes that multiply to 784 but has sizes=(3, 28, 28), for dimension 1 of (N, 784)."
    )
    assert titles(found) == ["Set sizes to [1, 28, 28]"]


def test_a_reshape_that_fixes_the_batch():
    found = problem("reshape", {"input": wire(784)}, shape=(64, 784))
    assert found.message == "fixes the batch at 64 (shape=(64, 784)) but receives (N, 784)."
    assert titles(found) == ["Set shape to [-1, 784]"]


def test_a_permutation_that_forgets_a_dimension():
    found = problem("permute", {"input": wire(3, 8, 8)})
    assert found.message == (
        "needs each of the 4 dimensions of (N, 3, 8, 8) once but has dims=(0, 2, 1)."
    )


def test_a_dimension_that_does_not_exist():
    found = problem("mean", {"input": wire(5, 8)})
    assert found.code == "dim_range"
    assert found.message == ("needs dim from -3 to 2 but has (2, 3), for an input of (N, 5, 8).")
    assert titles(found) == ["Set dim to [2]"]


def test_an_index_beyond_the_end():
    found = problem("select", {"input": wire(5, 8)}, index=5)
    assert found.message == (
        "takes number 5 of dimension 1 but receives only 5 there, in (N, 5, 8)."
    )


def test_a_sample_taken_out_of_the_batch():
    found = problem("select", {"input": wire(5, 8)}, dim=0)
    assert found.code == "batch_dim"


def test_a_squeeze_that_could_swallow_the_batch():
    found = problem("squeeze", {"input": wire(1, 8)}, dim=None)
    assert found.message == ("would drop the batch of (N, 1, 8) whenever it holds a single sample.")
    assert titles(found) == ["Set dim to 1"]


def test_layer_norm_over_other_sizes():
    found = problem("LayerNorm", {"input": wire(16, 8, 8)}, normalized_shape=(16, 4, 4))
    assert found.message == (
        "needs last sizes (16, 4, 4) (normalized_shape) but receives (N, 16, 8, 8)."
    )


def test_instance_norm_of_single_pixels():
    found = problem("InstanceNorm2d", {"input": wire(16, 1, 1)})
    assert found.message == ("needs more than one value per channel but receives (N, 16, 1, 1).")


def test_batch_norm_of_single_pixels_is_a_warning():
    found = warning("BatchNorm2d", {"input": wire(16, 1, 1)})
    assert found.code == "batch_of_one"
    assert found.message == (
        "sees one value per channel of each sample in (N, 16, 1, 1), "
        "so training needs batches of at least 2."
    )
    assert titles(found) == ["Use Identity instead"]


def test_a_port_is_named_where_there_are_several():
    inputs = {"input": wire(5, 8), "other": wire(5, 8, dtype="bool")}
    found = problem("matmul", inputs)
    assert found.message == (
        "needs numbers with a fraction (float32) at other but receives bool in (N, 5, 8)."
    )


def test_dropout_in_a_single_recurrent_layer_is_a_warning():
    found = warning("LSTM", {"input": wire(5, 8)}, dropout=0.2)
    assert found.code == "no_effect"
    assert found.message == "has dropout=0.2 but one layer; dropout acts between layers only."


def test_a_mean_over_the_batch_is_a_warning():
    found = warning("mean", {"input": wire(5, 8)}, dim=None)
    assert found.code == "batch_mixed"
    assert titles(found) == ["Set dim to [2]"]


def test_resizing_without_a_target():
    found = problem("interpolate", {"input": wire(3, 8, 8)}, scale_factor=None)
    assert found.message == "needs either size or scale_factor but has neither."


def test_a_mode_for_another_number_of_dimensions():
    found = problem("Upsample", {"input": wire(3, 8)}, mode="bilinear")
    assert found.code == "wrong_rank"
    assert titles(found) == ["Set mode to 'nearest'", "Set mode to 'linear'"]


def test_a_matrix_product_with_unequal_inner_sizes():
    found = problem("matmul", {"input": wire(7, 8), "other": wire(5, 8)})
    assert found.message == "multiplies rows of 8 with columns of 5: (N, 7, 8) and (N, 5, 8)."
    assert titles(found)[0] == "Insert transpose(dim0=-2, dim1=-1) before it"
