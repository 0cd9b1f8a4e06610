"""Texts as numbers of their tokens, in a vocabulary made of the training part.

Training scripts hold these functions word for word.
"""

import torch
from torch import Tensor

from core.samples.text_tokens import tokens_of


def token_rows(
    texts: list[str],
    cut_by: str,
    lower: bool,
    length: int,
) -> tuple[Tensor, list[str]]:
    """Places (S, length) of the tokens of texts in a sorted list of all, -1 after them."""
    places: dict[str, int] = {}
    rows = torch.full((len(texts), length), -1, dtype=torch.int32)
    for number, text in enumerate(texts):
        tokens = tokens_of(text, cut_by, lower, length)
        found = [places.setdefault(token, len(places)) for token in tokens]
        rows[number, : len(found)] = torch.tensor(found, dtype=torch.int32)
    words = sorted(places)
    order = torch.full((len(words) + 1,), -1, dtype=torch.int32)
    order[[places[word] for word in words]] = torch.arange(len(words)).int()
    return order[rows], words


def numbered_by(rows: Tensor, words: list[str], vocabulary: list[str]) -> Tensor:
    """Numbers (S, length) of tokens in a vocabulary that is known."""
    places = {token: place for place, token in enumerate(vocabulary)}
    numbers = [places.get(word, 1) for word in words]
    return torch.tensor([*numbers, 0])[rows]


def numbered(
    rows: Tensor, words: list[str], train: Tensor, most: int, least: int
) -> tuple[Tensor, list[str]]:
    """Numbers (S, length) of tokens in a vocabulary, and the vocabulary.

    It has the most frequent tokens of the training rows, at most `most`, each there at least
    `least` times: by count, then by the alphabet. 0 pads, and 1 is every other token.
    """
    seen = rows[train].flatten()
    counts = seen[seen >= 0].bincount(minlength=len(words))
    if "<unknown>" in words:
        counts[words.index("<unknown>")] = 0
    order = counts.argsort(descending=True, stable=True)
    order = order[counts[order] >= least][: most - 2]
    numbers = torch.ones(len(words) + 1, dtype=torch.int64)
    numbers[-1] = 0
    numbers[order] = torch.arange(2, len(order) + 2)
    vocabulary = ["<padding>", "<unknown>", *(words[place] for place in order.tolist())]
    return numbers[rows], vocabulary
