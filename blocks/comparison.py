"""Comparisons, and masks: tensors of true and false that say where something holds."""

from blocks.checks.joins import no_booleans, same_in_both_modes, same_shape
from blocks.shared import (
    NN,
    TENSOR,
    TORCH,
    flag,
    operand,
    operation,
)
from blocks.spec import Block, Port, Setting, Settings, add

OF_TRUTH = "that shape, of true and false"
BOTH = (Port("input"), Port("other"))
WITH_NUMBER = (Port("input"), Port("other", number=True))
WORDS = ("mask", "compare", "condition")
INFINITE = ("inf", "-inf")


def call_by_mode(settings: Settings, ports: frozenset[str]) -> str:
    """Write the choice."""
    return "{training} if self.training else {evaluation}"


def comparison(name: str, summary: str, formula: str, *words: str) -> Block:
    """Declare a comparison of two tensors, or of one with a number."""
    return operation(
        name,
        "comparison",
        summary,
        f"torch.{name}({{input}}, {{other}})",
        formula,
        inputs=WITH_NUMBER,
        settings=(operand("other"),),
        shape_in="two tensors of the same shape, or one tensor and a number",
        shape_out="that shape, of true and false",
        checks=(same_shape,),
        keywords=(*WORDS, *words),
    )


def logical(name: str, summary: str, formula: str, *words: str) -> Block:
    """Declare a logical operation."""
    both = name != "logical_not"
    return operation(
        name,
        "comparison",
        summary,
        f"torch.{name}({{input}}, {{other}})" if both else f"torch.{name}({{input}})",
        formula,
        inputs=BOTH if both else (Port("input"),),
        shape_in="two masks of the same shape" if both else "any",
        shape_out="that shape, of true and false",
        checks=(same_shape,) if both else (),
        keywords=(*WORDS, *words),
    )


def triangle(name: str, summary: str, formula: str) -> Block:
    """Declare tril or triu."""
    return operation(
        name,
        "comparison",
        summary,
        f"torch.{name}({{input}}{{settings}})",
        formula,
        inputs=(Port("input", rank=(2, 3, 4, 5, 6), form="(*, L, S)"),),
        settings=(
            Setting("diagonal", "int", "Which diagonal is the border; 0 is the main one.", 0),
        ),
        shape_in="(*, L, S)",
        keywords=(*WORDS, "triangle", "causal", "future"),
    )


