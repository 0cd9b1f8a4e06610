"""Windows of a table whose rows are in time. Scripts hold these functions word for word."""

import torch
from torch import Tensor


def in_order(times: list[float]) -> list[int]:
    """Rows by their times; of several with one time the last, as a correction follows."""
    last = {time: row for row, time in enumerate(times)}
    return [last[time] for time in sorted(last)]


def carried(values: Tensor) -> Tensor:
    """Rows (N, F), a missing value, NaN, as the last known one of its column.

    The first rows, before every column has a value, are left out.
    """
    rows = torch.arange(len(values))[:, None].expand_as(values)
    known = torch.where(values.isnan(), -1, rows).cummax(0).values
    first = int((known < 0).any(1).sum())
    return values.gather(0, known.clamp_min(0))[first:]


def windows(
    values: Tensor,
    targets: Tensor,
    length: int,
    ahead: int,
) -> tuple[Tensor, Tensor]:
    """Windows of rows (S, length, F), and the targets (S, ahead) of the rows after each.

    values: (N, F); targets: (N,), NaN where one is not known.
    """
    following = targets.unfold(0, ahead, 1)[length:]
    inputs = values.unfold(0, length, 1).transpose(1, 2)[: len(following)]
    return inputs.contiguous(), following.contiguous()
