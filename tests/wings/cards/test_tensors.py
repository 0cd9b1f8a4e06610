"""Numbers of the cards on tensors, worked out by hand for three templates."""

from math import prod

from tests.wings.cards.conftest import Alone, subject


def test_strides_of_lenet_are_products_of_sizes(alone: Alone) -> None:
    values = alone.values("shapes-and-strides")
    assert values["first_stride"] == 1 * 28 * 28
    assert values["names"][:4] == ["x", "conv1", "tanh1", "pool1"]
    assert values["bytes_held"][:2] == [16 * 28 * 28 * 4, 16 * 6 * 28 * 28 * 4]
    assert values["rows"][3] == ["pool1", "(16, 6, 14, 14)", "float32", "(1176, 196, 14, 1)", "yes"]


def test_a_view_is_what_numpy_says_may_share_memory(alone: Alone) -> None:
    import numpy as np

    a = np.zeros((16, 4))
    made = [a[0], a[1:3], a.reshape(16, -1), a.T, a.T.reshape(-1),
            np.broadcast_to(a, (3, 16, 4)), a[[0, 1]], a.copy(), a + 0, a.astype("f4")]  # fmt: skip
    shared = ["view" if np.shares_memory(each, a) else "copy" for each in made]
    values = alone.values("views-and-copies", "mlp_iris")
    assert [row[3] for row in values["rows"]] == shared
    assert values["views"] == shared.count("view") == 5
    assert round(values["moved"], 3) == 4  # four values, each 1 more


def test_a_number_added_everywhere_has_a_gradient_of_one_for_each_place(alone: Alone) -> None:
    for template, sizes in (("mlp_iris", (4,)), ("lenet_digits", (1, 28, 28)), ("gpt_text", (64,))):
        values = alone.values("broadcasting", template)
        assert values["gradient"] == 16 * prod(sizes)
        strides = [row[3] for row in values["rows"]]
        assert strides[0] == str((0,) * (len(sizes) + 1))
        assert strides[1].startswith("(0, ")


def test_each_weight_tensor_is_a_leaf_that_holds_a_gradient(alone: Alone) -> None:
    values = alone.values("leaves")
    model = subject("leaves").model
    assert values["holding"] == 5 * 2  # five layers, each with weight and bias
    assert values["numbers_held"] == sum(p.numel() for p in model.parameters()) == 61706
    rows = {row[0]: row[1:] for row in values["rows"]}
    assert rows["x"] == ["yes", "no", "none"]
    assert rows["conv1.weight"] == ["yes", "yes", "none"]
    assert rows["loss"] == ["no", "yes", "NllLossBackward0"]
    assert rows["output.detach()"] == ["yes", "no", "none"]
