"""Numbers of the cards on the tree of modules, pruning and quantisation, in plain torch."""

import pytest
import torch
from torch import Tensor, nn
from torch.ao import quantization
from torch.ao.quantization import MinMaxObserver, PerChannelMinMaxObserver
from torch.func import functional_call
from torch.nn import functional as F

from core.wings.cards.catalogue import CARDS
from tests.wings.cards.conftest import Alone, subject


def walked(part: nn.Module) -> list[nn.Module]:
    """A module and all below it, by the dictionaries that nn.Module keeps."""
    below = [each for child in part._modules.values() if child for each in walked(child)]
    return [part, *below]


def test_the_tree_of_lenet_and_what_to_converts(alone: Alone) -> None:
    values = alone.values("module-tree")
    model = subject("module-tree").model
    assert values["modules"] == len(walked(model)) == 1 + 11
    assert values["tree"][0][:3] == ["(the network)", type(model).__name__, "11"]
    assert ["conv1", "Conv2d", "0", "weight, bias", ""] in values["tree"]
    assert values["converted"] == values["parameters"] == values["same"] == 10
    assert (values["before"], values["after"]) == (4 * 61706, 8 * 61706)
    assert values["rows"][-1] == ["_loose", "attribute", "torch.float32", "torch.float32", "yes"]


def test_counters_of_batch_norm_keep_their_type_and_its_statistics_are_new_tensors(
    alone: Alone,
) -> None:
    values = alone.values("module-tree", "resnet_digits")
    found = walked(subject("module-tree", "resnet_digits").model)
    norms = sum(isinstance(part, nn.BatchNorm2d) for part in found)
    assert norms > 0
    assert values["whole"] == norms
    assert (values["buffers"], values["renewed"]) == (3 * norms, 2 * norms)
    assert values["after"] == 2 * values["before"] - 8 * norms
    said = CARDS["module-tree"].explanation(values)
    assert f"{norms} tensors hold whole numbers" in said
    assert f"{2 * norms} of {3 * norms} buffers are new tensors" in said


def masked_loss(share: float, whole: bool) -> float:
    """The loss of the MLP on iris with the smallest weights at 0, found by sorting."""
    it = subject("pruning-masks", "mlp_iris")
    weights = {name: w.detach() for name, w in it.model.named_parameters()}
    cut = [name for name, w in weights.items() if w.dim() > 1]
    groups = [cut] if whole else [[name] for name in cut]
    for group in groups:
        sizes = torch.cat([weights[name].abs().flatten() for name in group])
        gone = round(share * len(sizes))
        limit = sizes.sort().values[gone]  # what lies below is the share
        weights |= {n: torch.where(weights[n].abs() >= limit, weights[n], 0.0) for n in group}
    return F.cross_entropy(functional_call(it.model, weights, (it.x,)), it.y).item()


@pytest.mark.gate
def test_masks_set_the_smallest_weights_to_zero_in_each_layer_or_in_all(alone: Alone) -> None:
    values = alone.values("pruning-masks", "mlp_iris")
    for place, share in ((1, 0.2), (2, 0.5), (3, 0.8)):
        assert values["by_layer"][place] == pytest.approx(masked_loss(share, False), rel=1e-5)
        assert values["whole"][place] == pytest.approx(masked_loss(share, True), rel=1e-5)
    assert values["by_layer"][0] == values["whole"][0]


def test_three_rounds_leave_an_eighth_and_removed_masks_change_nothing(alone: Alone) -> None:
    values = alone.values("pruning-masks")
    model = subject("pruning-masks").model
    sizes = [w.numel() for w in model.parameters() if w.dim() > 1]
    left = sizes
    for _ in range(3):
        left = [n - round(n / 2) for n in left]
    assert values["weights"] == sum(sizes)
    assert values["remaining"] == pytest.approx(100 * sum(left) / sum(sizes))
    assert values["difference"] == 0.0
    assert values["permanent"] == 4 * 61706
    assert values["with_masks"] - values["permanent"] == 4 * sum(sizes)


def steps(weight: Tensor, observer: nn.Module) -> Tensor:
    """A weight rounded by the scale and zero point of one of torch's observers, in float64."""
    observer(weight)
    scale, zero = observer.calculate_qparams()  # type: ignore[operator]
    shape = (-1, *[1] * (weight.dim() - 1)) if scale.numel() > 1 else (1,) * weight.dim()
    scale, zero = scale.double().view(shape), zero.double().view(shape)
    whole = (weight.double() / scale).round() + zero
    return (whole.clamp(-128, 127) - zero) * scale


@pytest.mark.parametrize("template", ["mlp_iris", "lenet_digits"])
def test_scales_and_errors_are_those_of_observers_of_torch(template: str, alone: Alone) -> None:
    values = alone.values("quantisation-steps", template)
    model = subject("quantisation-steps", template).model
    weights = {name: w.detach() for name, w in model.named_parameters() if w.dim() > 1}
    assert values["names"] == list(weights)
    for place, weight in enumerate(weights.values()):
        whole = MinMaxObserver(dtype=torch.qint8, qscheme=torch.per_tensor_affine)
        each = PerChannelMinMaxObserver(dtype=torch.qint8, qscheme=torch.per_channel_affine)
        for name, observer in (("per_tensor", whole), ("per_channel", each)):
            lies = (steps(weight, observer) - weight).square().mean().sqrt().item()
            assert values[name][place] == pytest.approx(lies, rel=1e-3)
    assert values["against_torch"] < 1e-6
    assert values["small"] == values["full"] // 4 + 4 * len(weights)


@pytest.mark.slow
def test_a_network_in_8_bits_is_that_of_the_other_way_to_convert_it(alone: Alone) -> None:
    it = subject("quantised-network", "mlp_iris")
    values = alone.values("quantised-network", "mlp_iris")
    parts = [getattr(it.model, name) for name in ("fc1", "relu1", "fc2", "relu2", "fc3")]
    stubs = nn.Sequential(quantization.QuantStub(), *parts, quantization.DeQuantStub()).eval()
    fused = quantization.fuse_modules(stubs, [["1", "2"], ["3", "4"]])
    fused.qconfig = quantization.get_default_qconfig(torch.backends.quantized.engine)
    with torch.no_grad():
        expected, observed = it.model(it.x), quantization.prepare(fused)
        observed(it.x)
        lies = (quantization.convert(observed)(it.x) - expected).abs().max().item()
    assert values["difference"] == pytest.approx(lies, rel=1e-4)
    assert (values["quants"], values["dequants"]) == (1, 1)
    names = ["quantize_per_tensor", "LinearReLU", "LinearReLU", "Linear", "dequantize"]
    assert [call[1] for call in values["calls"]] == names


@pytest.mark.slow
def test_a_text_goes_back_to_32_bits_where_no_kernel_takes_8(alone: Alone) -> None:
    values = alone.values("quantised-network", "gpt_text")
    kinds = [call[1] for call in values["calls"]]
    assert kinds[kinds.index("scaled_dot_product_attention") + 1] == "quantize_per_tensor"
    assert values["quants"] > values["dequants"] > 1


def test_outputs_behind_a_relu_start_at_zero_and_so_does_their_range(alone: Alone) -> None:
    values = alone.values("quantisation-steps", "mlp_iris")
    rows = {row[0]: row for row in values["outputs"]}
    assert list(rows) == ["fc1", "relu1", "fc2", "relu2", "fc3"]
    assert rows["relu1"][1].startswith("0 to ")
    assert rows["relu1"][3] == "-128"
    assert rows["fc1"][3] != "-128"
