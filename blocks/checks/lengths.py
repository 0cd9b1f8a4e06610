"""Checks of a loss that reads rows of different lengths."""

from collections.abc import Iterator

from blocks.checks.fixes import disconnect
from blocks.checks.joins import differ
from blocks.spec import Fix, Inputs, Problem, Settings


def lengths_fit(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check CTCLoss: one row of targets and two lengths for every sample, and a blank class."""
    scores = inputs["log_probs"]
    batch, classes = scores.shape[1], scores.shape[2]
    for port in ("targets", "input_lengths", "target_lengths"):
        wire = inputs[port]
        if differ(wire.shape[0], batch):
            yield Problem(
                "unequal_shapes",
                f"needs one row of {port} for every sample in dimension 1 of log_probs {scores} "
                f"but receives {wire}.",
                "Bring log_probs to (T, N, C) with a transpose: the steps first, then the batch.",
                (disconnect(port),),
            )
    if isinstance(classes, int) and settings["blank"] >= classes:
        yield Problem(
            "bad_setting",
            f"has blank {settings['blank']} but log_probs {scores} have {classes} classes, "
            f"0 to {classes - 1}.",
            "Give the network one class more, for nothing, and set blank to its number.",
            (Fix("Set blank to 0", ({"op": "set", "settings": {"blank": 0}},)),),
        )
