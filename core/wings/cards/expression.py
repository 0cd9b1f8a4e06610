"""What may be typed on the tensor bench: one expression over the sample and the weights.

A grammar of its own, an allow-list: numbers, slices, arithmetic, comparisons, and the functions and
methods below, none of which writes into a tensor or reads a file. What passes is Python that the
card's text holds as it stands. Imports no torch.
"""

import ast
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from core.common.errors import LayerloomError
from core.graph.names import MODULE_ATTRIBUTES
from core.wings.cards.drawing import Drawing

LONGEST = 300
"""Letters of an expression."""
LARGEST = 10**9
"""The largest whole number in an expression."""
NAMES = ("x", "output")
"""The batch, and what the network answers for it."""
PROPERTIES = frozenset("shape dtype T mT H real ndim requires_grad is_leaf nbytes itemsize".split())
TYPES = frozenset(
    "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64".split()
)
CALCULATES = frozenset(
    """abs all allclose amax amin any argmax argmin argsort bmm broadcast_to ceil chunk clamp clone
    cos count_nonzero cumprod cumsum diagonal diff dot eq equal exp expand_as flatten flip floor
    gather ge gt index_select inner isclose isfinite isinf isnan kthvalue le log log1p
    logical_and logical_not logical_or logsumexp lt masked_fill masked_select matmul max maximum
    mean median min minimum mm movedim mul mv narrow ne neg nonzero norm outer permute pow prod
    quantile reciprocal relu reshape roll round rsqrt scatter sigmoid sign sin softmax sort split
    sqrt square squeeze std sub sum swapaxes t take_along_dim tan tanh tensor_split tile topk
    transpose tril triu unbind unflatten unfold unique unsqueeze var where""".split()
)
"""What is a function of torch and a method of a tensor alike."""
METHODS = CALCULATES | frozenset(
    """add bool contiguous cpu detach dim double element_size expand float half int is_contiguous
    item long numel repeat size storage_offset stride to type_as view view_as""".split()
)
FUNCTIONS = CALCULATES | frozenset(
    """add arange as_strided cat einsum eye full full_like linspace ones ones_like stack tensor
    tensordot zeros zeros_like""".split()
)
SPELLED = re.compile(r"[A-Za-z0-9 ,.>|-]{0,60}")
"""The strings that functions take: the letters of einsum and the names of modes."""
PARTS = (
    ast.BinOp, ast.UnaryOp, ast.Compare, ast.Tuple, ast.List, ast.Slice, ast.operator, ast.unaryop,
    ast.cmpop, ast.expr_context,
)  # fmt: skip
"""Parts of Python that mean what they mean for numbers."""
REFUSED = (ast.Not, ast.Is, ast.IsNot, ast.In, ast.NotIn)
INSTEAD = "Write numbers, slices, arithmetic, comparisons, and functions or methods of torch."


class BenchError(LayerloomError):
    """Why an expression is not read; `hint`: what to write instead."""


def names_of(drawing: Drawing) -> tuple[str, ...]:
    """Some names that an expression may use on a drawing: the batch, the answer, a weight."""
    weighted = (path for path, part in drawing.parts.items() if part.params)
    spelled = (_indexed(path) for path in weighted)
    found = [f"{path}.weight" for path in spelled if "[" not in path]
    return (*NAMES, *found[:2])


