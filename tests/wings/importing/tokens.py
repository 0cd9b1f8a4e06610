"""Small models of tokens and of several inputs, as people write them."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn


class Classifier(nn.Module):
    """An LSTM over tokens; the last state is classified."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(50, 8)
        self.lstm = nn.LSTM(8, 6, batch_first=True)
        self.fc = nn.Linear(6, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        _, (state, _) = self.lstm(self.embedding(tokens))
        return self.fc(state[-1])


class SequenceFirst(nn.Module):
    """A sequence in dimension 0, as torch's recurrent layers have it by themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.gru = nn.Embedding(50, 8), nn.GRU(8, 6)
        self.fc = nn.Linear(6, 3)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        states, _ = self.gru(self.embedding(tokens))
        return self.fc(states), states[-1]


class Pair(NamedTuple):
    """Results under names."""

    first: Tensor
    second: Tensor


@dataclass
class Output:
    """Results under names, one of which is not there."""

    logits: Tensor
    pair: Pair
    loss: Tensor | None = None


class Pieces(nn.Module):
    """Two kinds of tokens, an argument that has to be given, results in a dataclass."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.kinds = nn.Embedding(50, 8), nn.Embedding(3, 8)

    def forward(self, ids: Tensor, kinds: Tensor, valid_lens: Any) -> Output:
        h = self.words(ids) + self.kinds(kinds)
        if valid_lens is not None:
            h = h * valid_lens
        return Output(h.mean(1), Pair(h, h.amax(1)))


class Batched(nn.Module):
    """All inputs in one dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.fc = nn.Embedding(50, 8), nn.Linear(8, 2)

    def forward(self, batch: dict[str, Tensor], scale: float = 1.0) -> dict[str, Any]:
        mask = batch["mask"].unsqueeze(-1)
        summed = (self.words(batch["ids"]) * mask).sum(1)
        return {"y": self.fc(summed * scale), "parts": (summed, mask)}


class States(nn.Module):
    """A state that is a tuple, by the name of its argument."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(4, 6)

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor]) -> Tensor:
        return torch.cat(self.cell(x, state), 1)


class TwoTowers(nn.Module):
    """Two inputs of different kinds, both positional."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.fc = nn.Embedding(20, 4), nn.Linear(5, 4)

    def forward(self, tokens: Tensor, features: Tensor) -> Tensor:
        return self.words(tokens).mean(1) + self.fc(features)


class Anything(nn.Module):
    """Takes no tensor at all."""

    def forward(self, x: Tensor) -> Tensor:
        raise ValueError("never fits")


class Cached(nn.Module):
    """Joins what it has to a cache that is empty, and counts places on from a number."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(50, 8), nn.Embedding(16, 8)
        self.register_buffer("spare", torch.ones(3))

    def forward(self, ids: Tensor) -> Tensor:
        h = self.words(ids)
        whole = ids.sum()
        numbers = torch.arange(ids.shape[1], device=ids.device)
        h = h + self.places(numbers) + whole
        return torch.cat([torch.tensor([]), h], dim=-2)


class Tied(nn.Module):
    """Words in and out by one table, and a mask that is not saved."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.out = nn.Embedding(20, 4), nn.Linear(4, 20, bias=False)
        self.out.weight = self.words.weight
        self.register_buffer("mask", torch.tril(torch.ones(16, 16)), persistent=False)
        self.register_buffer("never", torch.ones(2))
        self.spare = nn.Linear(2, 2)

    def forward(self, ids: Tensor) -> Tensor:
        h = self.words(ids)
        size = h.shape[1]
        return self.out(self.mask[:size, :size] @ h)


class Listed(nn.Module):
    """Layers under numbers, in a list and in a dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.ModuleDict({"a-b": nn.Embedding(20, 4)})
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(2)])

    def forward(self, ids: Tensor) -> Tensor:
        h = self.words["a-b"](ids)
        for layer in self.layers:
            h = h + layer(h)
        return h


class Turned(nn.Module):
    """One module called twice, for the one or the other of its tables."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("near", torch.rand(8))
        self.register_buffer("far", torch.rand(8))

    def forward(self, x: Tensor, kind: str, power: int = 1) -> Tensor:
        return x * getattr(self, kind) ** power


class CalledForTwo(nn.Module):
    """Calls one module for different things."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.turned = nn.Embedding(50, 8), Turned()

    def forward(self, ids: Tensor) -> tuple[Tensor, ...]:
        x = self.words(ids)
        near, far = self.turned(x, "near"), self.turned(x, "far")
        return near, far, self.turned(x, "near", 2)


class CountsDown(nn.Module):
    """Places counted down from a size, in fractions that are none."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 8)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.words(ids)
        length = ids.shape[1]
        down = torch.arange(length, -length, -1.0)[:length]
        up = torch.arange(length, 2 * length)
        return x + down[:, None] + up[:, None] + torch.arange(0, 16, 2.0)


class Plain(nn.Module):
    """Keeps tensors as plain attributes, one of them in a list, and what it computed last."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 8)
        self.places = torch.rand(1, 40, 8)
        self.masks = [torch.rand(5, 8), torch.ones(2)]
        self.means = torch.tensor([0.5, 0.25])
        self.last: Tensor | None = None

    def forward(self, ids: Tensor) -> Tensor:
        h = self.words(ids) + self.places[:, : ids.shape[1]]
        self.last = h * self.masks[0][2]
        return self.last - self.means[0]


class Drawn(nn.Module):
    """Draws one number for every sample by other means than torch's."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(5, 4)

    def forward(self, x: Tensor) -> Tensor:
        drawn = np.random.default_rng(0).random((x.shape[0], 1))
        return self.fc(x) * torch.tensor(drawn, dtype=torch.float32)


class Cache:
    """What was computed, for the next call."""

    def __init__(self, last: Tensor) -> None:
        self.last = last


class Caches(nn.Module):
    """Returns a cache beside its result."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 8)

    def forward(self, ids: Tensor) -> dict[str, Any]:
        h = self.words(ids)
        return {"y": h * 2, "count": 3, "none": None, "cache": Cache(h)}


class ComparesWithItself(nn.Module):
    """Asks whether a size is as large as itself, as code for caches does."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 8)

    def forward(self, ids: Tensor) -> Tensor:
        length = ids.shape[1]
        return self.words(ids) * (2 if length == ids.shape[1] else 3)
