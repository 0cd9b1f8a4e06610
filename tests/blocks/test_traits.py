"""What blocks say of themselves in traits, spans and domains is what they do when they run."""

import functools
import math
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn

from blocks import CATALOGUE, NETWORKS, TRAITS, Block, declaration, has, having, of_family
from blocks.spec import Settings, Span
from core.analyse import analyse, build
from tests.core.drawing import chain

SHAPES = ((4, 6), (4, 3, 6), (4, 6, 6, 6), (4, 3, 6, 6, 6))
"""Inputs to try, with the batch, the first that a block takes."""
LARGE = 5.0


@functools.cache
def drawn(name: str) -> tuple[nn.Module, tuple[int, ...]] | None:
    """A block with one tensor going in, fresh from the palette, as a network; None if none fits."""
    block = CATALOGUE[name]
    ports = [port for port in block.inputs if not port.optional]
    if [port.kind for port in ports] != ["tensor"] or ports[0].dtype == "int":
        return None
    for shape in SHAPES:
        if ports[0].rank and len(shape) not in ports[0].rank:
            continue
        image = ("image", ("Input", {"shape": shape[1:]}))
        report = analyse(chain(image, ("it", (name, block.start)), ("out", "Output")))
        if report.ok and report.source:
            torch.manual_seed(0)
            return build(report.source).eval(), shape
    return None


def run(name: str, value: Tensor | None = None, seed: int = 0) -> tuple[Tensor, Tensor]:
    """What a block makes of ordinary numbers, in evaluation."""
    found = drawn(name)
    assert found is not None, f"{name} runs with none of {SHAPES}"
    module, shape = found
    torch.manual_seed(seed)
    x = torch.rand(shape) * 0.8 + 0.1 if value is None else value
    torch.manual_seed(seed)
    with torch.no_grad():
        made = module(x)
    return x, made[0] if isinstance(made, tuple) else made


def single() -> Iterator[Block]:
    """Blocks of one float that may compute each value by itself."""
    for block in CATALOGUE.values():
        if block.family in ("activation", "arithmetic", "linear") and drawn(block.name):
            yield block


def is_elementwise(name: str) -> bool:
    """Whether permuting positions permutes results, and each comes from its own value alone."""
    x, y = run(name)
    if y.shape != x.shape:
        return False
    order = torch.randperm(x.numel(), generator=torch.Generator().manual_seed(1))
    _, moved = run(name, x.flatten()[order].view(x.shape))
    other = x.clone()
    other.flatten()[0] = 0.95
    both = torch.stack([run(name, other)[1], y]).nan_to_num(-9.0)
    changed = (both[0] != both[1]).flatten().nonzero().flatten().tolist()
    same = torch.allclose(moved.flatten(), y.flatten()[order], equal_nan=True)
    return same and changed in ([0], [])


def learned(name: str) -> list[nn.Parameter]:
    found = drawn(name)
    return list(found[0].parameters()) if found else []


def test_every_trait_is_declared_and_some_block_has_it() -> None:
    assert {trait for block in CATALOGUE.values() for trait in block.traits} == set(TRAITS)
    assert [text for text in TRAITS.values() if not text.endswith(".") or " " not in text] == []


def test_an_undeclared_trait_is_an_error_and_a_composite_has_none() -> None:
    with pytest.raises(KeyError, match="There is no trait 'elementwize'"):
        having("elementwize")
    with pytest.raises(KeyError, match="There is no trait 'elementwize'"):
        has("ReLU", "elementwize")
    assert not has("Residual", "elementwise", "end")
    assert declaration("Residual").traits == frozenset()
    assert has("Input", "end")
    assert of_family("LSTM", "recurrent")
    assert not of_family("Residual", "")


@pytest.mark.gate
def test_elementwise_blocks_are_those_whose_results_move_with_their_values() -> None:
    found = {block.name for block in single() if is_elementwise(block.name)}
    learns = {name for name in found if learned(name)}
    assert learns == {"PReLU"}
    assert found - learns - having("elementwise") == set()
    assert having("elementwise") - found == set()


@pytest.mark.parametrize("name", sorted(having("identity")))
def test_an_identity_passes_on_what_it_receives(name: str) -> None:
    x, y = run(name)
    assert torch.equal(x, y)


