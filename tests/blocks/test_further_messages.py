"""More sentences, word for word: groups, heads, sequences, shapes, warnings."""

import pytest

from blocks import CATALOGUE, N, Signature
from blocks.checks import block_problems
from blocks.validate import setting_problems
from tests.blocks.problems import problem, titles, warning, wire
from tests.blocks.torch_truth import complete


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


def test_a_scale_factor_for_each_dimension():
    given = {"input": wire(3, 8, 8)}
    found = problem("Upsample", given, scale_factor=[2, 1.5, 2])
    assert found.message == ("needs 2 numbers in scale_factor but has 3 for (N, 3, 8, 8).")
    found = problem("interpolate", given, scale_factor=[2, 0.1])
    assert found.message == "scales by 0.1 but receives a size of 8, which leaves nothing."


def test_a_number_below_its_range_is_set_to_one_within():
    (found,) = setting_problems(
        CATALOGUE["FractionalMaxPool2d"], {"kernel_size": 2, "output_ratio": [0.5] * 3}
    )
    assert found.message == (
        "needs output_ratio to be a number from 0.01 to 0.99 or a list of 2, or nothing but "
        "receives [0.5, 0.5, 0.5]."
    )
    assert titles(found)[0] == "Set output_ratio to 0.01"


def test_a_mode_for_another_number_of_dimensions():
    found = problem("Upsample", {"input": wire(3, 8)}, mode="bilinear")
    assert found.code == "wrong_rank"
    assert titles(found) == ["Set mode to 'nearest'", "Set mode to 'linear'"]


def test_a_matrix_product_with_unequal_inner_sizes():
    found = problem("matmul", {"input": wire(7, 8), "other": wire(5, 8)})
    assert found.message == "multiplies rows of 8 with columns of 5: (N, 7, 8) and (N, 5, 8)."
    assert titles(found)[0] == "Insert transpose(dim0=-2, dim1=-1) before it"


def test_one_head_of_keys_and_values_serves_all_heads_of_the_query():
    block = CATALOGUE["scaled_dot_product_attention"]
    one, two = Signature((N, 1, 6, 4)), Signature((N, 2, 6, 4))
    for key, fits in ((one, True), (two, False)):
        inputs = {"query": Signature((N, 8, 5, 4)), "key": key, "value": key}
        assert (not block_problems(block, complete(block, {}, inputs), inputs)) is fits
