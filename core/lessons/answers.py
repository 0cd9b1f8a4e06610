"""What torch answers to the question of a step, and how its number comes about."""

from collections.abc import Mapping
from math import prod
from typing import Any

import torch

from blocks import CATALOGUE
from core.analyse import NodeReport, Report, analyse, build, report_json
from core.graph import GraphError
from core.graph.edits import apply
from core.lessons.model import Predict
from core.lessons.read import FOLDER, read_lesson
from core.lessons.sliding import sliding_lines
from core.project.messages import fail
from core.project.templates import load_template

MOST_LINES = 14


def answer(lesson: str, step: str) -> dict[str, Any]:
    """Answer the question of a step: {"right": sizes or [number], "lines": how, "formula": TeX}.

    Raises ProjectError where the lesson has no such question, or its edits do not fit.
    """
    found = read_lesson(FOLDER / f"{lesson}.json")
    asked = found.step(step)
    if asked is None or asked.predict is None:
        fail(lesson, f"asks nothing in a step {step}.", "Reload the page.")
    return solve(found.template, asked.predict)


def solve(template: str, asked: Predict) -> dict[str, Any]:
    """Answer a question on a template. Raises ProjectError."""
    project = load_template(template)
    try:
        report = analyse(apply(project.graph, asked.edits), project.name)
    except (GraphError, KeyError, TypeError) as error:
        fail(template, f"cannot be edited as asked: {error}.", "Mend the lesson.")
    node = report.nodes.get(asked.node)
    if not report.ok or (node is None and asked.what != "total"):
        hint = "Mend the lesson."
        fail(template, f"has errors after the edits, or no node {asked.node}.", hint)
    if node is None:
        return {"right": [report.total_params], "lines": _total(report), "formula": ""}
    if asked.what == "params":
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
    return [*lines, f"together {report.total_params:,}"]


def _weights(report: Report, node: NodeReport) -> list[str]:
    """The tensors that a node learns."""
    lines = _tensors(report, f"{node.path}.")
    if not lines:
        return [f"{node.path} learns no numbers: {node.block} only calculates."]
    if (more := len(lines) - MOST_LINES) > 0:
        lines = [*lines[:MOST_LINES], f"and {more} more tensors"]
    return [*lines, f"together {node.params:,}"] if len(lines) > 1 else lines


def _tensors(report: Report, inside: str) -> list[str]:
    """Learned tensors under a path, as the module built from the source holds them."""
    assert report.source is not None  # there is no error
    with torch.device("meta"):
        module = build(report.source)
    found = ((k, p) for k, p in module.named_parameters() if k.startswith(inside))
    return [f"{name.removeprefix(inside)}: {_product(p.shape)}" for name, p in found]


def _product(sizes: Any) -> str:
    numbers = " · ".join(f"{size:,}" for size in sizes)
    return f"{numbers} = {prod(sizes):,}" if len(sizes) > 1 else numbers


def _shape(node: NodeReport, right: list[int]) -> list[str]:
    """What comes in, what the block makes of it, what goes out."""
    block = CATALOGUE.get(node.block)
    lines = [f"{came} goes into {node.path}" for came in _inputs(node)]
    if block is not None and block.shape_out:
        lines.append(f"{node.block} gives {block.shape_out}{_filled(block.shape_out, node)}")
    lines += sliding_lines(node, right)
    if node.block == "flatten" and len(right) == 1:
        lines += [_product(came.shape[1:]) for came in _inputs(node)]
    return [*lines, f"({', '.join(['N', *map(str, right)])}) leaves {node.path}"]


def _inputs(node: NodeReport) -> list[Any]:
    found: list[Any] = []
    for came in node.inputs.values():
        found += came if isinstance(came, tuple) else [came]
    return found


def _filled(text: str, node: NodeReport) -> str:
    """The settings that a rule names, with their numbers: ", out_channels = 6"."""
    settings: Mapping[str, Any] = node.settings
    named = [n for n, v in settings.items() if n in text and isinstance(v, int)]
    return "".join(f", {name} = {settings[name]}" for name in named)