add(
    comparison("eq", "Is true where two tensors are equal.", r"y = [a = b]", "equal", "padding"),
    comparison("ne", "Is true where two tensors differ.", r"y = [a \ne b]", "unequal", "different"),
    comparison("lt", "Is true where the first tensor is smaller.", r"y = [a < b]", "less"),
    comparison(
        "le", "Is true where the first tensor is smaller or equal.", r"y = [a \le b]", "less"
    ),
    comparison("gt", "Is true where the first tensor is larger.", r"y = [a > b]", "greater"),
    comparison(
        "ge", "Is true where the first tensor is larger or equal.", r"y = [a \ge b]", "greater"
    ),
    logical("logical_and", "Is true where both masks are true.", r"y = a \wedge b", "and", "both"),
    logical(
        "logical_or", "Is true where one mask or both are true.", r"y = a \vee b", "or", "either"
    ),
    logical(
        "logical_xor", "Is true where exactly one of two masks is true.", r"y = a \oplus b", "xor"
    ),
    logical(
        "logical_not", "Turns true into false and false into true.", r"y = \neg x", "not", "invert"
    ),
    operation(
        "isnan",
        "comparison",
        "Is true where a value is NaN.",
        "torch.isnan({input})",
        r"y = [x = \mathrm{NaN}]",
        inputs=(Port("input"),),
        shape_in="any",
        shape_out="that shape, of true and false",
        keywords=(*WORDS, "nan"),
    ),
    Block(
        "where",
        "comparison",
        "Takes values of one tensor where a mask is true, and of another where it is false.",
        inputs=(
            Port("condition", help="True where the value of input is taken."),
            Port("input"),
            Port("other"),
        ),
        settings=(operand("input"), operand("other")),
        forward="torch.where({condition}, {input}, {other})",
        shape_in="three tensors of the same shape; numbers for input or other",
        shape_out="that shape",
        formula=r"y = c\,?\,a : b",
        reference=TORCH + "where.html",
        checks=(same_shape,),
        keywords=(*WORDS, "choose", "select", "if"),
    ),
    Block(
        "in_train_phase",
        "comparison",
        "Passes on one tensor in training and another in evaluation; both are calculated.",
        inputs=(
            Port("training", help="Passed on in training."),
            Port("evaluation", help="Passed on in evaluation."),
        ),
        forward=call_by_mode,
        shape_in="two tensors of the same shape",
        shape_out="that shape",
        formula=r"y = \begin{cases} a & \text{in training} \\ b & \text{in evaluation} \end{cases}",
        reference=NN + "Module.html",
        checks=(same_in_both_modes,),
        keywords=("training", "evaluation", "mode", "if", "noise", "choose"),
    ),
    Block(
        "masked_fill",
        "comparison",
        "Writes one number wherever a mask is true; minus infinity hides steps from a softmax.",
        inputs=(Port("input"), Port("mask", help="True where the number is written.")),
        settings=(
            Setting(
                "value",
                "float",
                "The number; '-inf' before a softmax.",
                start="-inf",
                choices=INFINITE,
                positional=True,
            ),
        ),
        forward="{input}.masked_fill({mask}, {value})",
        checks=(no_booleans,),
        shape_in="a tensor, and a mask of true and false whose shape it can be repeated to",
        shape_out="the same",
        formula=r"y = m\,?\,v : x",
        reference=TENSOR + "masked_fill.html",
        keywords=(*WORDS, "attention", "causal", "hide"),
    ),
    triangle(
        "tril",
        "Keeps the lower triangle of matrices and writes zeros above it.",
        r"y_{ij} = [j \le i + d]\,x_{ij}",
    ),
    triangle(
        "triu",
        "Keeps the upper triangle of matrices and writes zeros below it.",
        r"y_{ij} = [j \ge i + d]\,x_{ij}",
    ),
    operation(
        "one_hot",
        "comparison",
        "One-hot encoding: turns an index into zeros with a one at that index.",
        "F.one_hot({input}, {num_classes})",
        r"y_{i} = [x = i]",
        inputs=(Port("input", dtype="int"),),
        settings=(
            Setting(
                "num_classes",
                "int",
                "Length of the encoding: the number of classes.",
                start=10,
                low=1,
                positional=True,
            ),
        ),
        shape_in="(N, *) of integers",
        shape_out="(N, *, num_classes) of integers",
        reference="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.one_hot.html",
        keywords=("class", "category", "encode"),
    ),
    operation(
        "all",
        "comparison",
        "Tests whether all values along a dimension are true.",
        "torch.all({input}{settings})",
        r"y = \bigwedge_i x_i",
        settings=(
            Setting(
                "dim",
                "size",
                "Dimension to reduce, or a list; leave empty for all.",
                default=None,
                start=-1,
                optional=True,
            ),
            flag("keepdim", "Keep the dimensions with size 1.", False),
        ),
        shape_out="(N, *) without the dimensions in dim",
        keywords=(*WORDS, "every"),
    ),
    operation(
        "any",
        "comparison",
        "Tests whether any value along a dimension is true.",
        "torch.any({input}{settings})",
        r"y = \bigvee_i x_i",
        settings=(
            Setting(
                "dim",
                "size",
                "Dimension to reduce, or a list; leave empty for all.",
                default=None,
                start=-1,
                optional=True,
            ),
            flag("keepdim", "Keep the dimensions with size 1.", False),
        ),
        shape_out="(N, *) without the dimensions in dim",
        keywords=(*WORDS, "some"),
    ),
)


add(
    operation(
        "isfinite",
        "comparison",
        "Is true where a value is neither NaN nor infinite.",
        "torch.isfinite({input})",
        r"y = [|x| < \infty]",
        inputs=(Port("input"),),
        shape_in="any",
        shape_out=OF_TRUTH,
        keywords=("mask", "nan", "infinity"),
    ),
    operation(
        "isinf",
        "comparison",
        "Is true where a value is infinite.",
        "torch.isinf({input})",
        r"y = [|x| = \infty]",
        inputs=(Port("input"),),
        shape_in="any",
        shape_out=OF_TRUTH,
        keywords=("mask", "infinity"),
    ),
)
