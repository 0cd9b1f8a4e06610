"""How far the probabilities of a network can be trusted: calibration, and curves of two classes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from core.common.network_ref import NetworkRef
from core.insight.look.view import LookRequest, LookResult, View

if TYPE_CHECKING:
    from torch import Tensor

    from core.insight.confusion import Judgement

BINS = 10
"""Groups of predictions of similar probability, as Guo et al. have them; of equal size, so that
each group's share of right ones is known equally well."""
LEAST = 5  # predictions in a group; fewer make fewer groups
MOST_POINTS = 200  # of a curve that is written out


def calibration(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Whether of all predictions at 80 % about 80 % are right.

    The expected calibration error is the mean distance of both, weighted by the size of a group
    (Guo, Pleiss, Sun, Weinberger. On calibration of modern neural networks. 2017). Raises NoSuch
    where no class is predicted.
    """
    judged = _judged(ref)
    sure, right = judged.confidence, judged.predicted == judged.targets
    assert sure is not None
    rows = _groups(sure.double(), right.double())
    total = sum(row["samples"] for row in rows)
    apart = sum(abs(row["probability"] - row["right"]) * row["samples"] for row in rows) / total
    mean, share = float(sure.double().mean()), float(right.double().mean())
    document = {
        "samples": total,
        "mean_probability": mean,
        "share_right": share,
        "expected_calibration_error": apart,
        "groups": rows,
    }
    lines = (
        f"{total:,} validation samples: mean probability {mean:.1%}, accuracy {share:.1%}.",
        f"Expected calibration error: {apart:.1%} (0 is perfect).",
        *(
            f"  at {row['probability']:.1%} {row['right']:.1%} right, {row['samples']:,} samples"
            for row in rows
        ),
    )
    return LookResult(document, lines, table=tuple(rows))


def _groups(sure: "Tensor", right: "Tensor") -> list[dict[str, Any]]:
    """Predictions in order of their probability, in groups of nearly equal size."""
    order = sure.argsort(stable=True)
    count = max(1, min(BINS, len(order) // LEAST))
    return [
        {
            "probability": float(sure[part].mean()),
            "right": float(right[part].mean()),
            "samples": len(part),
        }
        for part in order.tensor_split(count)
        if len(part)
    ]


def roc(ref: NetworkRef, request: LookRequest) -> LookResult:
    """Which share of each of two classes is predicted right at every threshold.

    The area under it is the chance that of a sample of each class that of the second class gets
    the higher probability (Hanley, McNeil, 1982). Raises NoSuch for other than two classes.
    """
    from core.insight.attribution.subject import NoSuch

    judged, names = _judged(ref), _classes(ref)
    if len(names) != 2:
        raise NoSuch(
            f"This network predicts {len(names)} classes: a ROC curve needs two.",
            "Look at --what calibration.",
        )
    target, score = judged.targets, _second(judged)
    assert target is not None
    truth, scores = target.numpy(), score.double().numpy()
    if truth.min() == truth.max():
        raise NoSuch("All validation samples are of one class.", "Validate with more samples.")
    metrics: Any = import_module("sklearn.metrics")  # it has no types
    wrong, right, thresholds = metrics.roc_curve(truth, scores)
    area = float(metrics.roc_auc_score(truth, scores))
    precise = float(metrics.average_precision_score(truth, scores))
    best = int((right - wrong).argmax())
    step = max(1, len(wrong) // MOST_POINTS)
    kept = sorted({*range(0, len(wrong), step), best, len(wrong) - 1})
    rows = tuple(
        {
            "threshold": min(float(thresholds[i]), 1.0),
            "false_positive_rate": float(wrong[i]),
            "true_positive_rate": float(right[i]),
        }
        for i in kept
    )
    document = {
        "positive": names[1],
        "samples": len(truth),
        "area": area,
        "average_precision": precise,
        "best_threshold": min(float(thresholds[best]), 1.0),
        "at_best": {"true_positive_rate": float(right[best]), "false_positive_rate":
                    float(wrong[best])},
        "curve": list(rows),
    }  # fmt: skip
    lines = (
        f"{len(truth):,} validation samples, positive class {names[1]}.",
        f"Area under the ROC curve: {area:.3f} (0.5 is guessing, 1 is perfect).",
        f"Average precision: {precise:.3f}; {truth.mean():.3f} is guessing.",
        f"At a threshold of {document['best_threshold']:.3g}: {right[best]:.1%} of {names[1]} "
        f"right, {wrong[best]:.1%} of {names[0]} taken for {names[1]}.",
    )
    return LookResult(document, lines, {"fpr": wrong, "tpr": right}, table=rows)


def _second(judged: "Judgement") -> "Tensor":
    """The probability of the second class, (S,)."""
    import torch

    assert judged.confidence is not None
    assert judged.predicted is not None
    return torch.where(judged.predicted == 1, judged.confidence, 1 - judged.confidence)


def _judged(ref: NetworkRef) -> "Judgement":
    from core.insight.attribution.subject import NoSuch
    from core.insight.network_cache import aim, judged

    measure = aim(ref).measure
    found = judged(ref) if measure and measure.declared.one_class else None
    if found is None or found.predicted is None or found.confidence is None:
        raise NoSuch("This network does not predict a class.", "Look at a classifier.")
    return found


def _classes(ref: NetworkRef) -> tuple[str, ...]:
    from core.insight.network_cache import opened

    return opened(ref).dataset.classes


VIEWS = (
    View(
        "calibration",
        "whether the probabilities of predictions agree with how often they are right",
        calibration,
        sample=False,
        order=42,
        endings=(".json",),
    ),
    View(
        "roc",
        "ROC curve of two classes, its area and the best threshold",
        roc,
        sample=False,
        order=43,
        endings=(".json", ".npz"),
    ),
)
