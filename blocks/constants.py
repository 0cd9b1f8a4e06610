"""Fixed numbers written into the source: a tensor that no wire brings and no training changes."""

import ast
from collections.abc import Iterator
from typing import Any, cast

from blocks.shape import DTYPES
from blocks.shared import TORCH, operation
from blocks.spec import Inputs, Port, Problem, Setting, Settings, add

NUMBER = r"-?\d{1,20}(?:\.\d{1,25})?(?:e[+-]?\d{1,3})?"
ATOM = rf"(?:{NUMBER}|True|False)"


def reads_as_numbers(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that the text is a number or lists of numbers that are equally long."""
    try:
        even(ast.literal_eval(settings["data"]))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield Problem(
            "bad_setting",
            f"has data that is not a table of numbers: {settings['data'][:60]!r}.",
            "Write a number, or lists of equally many numbers such as [[1, 2], [3, 4]].",
        )


def even(data: Any) -> tuple[int, ...]:
    """Sizes of nested lists. Raises ValueError where they are not equally long."""
    if not isinstance(data, list):
        return ()
    items = cast(list[Any], data)
    inner = {even(item) for item in items}
    if len(inner) > 1:
        raise ValueError("lists of different lengths")
    return (len(items), *(next(iter(inner)) if inner else ()))


add(
    operation(
        "tensor",
        "values",
        "Gives fixed numbers, such as the means of the colours.",
        "torch.tensor({data}, device={input}.device{settings})",
        r"y = c",
        inputs=(Port("input", help="Only its device counts."),),
        settings=(
            Setting(
                "data",
                "text",
                "A number, or numbers in brackets, one pair of brackets for each dimension.",
                start="[0.485, 0.456, 0.406]",
                pattern=rf"[\[\] ,]*(?:{ATOM}[\[\] ,]*){{0,4096}}",
                bare="",
            ),
            Setting(
                "dtype",
                "choice",
                "Data type; leave empty to infer it from the numbers.",
                default=None,
                choices=DTYPES,
                bare="torch.",
                optional=True,
            ),
        ),
        shape_in="any",
        shape_out="as in the brackets",
        reference=f"{TORCH}tensor.html",
        checks=(reads_as_numbers,),
        keywords=("constant", "numbers", "literal", "mean", "anchors"),
    ),
)