def python_of(text: str, drawing: Drawing) -> str:
    """Read an expression; return it as Python over `x`, `output` and `model`.

    A tensor of a block is named as on the drawing, `fc1.weight`, and in Python `model.fc1.weight`.
    Raises BenchError naming the part that is not read.
    """
    if len(text) > LONGEST:
        raise BenchError(
            f"The expression has {len(text)} letters, and the most is {LONGEST}.", "Shorten it."
        )
    try:
        body = ast.parse(text.strip(), mode="eval").body
        return ast.unparse(_Reader(drawing).visit(body))
    except SyntaxError as error:
        where = f" at letter {error.offset}" if error.offset else ""
        raise BenchError(
            f"The expression cannot be read{where}: {error.msg}.",
            "Write one expression, such as x[0] or x.flatten(1).shape.",
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise BenchError("The expression is too deep to be read.", "Shorten it.") from error


class _Reader(ast.NodeTransformer):
    """Walks an expression; every part that is not listed is refused."""

    def __init__(self, drawing: Drawing) -> None:
        self.modules: Mapping[str, Any] = drawing.parts
        nodes: Mapping[str, Any] = drawing.report["nodes"]
        self.weights = {path for path, n in nodes.items() if n["init"].startswith("nn.Parameter(")}
        self.roots = {path.partition(".")[0] for path in (*drawing.parts, *self.weights)}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, PARTS) or isinstance(node, REFUSED):
            words = ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__
            raise BenchError(f"The bench does not read {words[:60]}.", INSTEAD)
        return super().generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        value = node.value
        if isinstance(value, str) and not SPELLED.fullmatch(value):
            raise BenchError(f"The bench does not read the text {value[:40]!r}.", INSTEAD)
        if isinstance(value, int | float) and not abs(value) <= LARGEST:
            raise BenchError(
                f"The number {str(value)[:20]} is larger than {LARGEST:,}.", "Write a smaller one."
            )
        if isinstance(value, bytes):
            raise BenchError("The bench does not read bytes.", INSTEAD)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in NAMES:
            return node
        if node.id in self.weights:
            return _below_model(node)
        if node.id in self.roots:
            raise BenchError(
                f"{node.id} is a block, not a tensor.", f"Name a tensor of it: {node.id}.weight."
            )
        raise BenchError(
            f"There is no tensor called {node.id}.",
            "x is the batch, output the network's answer; a weight is named as fc1.weight.",
        )

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "torch":
            return _listed(node, TYPES, "The bench has no type torch.{}")
        path = _path(node)
        owner, _, name = path.rpartition(".")
        if path in self.weights and name not in PROPERTIES:
            return _below_model(node)
        if owner in self.modules:
            if name.startswith("_") or name in MODULE_ATTRIBUTES or path in self.modules:
                raise BenchError(
                    f"{path} is not a tensor.", f"Name a tensor of the block: {owner}.weight."
                )
            return _below_model(node)
        node.value = self.visit(node.value)
        return _listed(node, PROPERTIES, "The bench reads no attribute .{}")

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        path = _path(node)
        if path.partition(".")[0] in self.roots and _inner(path, self.modules):
            raise BenchError(
                f"{ast.unparse(node)} is a block, not a tensor.",
                "Name a tensor of it, such as .weight.",
            )
        node.value, node.slice = self.visit(node.value), self.visit(node.slice)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func
        if not isinstance(called, ast.Attribute):
            raise BenchError(
                f"The bench does not call {ast.unparse(called)[:40]}.",
                "Call a function of torch, as torch.cat([x, x]), or a method, as x.sum().",
            )
        if isinstance(called.value, ast.Name) and called.value.id == "torch":
            _listed(called, FUNCTIONS, "The bench has no function torch.{}")
        else:
            called.value = self.visit(called.value)
            _listed(called, METHODS, "The bench has no method .{}()")
        node.args = [self.visit(each) for each in node.args]
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg == "out" or keyword.arg.startswith("_"):
                raise BenchError(f"The bench does not read {ast.unparse(keyword)[:40]}.", INSTEAD)
            keyword.value = self.visit(keyword.value)
        return node


def _listed(node: ast.Attribute, allowed: frozenset[str], message: str) -> ast.Attribute:
    """The attribute, where the list has it. Raises BenchError."""
    if node.attr not in allowed:
        found = get_close_matches(node.attr.rstrip("_"), sorted(allowed), n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(found)}?" if found else INSTEAD
        raise BenchError(f"{message.format(node.attr)}.", hint)
    return node


def _path(node: ast.AST) -> str:
    """The dotted path of attributes and whole indices, "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        outer = _path(node.value)
        return f"{outer}.{node.attr}" if outer else ""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        outer = _path(node.value)
        return f"{outer}.{node.slice.value}" if outer and type(node.slice.value) is int else ""
    return ""


def _inner(path: str, modules: Mapping[str, Any]) -> bool:
    """Whether a path leads to a block or to blocks below it."""
    return any(each == path or each.startswith(f"{path}.") for each in modules)


def _below_model(node: ast.expr) -> ast.expr:
    """The same path, of `model`."""
    return ast.parse(f"model.{ast.unparse(node)}", mode="eval").body


def _indexed(path: str) -> str:
    """A path as Python has it: blocks.0.fc is blocks[0].fc."""
    return re.sub(r"\.(\d+)", r"[\1]", path)
