"""The characters of a text: the next ones, those that are covered, or those of an answer."""

import math

from core.common.errors import DataError
from core.tasks.losses import SCORES
from core.tasks.metric_sets import accuracy
from core.tasks.readout import Readout
from core.tasks.task import (
    Metrics,
    ScriptMetrics,
    Shape,
    Target,
    TargetKind,
    Task,
    TaskSource,
    show,
)


def _values(measure: object, sums: list[float]) -> dict[str, float]:
    return accuracy(measure, sums) | {"perplexity": math.exp(min(sums[2] / sums[0], 100.0))}


def _of_text(source: TaskSource) -> bool:
    return source.kind != "series"


def _fit(source: TaskSource, column: str, shape: Shape, output: Shape) -> tuple[Shape, str]:
    length = source.answer if column == "answer" else shape[0]
    tokens = len(source.alphabet)
    if output == (length, tokens):
        return (length,), "tokens"
    raise DataError(
        f"{source.name} needs a score for each of {tokens} characters at {length} positions, "
        f"{show((length, tokens))}, but the network outputs {show(output)}.",
        "Set out_features of the last Linear, and keep the length of the sequence.",
    )


_SCRIPT = ScriptMetrics(
    (
        "scores, truth = {0}.flatten(0, 1), {target}.flatten()",
        "scores, truth = scores[truth >= 0], truth[truth >= 0]",
        "count += len(truth)",
        "right += (scores.argmax(1) == truth).sum().item()",
        'surprise += nn.CrossEntropyLoss(reduction="sum")(scores, truth).item()',
    ),
    ("right", "count", "surprise"),
    {"accuracy": "right / count", "perplexity": "math.exp(surprise / count)"},
)
TOKENS = TargetKind(
    "tokens",
    SCORES,
    Metrics(3, _values, _SCRIPT),
    integer=True,
    readout=Readout(
        score="token",
        positions=True,
        words=True,
        web="tokens",
    ),
    per_position=True,
)
TASK = Task(
    "text",
    (TOKENS,),
    (
        Target("next", "next", "to be continued", "what comes next", when=_of_text),
        Target(
            "masked",
            "hidden",
            "to be filled in where 15 of 100 characters are masked",
            "the masked characters",
            inputs=("masked",),
            functions=("core.data.batches.reading:hide",),
        ),
        Target(
            "answer",
            "answer",
            "to be rewritten",
            "the answer as text",
            inputs=("input", "before"),
        ),
    ),
    _fit,
)
