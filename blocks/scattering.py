"""Writing values to places that are given by number: the way back of gather and index_select."""

from dataclasses import replace
from typing import Any

from blocks.checks.dims import in_range
from blocks.checks.scattered import entry_for_each, one_value
from blocks.shared import ANY, DIMS, flag, operand, operation
from blocks.spec import Block, Port, Setting, Settings, add

PLACES = Port("index", dtype="int", help="Where every value goes, by number.")
ROWS = Port("index", dtype="int", rank=(1,), form="(K,)", help="Numbers of the entries.")
DIM = Setting("dim", "int", f"Dimension that is written along. {DIMS}", start=1, positional=True)


def call_scatter(settings: Settings, ports: frozenset[str]) -> str:
    """Write the call with a tensor, or with one number for all places."""
    what = "{src}" if "src" in ports else "{value}"
    return "torch.scatter({input}, {dim}, {index}, " + what + ")"


def written(name: str, summary: str, formula: str, *ports: Port, **more: Any) -> Block:
    """Declare a function that copies its input and writes to some places of it."""
    values = "".join(f", {{{port.name}}}" for port in ports[1:])
    declared: dict[str, Any] = {
        "forward": f"torch.{name}({{input}}, {{dim}}, {{index}}{values}{{settings}})",
        "checks": (in_range("dim"),),
        "settings": (),
        **more,
    }
    return operation(
        name, "indexing", summary, declared.pop("forward"), formula, inputs=(ANY, *ports),
        **{**declared, "settings": (DIM, *declared["settings"])},
        keywords=("write", "place", "graph network", "pooling by group"),
    )  # fmt: skip


add(
    written(
        "scatter", "Copies a tensor and writes values, or one number, to places given by number.",
        r"y_{i, k_{ij}} = s_{ij}", PLACES,
        Port("src", optional=True, help="What is written; a number may stand for it."),
        settings=(replace(operand("value"), start=1),), forward=call_scatter,
        checks=(in_range("dim"), one_value), writes=("torch.scatter",),
    ),
    written("scatter_add", "Adds values to places given by number; several may meet in one.",
            r"y_{i, k_{ij}} \mathrel{+}= s_{ij}", PLACES,
            Port("src", help="What is added.")),
    written(
        "scatter_reduce", "Brings values together at places given by number: sum, mean, largest.",
        r"y_k = \mathrm{reduce}_{k_i = k} s_i", PLACES, Port("src", help="The values."),
        forward="torch.scatter_reduce({input}, {dim}, {index}, {src}, reduce={reduce}{settings})",
        settings=(Setting("reduce", "choice", "What values that meet become.", start="sum",
                          choices=("sum", "prod", "mean", "amax", "amin"), positional=True),
                  flag("include_self", "Let what was there before count, too.", True)),
    ),
    written("index_add", "Adds whole entries of a dimension, each to the one its number says.",
            r"y_{:, k_i} \mathrel{+}= \alpha s_{:, i}", ROWS, Port("source", help="What is added."),
            settings=(Setting("alpha", "float", "Factor on what is added.", default=1),),
            checks=(in_range("dim"), entry_for_each)),
    written("index_copy", "Copies a tensor and writes whole entries to places given by number.",
            r"y_{:, k_i} = s_{:, i}", ROWS, Port("source", help="What is written."),
            checks=(in_range("dim"), entry_for_each)),
    written("index_fill", "Copies a tensor and fills whole entries of a dimension with one number.",
            r"y_{:, k_i} = v", ROWS,
            forward="torch.index_fill({input}, {dim}, {index}, {value})",
            settings=(Setting("value", "float", "The number written.", start=0, positional=True),)),
    operation(
        "diag_embed", "indexing", "Writes values on the diagonal of matrices of zeros.",
        "torch.diag_embed({input}{settings})", r"y_{ii} = x_i",
        settings=(Setting("offset", "int", "Which diagonal; 0 is the main one.", default=0),
                  Setting("dim1", "int", f"One dimension of the matrices. {DIMS}", default=-2),
                  Setting("dim2", "int", f"The other dimension. {DIMS}", default=-1)),
        shape_out="the other sizes, then a matrix", checks=(in_range("dim1", "dim2", extra=1),),
        keywords=("matrix", "identity", "covariance"),
    ),
)  # fmt: skip
