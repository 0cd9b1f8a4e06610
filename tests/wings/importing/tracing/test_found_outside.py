"""Habits of other people's networks that a trace has to see through, or to refuse by their name."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.wings.importing import ImportRefused, import_module
from core.wings.importing.sources import with_inputs
from core.wings.importing.tracing.model_call import InputSpec
from tests.wings.importing.drawn import (
    FIRST,
    Calls,
    compared,
    compared_with_drawing,
    values_of,
)


class Plain(nn.Module):
    """One layer, and what is done with its result."""

    def __init__(self, then: Callable[[Tensor], Any] = torch.relu, width: int = 6) -> None:
        super().__init__()
        self.fc, self.then = nn.Linear(6, width), then

    def forward(self, x: Tensor) -> Any:
        return self.then(self.fc(x))


def equal(module: nn.Module, *shape: int) -> list[bool | None]:
    judged = compared(module, *shape)
    return [judged[name].equal for name in (*FIRST, "one training step")]


def compiled_forward() -> nn.Module:
    module = Plain()
    module.forward = torch.compile(module.forward)
    return module


@pytest.mark.gate
@pytest.mark.parametrize(
    "made",
    [
        lambda: torch.compile(Plain()),
        lambda: nn.Sequential(torch.compile(Plain()), nn.Linear(6, 3)),  # pyright: ignore
        compiled_forward,
    ],
)
def test_a_compiled_model_is_drawn_as_its_python(made: Callable[[], Any]):
    assert equal(made(), 6) == [True, True, True]


@torch.jit.script
def gate(a: Tensor, b: Tensor) -> Tensor:
    return torch.sigmoid(a) * b


def test_a_scripted_function_is_drawn_as_its_python():
    assert values_of(lambda x: gate(x, x), torch.zeros(1, 2)).tolist() == [[0.0, 0.0]]
    assert equal(Plain(lambda x: gate(x, x)), 6) == [True, True, True]


def test_a_scripted_module_is_refused_by_name():
    inner = torch.jit.script(nn.Linear(6, 6))
    with pytest.raises(ImportRefused, match="0: is TorchScript"):
        import_module(nn.Sequential(inner, nn.ReLU()), [(6,)])


class Keeps(nn.Module):
    """A hook of a layer keeps something of its result, which forward uses."""

    def __init__(self, keep: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.fc, self.kept = nn.Linear(6, 6), dict[str, Tensor]()
        kept = self.kept
        self.fc.register_forward_hook(lambda layer, given, out: kept.update(fc=keep(out)))
        self.read = lambda: kept["fc"]

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x) + self.read()


@pytest.mark.parametrize(
    "keep", [lambda t: t, lambda t: t.detach(), lambda t: t.mean(1, keepdim=True)]
)
def test_what_a_hook_keeps_is_drawn(keep: Callable[[Tensor], Tensor]):
    assert equal(Keeps(keep), 6)[:2] == [True, True]


def test_hooks_of_a_layer_that_change_its_values_are_drawn():
    module = Plain()
    module.fc.register_forward_pre_hook(lambda layer, given: (given[0].clamp(0, 0.5),))
    module.fc.register_forward_hook(lambda layer, given, out: 2 * out)  # pyright: ignore
    assert equal(module, 6) == [True, True, True]


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda x: x * ((x > 0) == True), [0.0, 2.0]),  # noqa: E712 - what people write
        (lambda x: x * ((x > 0) == False), [-1.0, 0.0]),  # noqa: E712
        (lambda x: x * ((x > 0) != True), [-1.0, 0.0]),  # noqa: E712
        (lambda x: x * ((x - 1) == True), [-0.0, 2.0]),  # noqa: E712
    ],
)
def test_a_comparison_with_true_is_the_mask(call: Any, wanted: list[float]):
    assert values_of(call, torch.tensor([[-1.0, 2.0]])).tolist() == [wanted]


def ask(x: Tensor) -> Tensor:
    on_gpu = x.is_cuda or x.is_xpu or x.is_mps or x.get_device() >= 0 or x.is_meta
    return -x if on_gpu or not x.is_cpu or x.device.type != "cpu" else x


def test_questions_for_the_device_are_answered_as_on_the_cpu():
    assert values_of(ask, torch.tensor([[2.0]])).tolist() == [[2.0]]


@pytest.mark.parametrize("shape", [(6,), (4, 6)])
def test_a_dropout_of_channels_takes_inputs_that_torch_only_warns_of(shape: tuple[int, ...]):
    assert equal(Plain(nn.Dropout2d(0.5)), *shape) == [True, True, True]


class Masks(nn.Module):
    """Keeps its mask on itself, as the word language model of torch's examples does."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.mask = nn.Embedding(20, 8), None

    def forward(self, x: Tensor) -> Tensor:
        if self.mask is None or self.mask.shape[0] != x.shape[1]:
            size = x.shape[1]
            self.mask = torch.log(torch.tril(torch.ones(size, size)))
        x = self.embed(x)
        return F.scaled_dot_product_attention(x, x, x, attn_mask=self.mask)


