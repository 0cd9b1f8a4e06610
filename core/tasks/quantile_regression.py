"""The pinball loss of quantile regression, which is not part of torch."""

import torch
from torch import Tensor, nn


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