@pytest.mark.parametrize("name", sorted(having("per_channel")))
def test_a_block_per_channel_changes_one_result_with_one_value(name: str) -> None:
    x, y = run(name)
    other = x.clone()
    other.flatten()[7] = -2.0
    assert (run(name, other)[1] != y).flatten().nonzero().flatten().tolist() == [7]


@pytest.mark.parametrize("name", sorted(having("reshapes") - {"view_as"}))
def test_a_block_that_reshapes_keeps_values_and_their_order(name: str) -> None:
    block = CATALOGUE[name]
    settings = {"reshape": {"shape": (-1, 9)}, "squeeze": {"dim": 2}}.get(name, block.start)
    image = ("image", ("Input", {"shape": (3, 1, 6)}))
    report = analyse(chain(image, ("it", (name, settings)), ("out", "Output")))
    x = torch.rand(4, 3, 1, 6)
    y = build(report.source or "")(x)
    assert torch.equal(x.flatten(), y.flatten())
    assert x.shape != y.shape


@pytest.mark.gate
def test_views_are_the_blocks_whose_result_may_lie_in_the_memory_of_their_input() -> None:
    found = set[str]()
    for name in CATALOGUE:
        if drawn(name):
            x, y = run(name)
            y = y[0] if isinstance(y, list) else y
            if y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr():
                found.add(name)
    assert found - having("dropout") - having("views") == set()  # a dropout copies in training
    assert having("views") - found == {"expand", "expand_as", "reshape", "view_as"}  # not drawn


def test_a_block_that_flattens_has_the_settings_that_say_what() -> None:
    for name in having("flattens"):
        block = CATALOGUE[name]
        assert has(name, "reshapes")
        assert block.setting("start_dim")
        assert block.defaults["end_dim"] == -1


@pytest.mark.parametrize("name", sorted(having("dropout")))
def test_a_dropout_drops_in_training_and_passes_all_on_in_evaluation(name: str) -> None:
    x, y = run(name)
    assert torch.equal(x, y)
    found = drawn(name)
    assert found is not None
    assert CATALOGUE[name].setting("p")
    torch.manual_seed(3)
    differs = [not torch.equal(found[0].train()(x), x) for _ in range(8)]
    found[0].eval()
    assert any(differs)


@pytest.mark.parametrize("name", sorted(having("batch_statistics")))
def test_batch_statistics_make_a_sample_depend_on_others_in_training_alone(name: str) -> None:
    found = drawn(name)
    assert found is not None
    module, shape = found
    one, other = torch.rand(shape), torch.rand(shape)
    other[0] = one[0]
    for training in (True, False):
        module.train(training)
        with torch.no_grad():
            equal = torch.allclose(module(one)[0], module(other)[0], atol=1e-6)
        assert equal is not training
    assert {key.rpartition(".")[2] for key, _ in module.named_buffers()} >= {"running_mean"}


@pytest.mark.gate
def test_blocks_that_learn_are_those_with_parameters() -> None:
    checked = {name for name in CATALOGUE if drawn(name)}
    assert {name for name in checked if learned(name)} == having("learns") & checked
    assert len(checked) > 150


def test_a_layer_that_adds_up_weighted_values_is_affine() -> None:
    for name in having("dense", "convolves", "transposed"):
        x, y = run(name)
        _, zero = run(name, torch.zeros_like(x))
        _, double = run(name, 2 * x)
        assert torch.allclose(double - zero, 2 * (y - zero), atol=1e-5), name
        assert {"learns", "weighted"} <= CATALOGUE[name].traits, name
        width = "out_features" if has(name, "dense") else "out_channels"
        assert y.shape[1] == CATALOGUE[name].start[width], name


def test_a_convolution_shrinks_and_a_transposed_one_enlarges() -> None:
    assert all(run(name)[0].shape[-1] > run(name)[1].shape[-1] for name in having("convolves"))
    assert all(run(name)[0].shape[-1] < run(name)[1].shape[-1] for name in having("transposed"))


