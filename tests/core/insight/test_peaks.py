"""Largest values of channels and receptive fields, against plain torch and counts by hand."""

import torch
from torch import nn

from core.analyse import build
from core.insight.features import capture
from core.insight.peaks import peaks, receptive_field, strongest
from tests.core.insight.drawn import lenet, resnet

POOL2 = (5, 5)


def field(report, node: str, place: tuple[int, ...], side: int):
    """The receptive field of one value of a node for a random picture."""
    torch.manual_seed(0)
    module = build(report.source, report.class_name).eval()

    def run(variants):
        return capture(module, report, [variants], [node]).values[node][(slice(None), 0, *place)]

    return receptive_field(run, torch.rand(1, side, side), (1, 2))


def test_receptive_fields_of_lenet_are_those_counted_by_hand() -> None:
    report = lenet()
    assert field(report, "conv1", (0, 0), 28) == ((0, 3), (0, 3))  # 5x5, two of padding
    assert field(report, "conv1", (10, 27), 28) == ((8, 13), (25, 28))
    assert field(report, "pool1", (4, 4), 28) == ((6, 12), (6, 12))  # two of them: 6x6
    assert field(report, "conv2", (3, 5), 28) == ((4, 18), (8, 22))  # 14x14, steps of two
    assert field(report, "pool2", (1, 0), 28) == ((2, 18), (0, 14))
    assert field(report, "fc1", (), 28) == ((0, 28), (0, 28))


def test_a_residual_sees_as_far_as_its_longest_way() -> None:
    report = resnet()
    assert field(report, "stem", (3, 3), 8) == ((3, 6), (3, 6))
    assert field(report, "stage", (3, 3), 8) == ((1, 8), (1, 8))  # 3x3 twice more


def test_what_nothing_is_carried_through_has_no_receptive_field() -> None:
    seen = receptive_field(
        lambda x: torch.nan_to_num(x).sum((1, 2, 3)), torch.rand(1, 4, 4), (1, 2)
    )
    assert seen is None
    assert (
        receptive_field(lambda x: x[:, 0, 0, 0], torch.full((1, 2, 2), torch.nan), (1, 2)) is None
    )
    assert receptive_field(lambda x: x[:, 0, 1, 3], torch.rand(1, 4, 4), (1, 2)) == ((1, 2), (3, 4))


def test_the_largest_values_are_those_of_a_plain_script() -> None:
    report = lenet()
    torch.manual_seed(0)
    module, x = build(report.source, report.class_name).eval(), torch.rand(150, 1, 28, 28)
    found = peaks(module, report, [x], "conv2")
    conv1, conv2 = module.get_submodule("conv1"), module.get_submodule("conv2")
    pool = nn.AvgPool2d(2)
    with torch.no_grad():
        truth = torch.cat([conv2(pool(conv1(part).tanh())) for part in x.split(64)])
    assert found.size == (10, 10)
    assert torch.equal(found.values, truth.amax(dim=(2, 3)))
    best = truth[:, 7].amax(dim=(1, 2)).topk(5)
    assert strongest(found, 7, 5) == best.indices.tolist()
    row, column = found.place(int(best.indices[0]), 7)
    assert truth[best.indices[0], 7, row, column] == best.values[0]


def test_where_time_runs_out_fewer_samples_are_looked_at() -> None:
    report = lenet()
    module = build(report.source, report.class_name).eval()
    found = peaks(module, report, [torch.rand(200, 1, 28, 28)], "conv1", most_s=0.0)
    assert len(found.values) == 64
