"""Run a block's own statements on real values, as they stand in the source."""

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
    """Run a block of one input in evaluation mode. Raises what torch raises."""
    chosen = {**block.defaults, **settings}
    text = express(block, chosen, {block.inputs[0].name: "values"}, module="module")
    audit_expression(text.replace("module(", "self.module(", 1))
    space: dict[str, Any] = {**NAMES, "values": values}
    if block.init:
        made = _evaluate(ast.parse(audit_text(construct(block, chosen)), mode="eval"), NAMES)
        space["module"] = made.eval() if isinstance(made, nn.Module) else made
    with torch.no_grad():
        return _evaluate(ast.parse(text, mode="eval"), space)


def audit_text(text: str) -> str:
    """Give back a text that the audit lets pass. Raises what the audit raises."""
    audit_expression(text)
    return text


def _evaluate(tree: ast.Expression, space: Mapping[str, Any]) -> Any:
    builtins = {"__import__": __import__}  # torch imports its own parts on first use
    return eval(
        compile(tree, "<expression>", "eval"), {"__builtins__": builtins, "float": float}, space
    )
