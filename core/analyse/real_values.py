"""Run a block's own statements on real tensors, as they stand in the source."""

import ast
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from blocks import Block
from core.analyse.calls import NAMES
from core.source.audit import audit_expression
from core.source.statement import construct, express


def run_on(block: Block, settings: Mapping[str, Any], values: torch.Tensor) -> torch.Tensor:
    """Run a block of one input in eval mode. Raises what torch raises."""
    chosen = {**block.defaults, **settings}
    text = express(block, chosen, {block.inputs[0].name: "values"}, module="module")
    audit_expression(text.replace("module(", "self.module(", 1))
    space: dict[str, Any] = {**NAMES, "values": values}
    if block.init:
        module = construct_module(block, chosen)
        space["module"] = module.eval() if isinstance(module, nn.Module) else module
    with torch.no_grad():
        return _evaluate(ast.parse(text, mode="eval"), space)


def construct_module(block: Block, settings: Mapping[str, Any]) -> Any:
    """Construct a block's module with real values. Raises what torch raises."""
    text = construct(block, {**block.defaults, **settings})
    return _evaluate(ast.parse(audited(text), mode="eval"), NAMES)


def audited(text: str) -> str:
    """The text, if the audit lets it pass. Raises what the audit raises."""
    audit_expression(text)
    return text


def _evaluate(tree: ast.Expression, space: Mapping[str, Any]) -> Any:
    builtins = {"__import__": __import__}  # torch imports its own parts on first use
    return eval(
        compile(tree, "<expression>", "eval"), {"__builtins__": builtins, "float": float}, space
    )
