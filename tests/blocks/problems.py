"""What is said about a block with given wires and settings."""

from typing import Any

from blocks import CATALOGUE, N, Problem, Signature
from blocks.checks import block_problems, block_warnings
from blocks.spec import Block
from blocks.validate import setting_problems
from tests.blocks.torch_truth import complete


def wire(*shape: Any, dtype: str = "float32") -> Signature:
    """A batch of the given sample sizes."""
    return Signature((N, *shape), dtype)


def only(problems: list[Problem]) -> Problem:
    assert len(problems) == 1, problems
    return problems[0]


def problem(name: str, inputs: dict[str, Any], **given: Any) -> Problem:
    """The one problem of a block with these wires and settings, over its palette settings."""
    block: Block = CATALOGUE[name]
    chosen = {**block.start, **given}
    assert setting_problems(block, chosen) == []
    return only(block_problems(block, complete(block, chosen, inputs), inputs))


def warning(name: str, inputs: dict[str, Any], **given: Any) -> Problem:
    block = CATALOGUE[name]
    full = complete(block, {**block.start, **given}, inputs)
    assert block_problems(block, full, inputs) == []
    return only(block_warnings(block, full, inputs))


def titles(found: Problem) -> list[str]:
    return [fix.title for fix in found.fixes]