def test_layers_that_mix_by_weights_learn_them_or_receive_them() -> None:
    rest = having("weighted") - having("learns")
    assert {name for name in rest if not CATALOGUE[name].input("weight")} == {
        "scaled_dot_product_attention"  # its weights are those of attention
    }


@pytest.mark.parametrize("name", sorted(having("pools")))
def test_a_pooling_keeps_channels_apart(name: str) -> None:
    x, y = run(name)
    other = x.clone()
    other[:, 1] = 7.0
    _, changed = run(name, other)
    alike = [k for k in range(x.shape[1]) if torch.equal(y[:, k], changed[:, k])]
    assert alike == [k for k in range(x.shape[1]) if k != 1]


def slopes(name: str, *at: float) -> list[float]:
    """The derivative of an elementwise block at some numbers."""
    found = drawn(name)
    assert found is not None
    module, shape = found
    value = torch.full(shape, 0.0)
    value.flatten()[: len(at)] = torch.tensor(at)
    value.requires_grad_()
    module(value).sum().backward()
    assert value.grad is not None
    return value.grad.flatten()[: len(at)].tolist()


def test_saturating_activations_are_those_that_are_flat_on_both_sides() -> None:
    elementwise = [n for n in having("elementwise") if of_family(n, "activation")]
    flat = {n for n in elementwise if max(map(abs, slopes(n, -LARGE, LARGE))) < 1 / 20}
    assert flat == having("saturating") == {"Sigmoid", "Hardsigmoid", "Tanh", "Hardtanh",
                                            "Softsign"}  # fmt: skip


def test_rectifiers_are_the_activations_that_give_zero_for_all_that_is_negative() -> None:
    elementwise = [n for n in having("elementwise") if of_family(n, "activation")]
    found = set[str]()
    for name in elementwise:
        shape = drawn(name)
        assert shape is not None
        _, y = run(name, -torch.rand(shape[1]) * 20 - 1e-3)
        _, up = run(name, torch.rand(shape[1]) * 20 + 1)
        if not y.any() and bool((up > 0.9).all()):
            found.add(name)
    assert found == having("rectifier") == {"ReLU", "ReLU6", "Threshold"}


@pytest.mark.parametrize("name", sorted(b.name for b in CATALOGUE.values() if b.span))
def test_results_lie_within_the_span_and_come_near_its_ends(name: str) -> None:
    found, span = drawn(name), CATALOGUE[name].results(CATALOGUE[name].start)
    if span is None:  # any number, with the settings of a block fresh from the palette
        return
    assert found is not None
    low, high = span
    count = math.prod(found[1])
    ends = [torch.linspace(-20, 20, count), torch.linspace(-3, 3, count)]
    ends += [torch.linspace(0, 1.001, count), torch.logspace(0, 6, count)]
    made = torch.cat([run(name, part.view(found[1]))[1].flatten() for part in ends])
    made = made[made.isfinite()]  # what is outside of the domain of a root has no result
    assert low <= made.min().item()
    assert made.max().item() <= high
    assert math.isinf(low) or made.min().item() - low < 0.06
    assert math.isinf(high) or high - made.max().item() < 0.06


def test_every_activation_that_stays_on_one_side_of_a_number_declares_its_span() -> None:
    bounded = set[str]()
    for name in having("elementwise"):
        low = min(run(name, filled(name, value))[1].min().item() for value in (-1e3, -10.0))
        if of_family(name, "activation") and low > -9:
            bounded.add(name)
    assert bounded <= {b.name for b in CATALOGUE.values() if b.span}


@pytest.mark.parametrize(
    ("name", "settings", "span"),
    [
        ("Hardtanh", {"min_val": -3.0, "max_val": 2.0}, (-3.0, 2.0)),
        ("Threshold", {"threshold": 1.0, "value": -4.0}, (-4.0, math.inf)),
        ("clamp", {"min": 0}, (0, math.inf)),
        ("clamp", {"min": None, "max": None}, None),
        ("pow", {"exponent": 2}, (0.0, math.inf)),
        ("pow", {"exponent": 3}, None),
        ("pow", {"exponent": 0.5}, (0.0, math.inf)),
        ("pow", {}, None),
        ("square", {}, (0.0, math.inf)),
        ("Linear", {}, None),
    ],
)
def test_settings_move_the_ends_of_a_span(name: str, settings: Settings, span: Span | None) -> None:
    assert CATALOGUE[name].results(settings) == span


