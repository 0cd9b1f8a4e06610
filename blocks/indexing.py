"""Parts of tensors: taking them, cutting into pieces, writing to them; sizes as integers."""

from dataclasses import replace
from typing import Any

from blocks.checks.arrange import cuts_batch
from blocks.checks.dims import in_range
from blocks.checks.joins import no_booleans
from blocks.checks.scattered import entry_for_each, one_value
from blocks.checks.text import calculates, holes, wired
from blocks.shared import (
    ANY,
    DIMS,
    TENSOR,
    dimension,
    flag,
    operand,
    operation,
    whole,
    wholes,
)
from blocks.spec import Block, Port, Setting, Settings, add

PLACE = r"(?:-?(?:\d{1,9}|[a-d]))"
LIST = rf"\[{PLACE}(?:, {PLACE}){{0,31}}\]"
ITEM = rf"(?:{PLACE}|{PLACE}?:{PLACE}?(?::{PLACE}?)?|{LIST}|\.\.\.|None)"
PIECES = (Port("output", kind="tensors", help="The pieces in order."),)
LETTERS = tuple(
    Port(name, kind="size", optional=True, help="An integer, as from a size block.")
    for name in "abcd"
)
INTEGERS = tuple(
    Setting(
        name, "int", f"Integer for {name} if no wire is connected.", default=None, optional=True
    )
    for name in "abcd"
)
NUMBERS = {
    name: Port(port, rank=rank, dtype="int", help="Indices of the entries to take.")
    for name, port, rank in (
        ("index_select", "index", (1,)),
        ("gather", "index", ()),
        ("take_along_dim", "indices", ()),
    )
}
INDEX = Setting(
    "index",
    "text",
    "The index: numbers, slices, lists of numbers, ... and None in brackets; a, b, c, d stand "
    "for integers.",
    start="[:, 0]",
    pattern=rf"\[{ITEM}(?:, {ITEM}){{0,7}}\]",
    bare="",
)
SLICE = ("slice", "index", "pick", "crop")


def call_getitem(settings: Settings, ports: frozenset[str]) -> str:
    """Write the index behind the tensor; letters stand for wires."""
    return "{input}" + holes(settings["index"])


def call_calculate(settings: Settings, ports: frozenset[str]) -> str:
    """Write the expression; letters stand for wires."""
    return holes(settings["expression"])


def call_index(settings: Settings, ports: frozenset[str]) -> str:
    """Write the numbers behind as many whole dimensions as stand before theirs."""
    return "{input}[" + ":, " * settings["dim"] + "{indices}]"


def call_setitem(settings: Settings, ports: frozenset[str]) -> str:
    """Write the assignment to a part; letters stand for wires."""
    return "{output}" + holes(settings["index"]) + " = {value}"


def pieces(name: str, summary: str, formula: str, *settings: Setting, **more: Any) -> Block:
    """Declare an operation with a list of outputs."""
    given = "".join(", {" + s.name + "}" for s in settings if s.positional)
    return operation(
        name,
        "indexing",
        summary,
        f"torch.{name}({{input}}{given}{{settings}})",
        formula,
        outputs=PIECES,
        settings=(*settings, dimension("Dimension to cut.", 0, start=1)),
        shape_out="as many tensors as there are pieces",
        checks=(in_range("dim"), cuts_batch),
        keywords=(*SLICE, "split", "cut", "several outputs"),
        traits=frozenset({"views"}),
        **more,
    )


def along(
    name: str, summary: str, forward: str, formula: str, *settings: Setting, **more: Any
) -> Block:
    """Declare an operation that takes entries along a dimension by their numbers."""
    return operation(
        name,
        "indexing",
        summary,
        forward,
        formula,
        inputs=(ANY, NUMBERS[name]),
        settings=settings,
        keywords=(*SLICE, "lookup", "numbers"),
        **more,
    )


AT = Setting(
    "dim",
    "int",
    f"Dimension to take from; leave empty to index the flattened tensor. {DIMS}",
    default=None,
    start=1,
    optional=True,
)

