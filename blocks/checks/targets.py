"""Checks of losses that compare scores with classes, or with sequences of classes."""

import ast
from collections.abc import Iterator
from typing import Any, cast

from blocks.checks.fixes import disconnect, insert, set_to
from blocks.checks.joins import differ
from blocks.signature import Dim, Signature
from blocks.spec import Check, Fix, Inputs, Problem, Settings

CLASSES = ("int64", "uint8")


def classes_fit(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check NLLLoss: one class number in place of every row of scores."""
    scores, target = inputs["input"], inputs["target"]
    if _fits(target, _without_classes(scores)) and target.dtype in CLASSES:
        return
    yield _wrong(scores, target, ())


def classes_or_shares_fit(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check CrossEntropyLoss: class numbers, or a share for every class."""
    scores, target = inputs["input"], inputs["target"]
    if _fits(target, scores.shape) and target.floating:
        return
    if _fits(target, _without_classes(scores)) and target.dtype in CLASSES:
        return
    yield _wrong(scores, target, scores.shape)


def _without_classes(scores: Signature) -> tuple[Dim, ...]:
    return scores.shape[:1] + scores.shape[2:] if scores.rank > 1 else ()


def _fits(target: Signature, shape: tuple[Dim, ...]) -> bool:
    return target.rank == len(shape) and not any(
        differ(a, b) for a, b in zip(target.shape, shape, strict=True)
    )


def _wrong(scores: Signature, target: Signature, shares: tuple[Dim, ...]) -> Problem:
    whole = Signature(_without_classes(scores))
    fixes = [disconnect("target")]
    if _fits(target, whole.shape):
        fixes.insert(0, insert("target", "to", dtype="int64"))
    elif shares and _fits(target, shares):
        fixes.insert(0, insert("target", "to", dtype="float32"))
    other = f", or a share (float32) for every class {scores}," if shares else ""
    return Problem(
        "unequal_shapes",
        f"needs class numbers (int64) {whole}{other} for scores {scores} but receives "
        f"{target.dtype} {target}.",
        "Give every row of scores one class number.",
        tuple(fixes),
    )


def _unequal(port: str, needs: str, hint: str) -> Problem:
    """What is wrong with the shape at a port. needs: what it needs, and what it receives."""
    return Problem("unequal_shapes", f"needs {needs}.", hint, (disconnect(port),))


def target_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check SoftMarginLoss: one target for every score."""
    scores, target = inputs["input"], inputs["target"]
    if not _fits(target, scores.shape):
        needs = f"one target for every score {scores}"
        yield _unequal("target", f"{needs} but receives {target}", "Bring both wires to one shape.")


def no_yes_or_no(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check losses that subtract the target: torch does not subtract true and false."""
    target = inputs["target"]
    if target.dtype == "bool":
        yield Problem(
            "needs_floats",
            f"needs numbers at target but receives bool in {target}.",
            "Turn the target into float32 first.",
            (insert("target", "to", dtype="float32"),),
        )


def variance_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check GaussianNLLLoss: a variance for every value, or shared along one dimension."""
    shape, var = inputs["input"].shape, inputs["var"]
    shared = ((*shape[:at], 1, *shape[at + 1 :]) for at in range(len(shape)))
    if not any(_fits(var, wanted) for wanted in (shape, shape[:-1], *shared)):
        needs = f"a variance for every value of {inputs['input']}, or one for each row"
        yield _unequal(
            "var", f"{needs}, but receives {var} at var", "Bring var to the shape of the input."
        )


def labels_fit(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check MultiLabelMarginLoss: int64 numbers of classes, in as many places as classes."""
    scores, target = inputs["input"], inputs["target"]
    if scores.rank in (1, 2) and _fits(target, scores.shape) and target.dtype == "int64":
        return
    needs = "scores (N, C), and int64 numbers of classes of the same shape at target"
    yield _unequal(
        "target",
        f"{needs}, but receives {scores} and {target.dtype} {target}",
        "Fill every row of targets up with -1.",
    )


def linear_target_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check LinearCrossEntropyLoss: class numbers, or a share for every class, for each output."""
    batch, target = inputs["input"].shape[:1], inputs["target"]
    whole = (*batch, *settings["out_features"])
    shares = (*batch, settings["num_classes"], *settings["out_features"])
    numbers = _fits(target, whole) and target.dtype == "int64"
    if numbers or (_fits(target, shares) and target.floating):
        return
    needs = f"class numbers (int64) {Signature(whole)}, or shares (float32) {Signature(shares)}"
    yield _unequal(
        "target",
        f"{needs}, at target but receives {target.dtype} {target}",
        "Give every sample one class number.",
    )


def weights_fit(*names: str, classes: str = "") -> Check:
    """Make the check of weights: even lists of numbers, as many as classes.

    classes: the setting that says how many; without one the input does.
    """

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        shape = inputs["input"].shape
        count: Dim = settings[classes] if classes else (1, *shape[:2])[-1]
        for name in names:
            if settings[name] is not None:
                yield from _weights(name, settings[name], count)

    return check


def _weights(name: str, text: str, classes: Dim) -> Iterator[Problem]:
    try:
        numbers = ast.literal_eval(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        numbers = None
    if not isinstance(numbers, list | int | float):
        yield Problem(
            "bad_setting",
            f"has a {name} that is not a list of numbers: {text[:60]!r}.",
            "Write the numbers in brackets, such as [0.2, 0.8].",
            (set_to(**{name: None}),),
        )
        return
    if not isinstance(numbers, list):
        return  # one number for all, which torch takes for losses of values
    numbers = cast(list[Any], numbers)
    flat = not any(isinstance(item, list) for item in numbers)
    if flat and isinstance(classes, int) and len(numbers) not in (1, classes):
        yield Problem(
            "unequal_shapes",
            f"has {len(numbers)} numbers in {name} but there are {classes} classes.",
            f"Write {classes} numbers, one for each class.",
            (set_to(**{name: None}),),
        )


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
            "Add one output class for the blank, and set blank to its index.",
            (Fix("Set blank to 0", ({"op": "set", "settings": {"blank": 0}},)),),
        )
