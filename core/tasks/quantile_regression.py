"""Quantile regression: the pinball loss, which is not part of torch, metrics and predictions."""

import torch
from torch import Tensor, nn

from core.tasks.labeler import Labeler, Outputs
from core.tasks.metrics import Measure, by_sample
from core.tasks.predictions import NUMBERS, Arrays, PredictionBatch, plain


class PinballLoss(nn.Module):
    """The mean of max(q e, (q - 1) e) over quantiles q, e being target less output.

    It is least where a share q of the targets lies below the output (Koenker and Bassett,
    1978). Outputs are (N, Q), a value for each quantile; targets are (N, 1).
    """

    levels: Tensor

    def __init__(
        self,
        quantiles: tuple[float, ...] | float = (0.1, 0.5, 0.9),
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        levels = (quantiles,) if isinstance(quantiles, float | int) else quantiles
        if list(levels) != sorted({*levels}) or levels[0] <= 0 or levels[-1] >= 1:
            wanted = "quantiles that rise between 0 and 1"
            raise ValueError(f"PinballLoss needs {wanted} but receives {quantiles}.")
        self.reduction = reduction
        self.register_buffer("levels", torch.tensor(levels))

    def forward(self, outputs: Tensor, target: Tensor) -> Tensor:
        count = len(self.levels)
        if outputs.ndim != 2 or outputs.shape[1] != count:
            hint = "Set out_features to that, or name other quantiles."
            raise ValueError(f"{count} quantiles need outputs of (N, {count}). {hint}")
        levels, errors = self.levels.to(outputs), target.reshape(-1, 1) - outputs
        loss = torch.maximum(levels * errors, (levels - 1) * errors)
        if self.reduction == "none":
            return loss
        return loss.sum() if self.reduction == "sum" else loss.mean()


def interval_sums(_measure: Measure, outputs: Tensor, targets: Tensor) -> Tensor:
    """Of quantiles (N, 5): 1, the error of the middle one, whether the number lies between the
    first and the last, how far these are apart, and whether any two are in the wrong order.
    """
    low, middle, high = outputs[:, 0], outputs[:, outputs.shape[1] // 2], outputs[:, -1]
    truth, crossed = targets[:, 0], (outputs.diff(dim=1) < 0).any(dim=1)
    covered = (low <= truth) & (truth <= high)
    return by_sample(torch.ones_like(truth), (middle - truth).abs(), covered, high - low, crossed)


def intervals(batch: PredictionBatch) -> Arrays:
    """The middle quantile as a number, and the first and the last as its interval."""
    if batch.targets is None:
        return {}
    predicted = batch.predictions[0][:NUMBERS]
    found = {
        "numbers_true": batch.targets[:NUMBERS, 0],
        "numbers_said": predicted[:, predicted.shape[1] // 2],
        "numbers_low": predicted[:, 0],
        "numbers_high": predicted[:, -1],
    }
    unit, middle = batch.measure.unit, batch.measure.middle
    return {name: plain(value.float()) * unit + middle for name, value in found.items()}


def predicted_interval(labeler: Labeler, outputs: Outputs, _target: Tensor | None) -> str:
    """The interval and the middle quantile, in the unit of the number."""
    values = outputs[0]
    low, middle, high = map(labeler.number, (values[0], values[len(values) // 2], values[-1]))
    return f"{low} to {high}, middle {middle}"