add(
    Block(
        "size",
        "indexing",
        "Gives the size of one dimension, an integer for ports that take sizes.",
        inputs=(ANY,),
        outputs=(Port("output", kind="size", help="An integer."),),
        settings=(
            Setting("dim", "int", f"Dimension to measure. {DIMS}", start=1, positional=True),
        ),
        forward="{input}.size({dim})",
        shape_in="(N, *)",
        shape_out="an integer",
        formula=r"n = |x|_{\mathrm{dim}}",
        reference=TENSOR + "size.html",
        checks=(in_range("dim"),),
        keywords=("shape", "length", "width", "height", "batch", "integer"),
    ),
    Block(
        "calculate",
        "indexing",
        "Calculates an integer from sizes, such as the number of patches of an image.",
        inputs=LETTERS,
        outputs=(Port("output", kind="size", help="An integer."),),
        settings=(
            Setting(
                "expression",
                "text",
                "Expression with a, b, c, d for integers, "
                "whole numbers, + - * // % and parentheses.",
                start="a // 2",
                pattern=r"[a-d0-9 +*/()%-]{1,400}",
                bare="",
            ),
            *INTEGERS,
        ),
        forward=call_calculate,
        shape_in="integers",
        shape_out="an integer",
        formula=r"n = f(a, b, c, d)",
        reference="https://docs.pytorch.org/docs/stable/size.html",
        checks=(calculates, wired("expression", "1")),
        keywords=("integer", "arithmetic", "size", "shape", "divide"),
    ),
    Block(
        "getitem",
        "indexing",
        "Takes a part of a tensor by an index such as [:, 0] or [..., ::2].",
        inputs=(ANY, *LETTERS),
        settings=(INDEX, *INTEGERS),
        forward=call_getitem,
        shape_in="(N, *)",
        shape_out="the part",
        formula=r"y = x[\mathrm{index}]",
        reference="https://docs.pytorch.org/docs/stable/tensor_view.html",
        checks=(wired("index", "[:]"),),
        keywords=(*SLICE, "subscript", "class token", "every second"),
        traits=frozenset({"views"}),
    ),
    Block(
        "setitem",
        "indexing",
        "Copies a tensor and writes a number, or another tensor, into a part of it.",
        inputs=(ANY, Port("value", help="Values to write, or a single number."), *LETTERS),
        settings=(
            replace(INDEX, help="The part: an index as of getitem, with a, b, c, d for integers."),
            operand("value"),
            *INTEGERS,
        ),
        forward="{input}.clone()",
        after=call_setitem,
        shape_in="(N, *)",
        shape_out="the same",
        formula=r"y = x,\quad y[\mathrm{index}] = v",
        reference="https://docs.pytorch.org/docs/stable/tensor_view.html",
        checks=(wired("index", "[:]"),),
        keywords=(*SLICE, "assign", "write", "mask"),
        traits=frozenset({"fresh"}),
    ),
    Block(
        "index",
        "indexing",
        "Takes entries at indices that come in on wires, as for a table of positions.",
        inputs=(
            ANY,
            Port(
                "indices",
                kind="tensors",
                dtype="int",
                help="Indices for dimension dim, the next one, and so on.",
            ),
        ),
        settings=(
            Setting(
                "dim",
                "int",
                "The first dimension to take from; those before it stay whole.",
                default=0,
                low=0,
                high=7,
            ),
        ),
        forward=call_index,
        shape_in="(K, *) and integers of any shape",
        shape_out="the shape of the integers in place of the dimensions they take from",
        checks=(in_range("dim"),),
        formula=r"y_i = x_{k_i}",
        reference="https://docs.pytorch.org/docs/stable/tensor_view.html",
        keywords=(*SLICE, "lookup", "table", "relative position"),
    ),
    along(
        "index_select",
        "Takes entries of one dimension by their indices.",
        "torch.index_select({input}, {dim}, {index})",
        r"y_{:, i} = x_{:, k_i}",
        Setting("dim", "int", f"Dimension to take from. {DIMS}", start=1, positional=True),
        shape_out="(N, *) with as many entries as indices",
    ),
    along(
        "gather",
        "Takes one entry for every index: each position picks its own.",
        "torch.gather({input}, {dim}, {index})",
        r"y_{ij} = x_{i, k_{ij}}",
        Setting("dim", "int", f"Dimension to take from. {DIMS}", start=1, positional=True),
        shape_out="the shape of index",
    ),
    along(
        "take_along_dim",
        "Takes entries along a dimension by index, such as those of argsort.",
        "torch.take_along_dim({input}, {indices}{settings})",
        r"y_{ij} = x_{i, k_{ij}}",
        AT,
        shape_out="the shape of index",
    ),
    pieces(
        "split",
        "Cuts a dimension into pieces of given sizes.",
        r"x \to (x_1, x_2, \dots)",
        Setting(
            "split_size_or_sections",
            "size",
            "Size of every piece (the last may be smaller), or a list of all sizes.",
            start=1,
            low=0,
            positional=True,
        ),
        inputs=(ANY, wholes("split_size_or_sections")),
    ),
    pieces(
        "chunk",
        "Cuts a dimension into a number of equal pieces.",
        r"x \to (x_1, x_2, \dots)",
        Setting("chunks", "int", "Number of pieces.", start=2, low=1, positional=True),
    ),
    pieces(
        "tensor_split",
        "Cuts a dimension into a number of pieces, as equal as possible.",
        r"x \to (x_1, x_2, \dots)",
        Setting(
            "indices_or_sections",
            "size",
            "Number of pieces, or a list of indices at which to cut.",
            start=2,
            low=1,
            positional=True,
        ),
    ),
    pieces(
        "unbind",
        "Splits a dimension into one tensor for every entry.",
        r"x \to (x_{:, 0}, x_{:, 1}, \dots)",
    ),
    operation(
        "topk",
        "indexing",
        "Takes the largest values along a dimension, with their indices.",
        "torch.topk({input}, {k}{settings})",
        r"y = \mathrm{top}_k(x)",
        inputs=(ANY, whole("k")),
        outputs=(Port("values", help="The values."), Port("indices", help="Their indices.")),
        returns="{values}, {indices}",
        settings=(
            Setting("k", "int", "Number of values.", start=1, low=0, positional=True),
            dimension(),
            flag("largest", "Take the largest, not the smallest.", True),
            flag("sorted", "Sort the results.", True),
        ),
        shape_out="(N, *) with k entries in dimension dim",
        checks=(in_range("dim"), no_booleans),
        keywords=(*SLICE, "best", "largest", "beam"),
    ),
    operation(
        "sort",
        "indexing",
        "Sorts the values along a dimension and gives the original index of each.",
        "torch.sort({input}{settings})",
        r"y_1 \le y_2 \le \dots",
        outputs=(Port("values", help="The values."), Port("indices", help="Their indices.")),
        returns="{values}, {indices}",
        settings=(
            dimension(),
            flag("descending", "Put the largest first.", False),
            flag("stable", "Keep equal values in the order they come in.", False),
        ),
        checks=(in_range("dim"),),
        keywords=("order", "rank"),
    ),
    operation(
        "argsort",
        "indexing",
        "Gives the indices that sort the values along a dimension.",
        "torch.argsort({input}{settings})",
        r"x_{k_1} \le x_{k_2} \le \dots",
        settings=(dimension(), flag("descending", "Put the largest first.", False)),
        checks=(in_range("dim"),),
        shape_out="the same, of integers",
        keywords=("order", "rank"),
    ),
    operation(
        "diagonal",
        "indexing",
        "Takes the diagonal of two dimensions.",
        "torch.diagonal({input}{settings})",
        r"y_i = x_{ii}",
        settings=(
            Setting("offset", "int", "Which diagonal; 0 is the main one.", default=0),
            Setting("dim1", "int", f"One dimension. {DIMS}", default=0, start=-2),
            Setting("dim2", "int", f"The other dimension. {DIMS}", default=1, start=-1),
        ),
        shape_out="the other sizes, then the diagonal",
        checks=(in_range("dim1", "dim2"),),
        keywords=(*SLICE, "trace", "matrix"),
        traits=frozenset({"views"}),
    ),
)


