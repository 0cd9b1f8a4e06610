"""A sequence of classes that stand anywhere in the input (CTC)."""

from core.common.errors import DataError
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
    return accuracy(measure, sums) | {"ler": sums[2] / sums[3] if sums[3] else 0.0}


def _fit(source: TaskSource, _column: str, _input: Shape, output: Shape) -> tuple[Shape, str]:
    """Scores for a blank and every class at each step, of which CTC aligns the sequence to some."""
    longest, wanted = source.longest, len(source.classes) + 1
    least = 2 * longest - 1  # a blank between any two, should they be the same
    if len(output) == 2 and output[0] >= least and output[1] == wanted:
        return (longest,), "sequence"
    raise DataError(
        f"{source.name} needs scores for a blank and {wanted - 1} classes at {least} steps or "
        f"more, (N, {least}, {wanted}) at least, but the network outputs {show(output)}.",
        f"Set out_features of the last Linear to {wanted}, and let steps come before scores.",
    )


_SCRIPT = ScriptMetrics(
    (
        "predicted = greedy_decode({0})",
        "wanted = [row[row > 0].tolist() for row in {target}]",
        "right += sum(map(list.__eq__, predicted, wanted))",
        "misses += sum(map(edit_distance, predicted, wanted))",
        "count += sum(map(len, wanted))",
    ),
    ("right", "misses", "count"),
    {"accuracy": "right / len(columns[0])", "ler": "misses / count"},
)
SEQUENCE = TargetKind(
    "sequence",
    ("CTCLoss",),
    Metrics(4, _values, _SCRIPT),
    integer=True,
    readout=Readout(
        words=True,
        web="sequence",
        card="a score for each of {classes}",
        missing={
            "score": "The output is read as one sequence (CTC), so no class has a score of its own."
        },
    ),
    names_classes=True,
    reads_lengths=True,
    functions=("core.tasks.ctc:greedy_decode", "core.tasks.ctc:edit_distance"),
)
TASK = Task(
    "sequence",
    (SEQUENCE,),
    (
        Target(
            "sequence",
            "sequence",
            "to be read from left to right",
            "its row of classes, from left to right",
            beside=True,
        ),
    ),
    _fit,
)
