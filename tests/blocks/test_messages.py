"""The sentences a student reads, word for word, with the offered changes: images and joins."""

import pytest

from blocks import CATALOGUE, Signature
from blocks.checks import block_problems, block_warnings
from tests.blocks.problems import problem, titles, warning, wire
from tests.blocks.torch_truth import complete


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


def test_a_linear_on_channels_that_come_last_is_meant():
    block, inputs = CATALOGUE["Linear"], {"input": wire(7, 7, 96)}
    assert list(block_warnings(block, complete(block, dict(block.start), inputs), inputs)) == []


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
    found = problem("Conv2d", {"input": wire(28, 28)}, kernel_size=5)
    assert titles(found)[:2] == [
        "Insert unsqueeze(dim=1) before it",
        "Use Conv1d(out_channels=16, kernel_size=5) instead",
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
    found = problem("add", {"input": wire(3, 8, 8), "other": wire(8)})
    assert found.message == (
        "needs two tensors of the same shape but receives (N, 3, 8, 8) and (N, 8)."
    )
    assert found.hint == "Give both wires the same number of dimensions."


def test_a_parameter_without_the_batch_is_repeated_for_every_sample():
    block, inputs = CATALOGUE["mul"], {"input": wire(3, 8, 8), "other": Signature((3, 1, 1))}
    assert block_problems(block, complete(block, {}, inputs), inputs) == []


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


def test_a_normalisation_of_rows_that_gets_images():
    found = problem("BatchNorm1d", {"input": wire(16, 8, 8)}, momentum=0.2)
    assert titles(found)[0] == "Use BatchNorm2d(momentum=0.2) instead"


@pytest.mark.parametrize(
    ("skip", "title"),
    [
        ((16, 12, 12), "Insert Conv2d(out_channels=32, kernel_size=2) before it"),
        ((16, 24, 24), "Insert Conv2d(out_channels=32, kernel_size=3, stride=2) before it"),
        (
            (16, 10, 4),
            "Insert Conv2d(out_channels=32, kernel_size=1), then interpolate(size=11) before it",
        ),
        ((32, 24, 24), "Insert AdaptiveAvgPool2d(output_size=11) before it"),
    ],
)
def test_the_offered_shortcut_has_the_size_of_the_other_wire(skip: tuple[int, ...], title: str):
    found = problem("add", {"input": wire(32, 11, 11), "other": wire(*skip)})
    assert titles(found)[0] == title