PLACES = Port("index", dtype="int", help="Index that each value goes to.")
ROWS = Port("index", dtype="int", rank=(1,), form="(K,)", help="Indices of the entries.")
DIM = Setting("dim", "int", f"Dimension to write along. {DIMS}", start=1, positional=True)


def call_scatter(settings: Settings, ports: frozenset[str]) -> str:
    """Write the call with a tensor, or with one number for all places."""
    what = "{src}" if "src" in ports else "{value}"
    return "torch.scatter({input}, {dim}, {index}, " + what + ")"


def scatter(name: str, summary: str, formula: str, *ports: Port, **more: Any) -> Block:
    """Declare a function that copies its input and writes to some places of it."""
    values = "".join(f", {{{port.name}}}" for port in ports[1:])
    declared: dict[str, Any] = {
        "forward": f"torch.{name}({{input}}, {{dim}}, {{index}}{values}{{settings}})",
        "checks": (in_range("dim"),),
        "settings": (),
        **more,
    }
    return operation(
        name,
        "indexing",
        summary,
        declared.pop("forward"),
        formula,
        inputs=(ANY, *ports),
        **{**declared, "settings": (DIM, *declared["settings"])},
        keywords=("write", "place", "graph network", "pooling by group"),
    )


add(
    scatter(
        "scatter",
        "Copies a tensor and writes values, or one number, at given indices.",
        r"y_{i, k_{ij}} = s_{ij}",
        PLACES,
        Port("src", optional=True, help="Values to write, or a single number."),
        settings=(replace(operand("value"), start=1),),
        forward=call_scatter,
        checks=(in_range("dim"), one_value),
        writes=("torch.scatter",),
    ),
    scatter(
        "scatter_add",
        "Adds values at given indices; several may share one.",
        r"y_{i, k_{ij}} \mathrel{+}= s_{ij}",
        PLACES,
        Port("src", help="Values to add."),
    ),
    scatter(
        "scatter_reduce",
        "Combines values at given indices: sum, mean, largest.",
        r"y_k = \mathrm{reduce}_{k_i = k} s_i",
        PLACES,
        Port("src", help="The values."),
        forward="torch.scatter_reduce({input}, {dim}, {index}, {src}, reduce={reduce}{settings})",
        settings=(
            Setting(
                "reduce",
                "choice",
                "How values with the same index are combined.",
                start="sum",
                choices=("sum", "prod", "mean", "amax", "amin"),
                positional=True,
            ),
            flag("include_self", "Include the original values.", True),
        ),
    ),
    scatter(
        "index_add",
        "Adds whole entries of a dimension at given indices.",
        r"y_{:, k_i} \mathrel{+}= \alpha s_{:, i}",
        ROWS,
        Port("source", help="Values to add."),
        settings=(Setting("alpha", "float", "Factor on the added values.", default=1),),
        checks=(in_range("dim"), entry_for_each),
    ),
    scatter(
        "index_copy",
        "Copies a tensor and writes whole entries at given indices.",
        r"y_{:, k_i} = s_{:, i}",
        ROWS,
        Port("source", help="Values to write."),
        checks=(in_range("dim"), entry_for_each),
    ),
    scatter(
        "index_fill",
        "Copies a tensor and fills whole entries of a dimension with one number.",
        r"y_{:, k_i} = v",
        ROWS,
        forward="torch.index_fill({input}, {dim}, {index}, {value})",
        settings=(Setting("value", "float", "Number to write.", start=0, positional=True),),
    ),
    operation(
        "diag_embed",
        "indexing",
        "Writes values on the diagonal of matrices of zeros.",
        "torch.diag_embed({input}{settings})",
        r"y_{ii} = x_i",
        settings=(
            Setting("offset", "int", "Which diagonal; 0 is the main one.", default=0),
            Setting("dim1", "int", f"One dimension of the matrices. {DIMS}", default=-2),
            Setting("dim2", "int", f"The other dimension. {DIMS}", default=-1),
        ),
        shape_out="the other sizes, then a matrix",
        checks=(in_range("dim1", "dim2", extra=1),),
        keywords=("matrix", "identity", "covariance"),
    ),
)


add(
    operation(
        "bucketize",
        "indexing",
        "Gives the index of the interval that every value lies in.",
        "torch.bucketize({input}, {boundaries}{settings})",
        r"b_{y - 1} < x \le b_y",
        inputs=(
            Port("input"),
            Port("boundaries", rank=(1,), form="(K,)", help="Ends of the intervals, in order."),
        ),
        settings=(
            flag("out_int32", "Return int32 instead of int64.", False),
            flag("right", "Include the left end of an interval instead of its right end.", False),
        ),
        checks=(no_booleans,),
        shape_out="that shape, of integers",
        keywords=("histogram", "intervals", "quantise", "binning"),
    ),
)
