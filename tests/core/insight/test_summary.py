"""The summary's numbers are torchinfo's and torch's, and its table reads like torchinfo's."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import torchinfo
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from core.analyse import Report, analyse, build
from core.analyse.report import size
from core.graph import Edge, Graph, Node
from core.insight.summary import Summary, summary
from core.insight.summary_table import readable, write_table
from core.project import open_project
from tests.core.insight.drawn import DRAWINGS, lenet, resnet, same_totals, shared

TEMPLATES = sorted((Path(__file__).parents[3] / "projects").glob("*.loom.json"))


def torchinfo_of(report: Report, batch: int) -> torchinfo.ModelStatistics:
    module = build(report.source or "", report.class_name)
    inputs: list[Tensor] = [
        torch.rand(size(s, batch)) if s.floating else torch.zeros(size(s, batch), dtype=torch.long)
        for _, s in report.inputs
    ]
    columns = ("output_size", "num_params", "mult_adds")
    rows = ("depth", "var_names")
    return torchinfo.summary(
        module, input_data=inputs, col_names=columns, row_settings=rows, verbose=0
    )


@pytest.mark.gate
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("name", DRAWINGS)
def test_every_total_is_torchinfo_s_to_the_digit(name: str, batch: int) -> None:
    report = DRAWINGS[name]()
    got, truth = summary(report, batch), torchinfo_of(report, batch)
    same_totals(got, truth)


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_analysis_counts_the_same_mult_adds_for_one_sample(name: str) -> None:
    report = DRAWINGS[name]()
    got = summary(report, 1)
    assert got.mult_adds == report.mult_adds
    assert {r.id: r.mult_adds for r in got.rows} == {
        path: n.mult_adds for path, n in report.nodes.items() if n.block not in ("Input", "Output")
    }


MULT_ADDS = re.compile(r"( {2,}[\d,]+| {2,}--)$")


def numbers(text: str) -> list[str]:
    """The rows and totals that torchinfo prints, but for mult-adds and what counts Python's own."""
    skip = ("Input size", "Estimated Total", "=", "Total mult-adds", "Kept for backward")
    lines = [line.rstrip() for line in text.splitlines()]
    kept = [line for line in lines if not line.startswith(skip) and "flatten (" not in line]
    return [MULT_ADDS.sub("", line) for line in kept]


def test_the_table_of_lenet_is_torchinfo_s_line_for_line() -> None:
    report = lenet()
    ours, theirs = write_table(summary(report)), str(torchinfo_of(report, 1))
    assert numbers(ours) == numbers(theirs.replace("Net (Net)", "Net      "))


def test_the_table_of_lenet_reads_like_this() -> None:
    assert write_table(summary(lenet())).splitlines()[3:6] == [
        "Net                                      [1, 10]                   "
        "--                        --",
        "├─Conv2d (conv1): 1-1                    [1, 6, 28, 28]            "
        "156                       117,600",
        "├─Tanh (tanh1): 1-2                      [1, 6, 28, 28]            "
        "--                        --",
    ]
    assert write_table(summary(lenet())).splitlines()[-12:-1] == [
        "Total params: 61,706",
        "Trainable params: 61,706",
        "Non-trainable params: 0",
        "Total mult-adds (k): 416.52",
        "Total mult-adds as torchinfo 1.8 counts (k): 423.04 (with biases, which are left"
        " out above; Linear once a sample; no attention products)",
        "=" * 115,
        "Input size (MB): 0.00",
        "Forward/backward pass size (MB): 0.05",
        "Params size (MB): 0.25",
        "Estimated Total Size (MB): 0.30",
        "Kept for backward (MB): 0.04 (by autograd in training; not torchinfo's)",
    ]


def by_id(found: Summary) -> dict[str, tuple[int, int, int]]:
    return {row.id: (row.depth, row.params, row.mult_adds) for row in found.rows}


def test_composites_are_nested_and_hold_the_sum_of_their_parts() -> None:
    rows = by_id(summary(resnet()))
    assert rows["stage"] == (1, 296, 10_368)  # two of 144 weights at 36 positions
    assert rows["stage.0"] == (2, 148, 5_184)
    assert rows["stage.0.conv1"] == (3, 148, 5_184)
    assert rows["stage.0.join"] == (3, 0, 0)
    assert rows["last.conv1"] == (2, 148, 5_184)


def test_shared_weights_count_once_and_compute_twice() -> None:
    got = summary(shared(), batch=2)
    assert got.total_params == 20
    assert by_id(got) == {"fc1": (1, 20, 32), "relu": (1, 0, 0), "again": (1, 0, 32)}


