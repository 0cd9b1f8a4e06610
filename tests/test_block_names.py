"""A block is one declaration: outside blocks/ nothing lists blocks by name, it asks for traits."""

import ast
from collections.abc import Iterator
from pathlib import Path

from blocks import CATALOGUE
from tests.test_house import OURS, name, tree

NAMES = {block.name for block in CATALOGUE.values() if block.family != "loss"}
"""Losses are what one trains with, too, and have declarations of their own in core/tasks."""
TORCH = ("core/wings/importing/", "core/export/onnx_low_precision.py", "core/wings/cards/scripts/",
         "core/wings/cards/expression.py")  # fmt: skip
"""These read and write names of PyTorch's and ONNX's functions and classes."""
ENDS = {"Input", "Output"}
"""The two structural blocks, which a graph cannot do without."""
WRITTEN = {"core/source/loops.py: join.name != 'cat'"}
"""What folds a chain of blocks into a loop writes the call itself."""


def outside() -> Iterator[tuple[str, ast.AST]]:
    """Everything in core and app that could name a block."""
    for path in OURS:
        where = name(path)
        if not where.startswith(("blocks/", *TORCH)):
            yield from ((where, node) for node in ast.walk(tree(path)))


def strings(nodes: Iterator[ast.AST | None] | list[ast.expr]) -> list[str]:
    """The texts among some nodes."""
    constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return [value for value in constants if isinstance(value, str)]


def listed(node: ast.AST) -> list[str]:
    """What a list, a set, a table or the words of a text hold."""
    if isinstance(node, ast.List | ast.Set | ast.Tuple):
        return strings(node.elts)
    if isinstance(node, ast.Dict):
        return strings(key for key in node.keys if key)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        split = node.func.attr == "split" and not node.args
        return [word for text in strings([node.func.value]) * split for word in text.split()]
    return []


def is_list_of_blocks(words: list[str]) -> bool:
    """Whether at least two words, half of them all, are blocks and one can be nothing else."""
    found = {word for word in words if word in NAMES}
    sure = any(word[0].isupper() or "_" in word for word in found)
    return len(found) >= 2 and 2 * len(found) >= len(words) and sure


def lists(nodes: Iterator[tuple[str, ast.AST]]) -> list[str]:
    return [f"{where}: {ast.unparse(node)[:80]}" for where, node in nodes
            if is_list_of_blocks(listed(node))]  # fmt: skip


def comparisons(nodes: Iterator[tuple[str, ast.AST]]) -> set[str]:
    """Where a block is compared with names, an end of the graph aside."""
    found = set[str]()
    for where, node in nodes:
        if not isinstance(node, ast.Compare):
            continue
        right = node.comparators[0]
        words = strings([node.left, *node.comparators]) + listed(right)
        about = ast.unparse(node.left).lower()
        if set(words) & (NAMES - ENDS) and ("block" in about or about.endswith("join.name")):
            found.add(f"{where}: {ast.unparse(node)}")
    return found


def test_nothing_outside_blocks_lists_blocks_by_name() -> None:
    assert lists(outside()) == []


def test_nothing_outside_blocks_compares_a_block_with_a_name_but_for_ends() -> None:
    assert comparisons(outside()) - WRITTEN == set()


def test_the_rule_sees_lists_tables_words_and_comparisons() -> None:
    text = """
A = ("ReLU", "Tanh", "relu")
B = frozenset("Conv1d Conv2d other".split())
C = {"Linear": "out_features", "Bilinear": ""}
D = ("mean", "std")
E = node.block == "Linear" or node.block in ("div", "pow") or node.block == "Input"
"""
    nodes = [("x", node) for node in ast.walk(ast.parse(text))]
    assert [found[3:].strip() for found in sorted(lists(iter(nodes)))] == [
        "'Conv1d Conv2d other'.split()",
        "('ReLU', 'Tanh', 'relu')",
        "{'Linear': 'out_features', 'Bilinear': ''}",
    ]
    assert comparisons(iter(nodes)) == {
        "x: node.block == 'Linear'",
        "x: node.block in ('div', 'pow')",
    }


def test_the_canvas_knows_ends_in_one_place() -> None:
    source = Path(__file__).parents[1] / "app/canvas/frontend/src"
    found = {
        path.name
        for path in source.rglob("*.ts*")
        if '"Input", "Output"]' in path.read_text("utf-8")
        or 'block === "Input" ||' in path.read_text("utf-8")
        or 'block !== "Input" &&' in path.read_text("utf-8")
    }
    assert found == {"graph.ts"}
