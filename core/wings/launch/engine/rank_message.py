"""Tensors of a rank as one tensor of each kind of number, so that one collective carries them."""

from collections.abc import Sequence

import torch
from torch import Tensor

from core.wings.launch.engine.ranks import Ranks

Message = dict[torch.dtype, Tensor]


class MessageLayout:
    """Where each tensor lies. like: tensors with the sizes and kinds of those to come."""

    def __init__(self, like: Sequence[Tensor]) -> None:
        self.places: list[tuple[torch.dtype, int, torch.Size]] = []
        self.sizes: dict[torch.dtype, int] = {}
        for tensor in like:
            start = self.sizes.get(tensor.dtype, 0)
            self.places.append((tensor.dtype, start, tensor.shape))
            self.sizes[tensor.dtype] = start + tensor.numel()

    def pack(self, tensors: Sequence[Tensor]) -> Message:
        """Join tensors, in the order of the layout."""
        kinds: dict[torch.dtype, list[Tensor]] = {dtype: [] for dtype in self.sizes}
        for tensor in tensors:
            kinds[tensor.dtype].append(tensor.reshape(-1))
        return {dtype: torch.cat(parts) for dtype, parts in kinds.items()}

    def unpack(self, message: Message) -> list[Tensor]:
        """The tensors of a message: views of it."""
        return [
            message[dtype][start : start + shape.numel()].view(shape)
            for dtype, start, shape in self.places
        ]


def gather_messages(ranks: Ranks, message: Message) -> list[Message]:
    """The messages of all ranks, in their order. Raises RankLost."""
    kinds = {dtype: ranks.all_gather(joined) for dtype, joined in message.items()}
    return [dict(zip(kinds, parts, strict=True)) for parts in zip(*kinds.values(), strict=True)]