def test_a_mask_that_a_run_keeps_is_made_anew_in_the_drawing():
    module = Masks()
    source = with_inputs(module, "Masks", InputSpec())
    assert module.mask is None
    found = import_module(module, source.shapes, "Net", source.dtypes, source.run)
    assert found.unregistered == ()
    judged = compared_with_drawing(module, 12, dtype="int64<20")[0]
    assert [verdict.equal for verdict in judged.values()] == [True, True, True, True]


def turned(x: Tensor) -> Tensor:
    pairs = torch.view_as_complex(x.reshape(-1, 3, 2))
    return torch.view_as_real(pairs * torch.polar(torch.ones(3), torch.ones(3))).flatten(1)


@pytest.mark.parametrize(
    ("call", "name"), [(turned, "polar"), (lambda x: torch.fft.rfft(x).abs(), "fft_rfft")]
)
def test_complex_numbers_are_refused_by_name(call: Any, name: str):
    with pytest.raises(ImportRefused, match=r"computes with complex numbers \(") as refused:
        import_module(Calls(call), [(6,)])
    assert refused.value.hint.startswith("Write real and imaginary parts as two tensors")
    if name == "fft_rfft":
        assert "(fft_rfft)" in refused.value.message


def test_weights_of_float64_are_named_with_the_way_out():
    with pytest.raises(ImportRefused) as refused:
        with_inputs(Plain().double(), "Net", InputSpec())
    assert refused.value.hint == (
        "Its weights are float64, and a drawing takes float32: import model.float()."
    )


def test_the_transpose_of_real_numbers_is_drawn():
    wanted = torch.arange(4.0).reshape(2, 2)
    assert values_of(lambda x: x @ wanted.H, torch.tensor([[1.0, 2.0]])).tolist() == [[2.0, 8.0]]


class Hidden(nn.Module):
    """Layers where torch does not look for them."""

    def __init__(self, layers: Any, width: int = 6) -> None:
        super().__init__()
        self.fc, self.more = nn.Linear(width, width), layers

    def forward(self, x: Tensor) -> Tensor:
        layers = self.more.values() if isinstance(self.more, dict) else self.more
        x = self.fc(x)
        for layer in layers:
            x = layer(x)
        return x


@pytest.mark.parametrize(
    ("layers", "sentence"),
    [
        ([nn.Linear(6, 6)], "list, whose weights torch neither trains nor saves: make it an "
         "nn.ModuleList"),
        ((nn.Linear(6, 6),), "tuple, whose weights torch neither trains nor saves: make it an "
         "nn.ModuleList"),
        ({"a": nn.Linear(6, 6)}, "dictionary, whose weights torch neither trains nor saves: make "
         "it an nn.ModuleDict"),
    ],
)  # fmt: skip
def test_layers_in_a_plain_list_are_reported(layers: Any, sentence: str):
    found = import_module(Hidden(layers), [(6,)])
    assert found.hidden == (f"more holds layers in a plain {sentence}",)


def test_a_large_layer_in_a_plain_list_is_refused_with_the_way_out():
    with pytest.raises(ImportRefused) as refused:
        import_module(Hidden([nn.Linear(80, 80)], 80), [(80,)])
    assert refused.value.hint.endswith("make it an nn.ModuleList.")


def test_a_plain_tensor_that_learns_is_reported():
    module = Plain(width=6)
    module.weight = torch.ones(6, 6, requires_grad=True)  # pyright: ignore
    assert import_module(module, [(6,)]).hidden == (
        "weight is a plain tensor, which torch neither trains nor saves: make it an nn.Parameter",
    )


