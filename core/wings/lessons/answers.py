"""Solutions to the questions of lessons, computed by torch, with the calculation.

The size that a sliding window leaves is shown as torch's documented formula with the numbers put
in; a line that does not come to torch's own answer is not shown.
"""

from collections.abc import Mapping
from math import prod
from typing import Any

import torch

from blocks import CATALOGUE, Signature, declaration, has
from core.analyse import NodeReport, Report, analyse, build, report_json
from core.files.messages import fail
from core.graph import GraphError
from core.graph.edits import apply
from core.project.templates import load_template
from core.wings.lessons.model import Predict
from core.wings.lessons.read import FOLDER, read_lesson

MOST_LINES = 14


def answer(lesson: str, step: str) -> dict[str, Any]:
    """Answer the question of a step: {"right": sizes or [number], "lines": how, "formula": TeX}.

    Raises ProjectError where the lesson has no such question, or its edits do not fit.
    """
    content = read_lesson(FOLDER / f"{lesson}.json")
    asked = content.step(step)
    if asked is None or asked.predict is None:
        fail(lesson, f"has no question in step {step}.", "Reload the page.")
    return solve(content.template, asked.predict)


def solve(template: str, question: Predict) -> dict[str, Any]:
    """Answer a question on a template. Raises ProjectError."""
    project = load_template(template)
    try:
        report = analyse(apply(project.graph, question.edits), project.name)
    except (GraphError, KeyError, TypeError) as error:
        fail(template, f"cannot be edited as the lesson requires: {error}.", "Fix the lesson file.")
    node = report.nodes.get(question.node)
    if not report.ok or (node is None and question.what != "total"):
        hint = "Fix the lesson file."
        fail(template, f"has errors after the edits, or no node {question.node}.", hint)
    if node is None:
        return {"right": [report.total_params], "lines": _total(report), "formula": ""}
    if question.what == "params":
        return {"right": [node.params], "lines": _weights(report, node), "formula": ""}
    right = _sizes(report, node)
    block = CATALOGUE.get(node.block)
    lines = _shape(node, right)
    return {"right": right, "lines": lines, "formula": block.formula if block else ""}


def _sizes(report: Report, node: NodeReport) -> list[int]:
    outputs = report_json(report)["nodes"][node.path]["outputs"]
    return next(iter(outputs.values()))["shape"][1:]


def _total(report: Report) -> list[str]:
    """Every tensor of the network; of a larger one the parameters of each node, then their sum."""
    lines = _tensors(report, "")
    owners = [n for path, n in report.nodes.items() if "." not in path and n.params]
    if len(lines) > MOST_LINES:
        lines = [f"{n.path}: {n.params:,}" for n in owners]
    return [*lines, f"total {report.total_params:,}"]


def _weights(report: Report, node: NodeReport) -> list[str]:
    """The tensors that a node learns."""
    lines = _tensors(report, f"{node.path}.")
    if not lines:
        return [f"{node.path} has no parameters: {node.block} only calculates."]
    if (more := len(lines) - MOST_LINES) > 0:
        lines = [*lines[:MOST_LINES], f"and {more} more tensors"]
    return [*lines, f"total {node.params:,}"] if len(lines) > 1 else lines


def _tensors(report: Report, inside: str) -> list[str]:
    """Learned tensors under a path, as the module built from the source holds them."""
    assert report.source is not None  # there is no error
    with torch.device("meta"):
        module = build(report.source)
    tensors = ((k, p) for k, p in module.named_parameters() if k.startswith(inside))
    return [f"{name.removeprefix(inside)}: {_product(p.shape)}" for name, p in tensors]


def _product(sizes: Any) -> str:
    numbers = " · ".join(f"{size:,}" for size in sizes)
    return f"{numbers} = {prod(sizes):,}" if len(sizes) > 1 else numbers


def _shape(node: NodeReport, right: list[int]) -> list[str]:
    """What comes in, what the block makes of it, what goes out."""
    block = CATALOGUE.get(node.block)
    lines = [f"{node.path} takes {came}" for came in _inputs(node)]
    if block is not None and block.shape_out:
        lines.append(f"{node.block} outputs {block.shape_out}{_filled(block.shape_out, node)}")
    lines += sliding_lines(node, right)
    if has(node.block, "flattens") and len(right) == 1:
        lines += [_product(came.shape[1:]) for came in _inputs(node)]
    return [*lines, f"{node.path} outputs ({', '.join(['N', *map(str, right)])})"]


def _inputs(node: NodeReport) -> list[Any]:
    inputs: list[Any] = []
    for came in node.inputs.values():
        inputs += came if isinstance(came, tuple) else [came]
    return inputs


def _filled(text: str, node: NodeReport) -> str:
    """The settings that a rule names, with their numbers: ", out_channels = 6"."""
    settings: Mapping[str, Any] = node.settings
    named = [n for n, v in settings.items() if n in text and isinstance(v, int)]
    return "".join(f", {name} = {settings[name]}" for name in named)


DIMS = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}


def sliding_lines(node: NodeReport, right: list[int]) -> list[str]:
    """A line for each direction of a convolution or pooling; none for other blocks."""
    block, came = declaration(node.block), node.inputs.get("input")
    slides = has(node.block, "convolves", "pools") and block.setting("stride") is not None
    if not slides or not isinstance(came, Signature) or (came.rank,) != block.inputs[0].rank:
        return []
    dims = came.rank - 2
    rows = zip(DIMS[dims], came.shape[2:], right[1:], _windows(node, dims), strict=True)
    lines = [_line(name, size, after, *window) for name, size, after, window in rows]
    if len(lines) == 2 and lines[0].partition(":")[2] == lines[1].partition(":")[2]:
        return [f"height and width:{lines[0].partition(':')[2]}"] if lines[0] else []
    return [line for line in lines if line]


def _windows(node: NodeReport, dims: int) -> list[tuple[Any, Any, Any, Any]]:
    """Kernel, stride, padding and dilation in each direction."""
    kernel = node.settings["kernel_size"]
    stride = node.settings.get("stride")
    settings = (
        kernel,
        kernel if stride is None else stride,
        node.settings.get("padding", 0),
        node.settings.get("dilation", 1),
    )
    columns = [v if isinstance(v, tuple) else (v,) * dims for v in settings]
    return list(zip(*columns, strict=True))


def _line(
    name: str, size: Any, right: int, kernel: Any, stride: Any, padding: Any, dilation: Any
) -> str:
    if not all(isinstance(v, int) for v in (size, kernel, stride, padding, dilation)):
        return ""  # padding "same" or "valid", a size of unknown length
    reach = size + 2 * padding - dilation * (kernel - 1) - 1
    if reach // stride + 1 != right:
        return ""
    top = f"{size} + 2·{padding} - {dilation}·({kernel} - 1) - 1"
    return f"{name}: ⌊({top}) / {stride}⌋ + 1 = ⌊{reach} / {stride}⌋ + 1 = {right}"
