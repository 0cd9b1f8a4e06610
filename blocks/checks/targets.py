"""Checks of losses that compare scores with classes."""

from collections.abc import Iterator

from blocks.checks.fixes import disconnect, insert
from blocks.checks.joins import differ
from blocks.signature import Dim, Signature
from blocks.spec import Inputs, Problem, Settings

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


def target_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check SoftMarginLoss: one target for every score."""
    scores, target = inputs["input"], inputs["target"]
    if not _fits(target, scores.shape):
        yield Problem(
            "unequal_shapes",
            f"needs one target for every score {scores} but receives {target}.",
            "Bring both wires to one shape.",
            (disconnect("target"),),
        )