def filled(name: str, value: float) -> Tensor:
    """An input of one number."""
    found = drawn(name)
    assert found is not None
    return torch.full(found[1], value)


def test_sigmoids_and_probabilities_give_numbers_from_0_to_1() -> None:
    assert {CATALOGUE[name].span for name in having("sigmoid")} == {(0.0, 1.0)}
    for name in having("probabilities"):
        x, y = run(name)
        dim = -1 if CATALOGUE[name].setting("dim") else 1
        assert torch.allclose(y.sum(dim), torch.ones_like(x).mean(dim))
    x, y = run("LogSoftmax")
    assert having("softmax") - having("probabilities") == {"LogSoftmax"}
    assert torch.allclose(y.exp().sum(-1), torch.ones_like(x).mean(-1))


@pytest.mark.gate
def test_a_function_that_fails_for_some_numbers_says_what_it_needs() -> None:
    failing = set[str]()
    for name in having("elementwise"):
        for value in (-200.0, -3.0, -1.5, -0.5, 0.0, 0.5, 1.5, 200.0):
            if not torch.isfinite(run(name, filled(name, value))[1]).all():
                failing.add(name)
    declared = {name for name in having("elementwise") if CATALOGUE[name].domain}
    assert failing == declared
    assert [
        b.name for b in CATALOGUE.values() if b.domain and not b.domain.startswith("needs ")
    ] == []


def test_activations_that_stand_between_layers_need_no_settings() -> None:
    for name in having("hidden"):
        assert has(name, "elementwise"), name
        assert of_family(name, "activation"), name
        assert CATALOGUE[name].start == {}, name
    assert {"ReLU", "GELU", "Tanh"} <= having("hidden")


def test_a_block_with_a_feed_forward_part_holds_the_two_layers_of_its_names() -> None:
    for name in having("feed_forward"):
        layer = getattr(nn, name)(8, 2, dim_feedforward=16)
        assert layer.linear1.out_features == layer.linear2.in_features == 16
        assert CATALOGUE[name].setting("dim_feedforward")


@pytest.mark.parametrize("name", sorted(having("transformer")))
def test_a_layer_of_a_transformer_normalises_inside(name: str) -> None:
    block = CATALOGUE[name]
    layer = nn.TransformerEncoderLayer(8, 2) if "Encoder" in name else (
        nn.TransformerDecoderLayer(8, 2) if "Decoder" in name else nn.Transformer(8, 2, 1, 1)
    )  # fmt: skip
    assert any(isinstance(part, nn.LayerNorm) for part in layer.modules())
    assert block.network == "Transformer"


def test_torchs_counter_counts_nothing_for_blocks_it_has_no_formula_for() -> None:
    from torch.utils.flop_counter import FlopCounterMode

    pairs = {
        "Bilinear": lambda: nn.Bilinear(4, 4, 3)(torch.rand(2, 4), torch.rand(2, 4)),
        "bilinear": lambda: nn.functional.bilinear(
            torch.rand(2, 4), torch.rand(2, 4), torch.rand(3, 4, 4)
        ),
        "cdist": lambda: torch.cdist(torch.rand(2, 3, 4), torch.rand(2, 5, 4)),
        "outer": lambda: torch.outer(torch.rand(4), torch.rand(5)),
    }
    assert set(pairs) == having("uncounted")
    for call in pairs.values():
        with FlopCounterMode(display=False) as counter:
            call()
        assert counter.get_total_flops() == 0


def test_blocks_that_join_two_values_add_or_multiply_them() -> None:
    assert {name: CATALOGUE[name].formula for name in having("adds", "multiplies")} == {
        "add": r"y = a + \alpha b",
        "mul": r"y = a \odot b",
    }


def test_networks_are_called_by_blocks_in_a_known_order() -> None:
    called = {block.network for block in CATALOGUE.values() if block.network}
    assert called == set(NETWORKS)
    assert {b.name for b in CATALOGUE.values() if b.depth > 1} == having("transformer") - {
        "Transformer"
    }