def test_memory_is_counted_for_the_batch_and_the_optimiser() -> None:
    adam = summary(lenet(), 2, {"optimizer": "AdamW"}).memory
    assert adam.parameters_bytes == adam.gradients_bytes == 4 * 61_706
    assert adam.optimizer_bytes == 2 * 4 * 61_706 + 10 * 4  # and ten step counters
    # values after each layer: 2 x 6 x 28 x 28, 6 x 14 x 14, 2 x 16 x 10 x 10, 2 x 400 and so on
    values = 2 * 4704 + 1176 + 2 * 1600 + 2 * 400 + 2 * 120 + 2 * 84 + 10
    assert adam.activations_bytes == 2 * 4 * values
    plain = {"optimizer": "SGD"}
    heavy = {"optimizer": "SGD", "optimizer_settings": {"momentum": 0.9}}
    assert summary(lenet(), 1, plain).memory.optimizer_bytes == 0
    assert summary(lenet(), 1, heavy).memory.optimizer_bytes == 4 * 61_706


def test_the_json_has_the_keys_of_the_contract() -> None:
    got = summary(lenet()).json()
    assert {"input", "total_params", "trainable_params", "mult_adds", "rows", "memory"} <= set(got)
    assert got["input"] == [{"node": "image", "shape": ["N", 1, 28, 28], "dtype": "float32"}]
    row = got["rows"][0]
    assert (row["id"], row["block"], row["depth"]) == ("conv1", "Conv2d", 1)
    assert row["output_shape"] == [1, 6, 28, 28]
    assert row["activation_bytes"] == 4 * 6 * 28 * 28


def test_a_network_with_errors_has_no_summary() -> None:
    with pytest.raises(ValueError, match="without errors"):
        summary(analyse(Graph({})))


def test_large_counts_are_written_in_readable_units() -> None:
    texts = [readable(n) for n in (0, 96, 2_000_000, 416_520, 4_089_184_256, 3 * 10**12)]
    assert texts == [": 0", ": 96", " (M): 2", " (k): 416.52", " (G): 4.09", " (T): 3"]


def torch_s(module: nn.Module, report: Report, batch: int) -> float:
    """What torch's own counter makes of a module without the drawing."""
    with torch.device("meta"):
        inputs = [torch.zeros(size(s, batch), dtype=dtype_of(s)) for _, s in report.inputs]
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        module.to("meta").eval()(*inputs)
    return counter.get_total_flops() / 2


def dtype_of(signature: Any) -> torch.dtype:
    return getattr(torch, signature.dtype)


def test_attention_and_linear_on_a_sequence_are_counted_whole() -> None:
    report = analyse(open_project(TEMPLATES[0].with_name("gpt_text.loom.json")).graph)
    found = summary(report)
    assert (found.mult_adds, found.torchinfo_mult_adds) == (7_733_248, 112_480)
    assert report.mult_adds == 7_733_248 == torch_s(build(report.source or ""), report, 1)


def test_what_torch_cannot_count_is_named() -> None:
    nodes = {
        "a": Node("Input", {"shape": (4,)}),
        "b": Node("Input", {"shape": (5,)}),
        "pair": Node("Bilinear", {"out_features": 3}),
        "out": Node("Output"),
    }
    wires = [("a", "pair", "input1"), ("b", "pair", "input2"), ("pair", "out", "input")]
    graph = Graph(nodes, tuple(Edge(a, "output", b, port) for a, b, port in wires))
    found = summary(analyse(graph))
    assert found.json()["uncounted"] == ["pair"]
    assert "Not counted, as torch's counter cannot: pair" in write_table(found)


@pytest.mark.slow(keep=["lenet_digits", "vit_digits"])
@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name.split(".")[0])
def test_every_total_of_a_template_is_torchinfo_s_to_the_digit(file: Path) -> None:
    report = analyse(open_project(file).graph)
    got, truth = summary(report, 2), torchinfo_of(report, 2)
    assert (got.total_params, got.trainable_params, got.torchinfo_mult_adds) == (
        truth.total_params,
        truth.trainable_params,
        truth.total_mult_adds,
    )
    assert got.sizes.forward_backward == truth.total_output_bytes
    counted = torch_s(build(report.source or "", report.class_name), report, 2)
    assert got.mult_adds == pytest.approx(counted, rel=0.005)
    assert 2 * report.mult_adds == pytest.approx(counted, rel=0.005)
