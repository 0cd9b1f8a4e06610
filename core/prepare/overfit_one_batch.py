"""Overfit one batch: whether a network can learn at all (Lightning: overfit_batches).

No run is touched: the network is built anew from the project's seed and thrown away.
"""

import math
import time
from typing import Any

from core.common.errors import RunError
from core.engine.rng import rng_state, set_rng_state
from core.engine.trainer import Trainer
from core.prepare.lr_finder import PLAIN, engine_for

STEPS, LIMIT_S = 300, 30.0
SAMPLES = 32
RIGHT = 0.99  # share of right answers that is by heart
GONE, HARDLY = 0.1, 0.9  # shares of the first loss that are left


def overfit_one_batch(text: str, runs_dir: str = "", beside: str = "") -> dict[str, Any]:
    """Train on one batch only: {"loss": [...], "verdict", "message"} and "accuracy" where it is.

    runs_dir, beside: folders of the runs and of the project's file, for weights to begin with.
    verdict: by_heart, slowly, not, diverged. Raises RunError for a project without one loss to
    bring down.
    """
    before = rng_state()
    try:
        changes = {**PLAIN, "epochs": STEPS, "batch_size": SAMPLES, "distil": None}
        changes |= {"sampler": "shuffle", "drop_last": False}
        engine = engine_for(text, changes, SAMPLES, runs_dir, beside)
        if engine.objective.groups:
            message = "Adversarial networks have no loss that can reach zero."
            raise RunError("training.losses", message, "Train them and look at their samples.")
        losses = _train(engine)
    finally:
        set_rng_state(before)
    curve = {"loss": [x for x in losses if math.isfinite(x)]}
    accuracy = engine.newest.get("val_accuracy")
    return {**curve, "accuracy": accuracy, **verdict(losses, accuracy)}


def _train(engine: Trainer) -> list[float]:
    """The losses of the steps, until the batch is memorised or the time is over."""
    until, losses = time.monotonic() + LIMIT_S, list[float]()
    for _ in engine.fit(tick_s=math.inf):  # an epoch is a step
        losses += engine.drain_metrics()["loss"]
        known = engine.newest.get("val_accuracy", 1.0) >= RIGHT
        fallen = losses[-1] <= GONE**2 * abs(losses[0])
        if engine.diverged or time.monotonic() > until or (known and fallen):
            break
    return losses + engine.drain_metrics()["loss"]


def verdict(losses: list[float], accuracy: float | None) -> dict[str, str]:
    """Verdict on the losses of a batch, in one sentence."""
    steps, first, last = len(losses), losses[0], losses[-1]
    if not math.isfinite(last):
        text = f"The loss was not finite after {steps} steps."
        hint = "Lower the learning rate, or look for a division by 0 or a logarithm of 0."
        return _verdict("diverged", text, hint)
    fell = f"the loss went from {first:.3g} to {last:.3g} in {steps} steps"
    accuracy_text = f", {accuracy:.0%} correct" if accuracy is not None else ""
    if (accuracy is not None and accuracy >= RIGHT) or last <= GONE * abs(first):
        return _verdict(
            "by_heart",
            f"It can learn: {fell}{accuracy_text} on one batch.",
            "Next, train it on all the data.",
        )
    if last < HARDLY * first:
        return _verdict(
            "slowly",
            f"It learns slowly: {fell}{accuracy_text} on one batch.",
            "Try another learning rate, a larger network, or less dropout.",
        )
    return _verdict(
        "not",
        f"It does not learn: {fell}{accuracy_text} on one batch.",
        "Check the loss, the last block, the learning rate and whether gradients reach the"
        " first block.",
    )


def _verdict(kind: str, message: str, hint: str) -> dict[str, str]:
    return {"verdict": kind, "message": f"{message} {hint}"}