def test_registered_layers_are_not_reported():
    layers = nn.ModuleList([nn.Linear(6, 6)])
    assert import_module(Hidden(layers), [(6,)]).hidden == ()
    shared = Hidden(layers)
    shared.also = [layers[0]]  # pyright: ignore
    assert import_module(shared, [(6,)]).hidden == ()


def test_a_forward_without_a_return_is_named():
    with pytest.raises(ImportRefused, match="its forward ends without a return"):
        import_module(Plain(lambda x: None), [(6,)])
    with pytest.raises(ImportRefused, match="its forward ends without a return"):
        with_inputs(Plain(lambda x: None), "Net", InputSpec())


class Batch(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 2)


class ByKey(Batch):
    def forward(self, batch: Any) -> Tensor:
        return self.fc(batch["left"]) + self.fc(batch["right"])


class ByName(Batch):
    def forward(self, batch: Any) -> Tensor:
        return self.fc(batch.left)


class ByNumber(Batch):
    def __init__(self) -> None:
        super().__init__()
        self.other = nn.Linear(7, self.fc.out_features)

    def forward(self, pair: Any) -> Tensor:
        return self.fc(pair[0]) + self.other(pair[1])


class ByPlace(Batch):
    def forward(self, pair: Any) -> Tensor:
        left, right = pair
        return self.fc(left) + self.fc(right)


@pytest.mark.parametrize(
    ("module", "hint"),
    [
        (ByKey(), "Its forward reads parts of one argument: pass each one, as in "
         "--input batch.left=SIZES --input batch.right=SIZES."),
        (ByPlace(), "Its forward reads parts of one argument: pass each one, as in "
         "--input pair.0=SIZES --input pair.1=SIZES."),
        (ByNumber(), "Its forward reads parts of one argument: pass each one, as in "
         "--input pair.0=SIZES --input pair.1=SIZES."),
        (ByName(), "Its forward reads batch.left of an object: let forward take a tensor for each, "
         "such as forward(self, left)."),
    ],
)  # fmt: skip
def test_a_batch_that_is_no_tensor_comes_with_what_to_do(module: nn.Module, hint: str):
    with pytest.raises(ImportRefused) as refused:
        import_module(module, [(4,)])
    assert refused.value.hint == hint


def test_a_model_whose_own_backward_fails_keeps_its_drawing():
    judged = compared(Plain(lambda x: x.sigmoid().add_(1)), 6)
    assert [judged[name].equal for name in FIRST] == [True, True]
    step = judged["one training step"]
    assert step.equal is None
    assert step.note.startswith("the original also fails, in its backward pass: ")


def test_lazy_layers_with_statistics_come_in_whatever_is_known_of_the_input():
    net = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2))
    source = with_inputs(net, "Net", InputSpec())
    found = import_module(source.module, source.shapes, "Net", source.dtypes)
    assert found.lazy == ("0", "1", "3")


class OfComplex(nn.Module):
    """Weights of complex numbers, of which forward reads what `part` makes."""

    def __init__(self, part: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.weight, self.part = nn.Parameter(torch.ones(6, 4, dtype=torch.complex64)), part

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.part(self.weight)


@pytest.mark.parametrize(
    ("part", "name"),
    [(lambda w: w.real, "real"), (lambda w: w.abs(), "abs"), (torch.view_as_real, "view_as_real"),
     (lambda w: torch.zeros(6, 4) if w.shape[0] > 9 else w.imag, "imag")],
)  # fmt: skip
def test_weights_of_complex_numbers_are_refused_where_they_are_read(part: Any, name: str):
    with pytest.raises(ImportRefused) as refused:
        import_module(OfComplex(part), [(6,)])
    assert refused.value.message == (
        f"computes with complex numbers ({name}), for which there are no blocks."
    )
    assert refused.value.place.startswith("OfComplex (test_found_outside.py, line ")


@pytest.mark.parametrize("turned", [lambda w: w.H, lambda w: w.mH, torch.adjoint, torch.real])
def test_what_is_of_real_numbers_only_is_drawn(turned: Any):
    module = Plain(lambda x: x @ turned(torch.eye(6)) + turned(x).sum())
    assert equal(module, 6)[0] is True
