"""The tokens of a text: one way to cut it, at every door; and their numbers in a vocabulary.

Scripts and exports hold the functions word for word; exported pages have them in JavaScript
(cells.js).
"""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from core.samples.request_error import RequestError

PADDING, UNKNOWN, SEPARATOR = "<padding>", "<unknown>", "<separator>"
"""The first two of every vocabulary, which are 0 and 1; and what joins several columns of text."""


def tokens_of(text: str, cut_by: str, lower: bool, most: int) -> list[str]:
    """The first tokens of a text: words and signs, or letters; a name in <> is one token."""
    names = "<separator>|<unknown>"
    kinds = {"word": rf"{names}|\w+|[^\w\s]", "letter": rf"{names}|[\s\S]"}
    text = text.lower() if lower else text
    found = re.finditer(kinds[cut_by], text)
    return [token.group() for token in islice(found, most)]


def joined(cells: Sequence[str]) -> str:
    """One text of the columns of a row, whose ends a token of their own marks."""
    return f" {SEPARATOR} ".join(cells)


def token_numbers(tokens: list[str], places: Mapping[str, int], length: int) -> list[int]:
    """Numbers of tokens in a vocabulary: 1 for one that is not in it, 0 after the last."""
    numbers = [places.get(token, 1) for token in tokens[:length]]
    return numbers + [0] * (length - len(numbers))


def sent_tokens(spec: Mapping[str, Any], text: str, length: int) -> list[int]:
    """Numbers of the tokens of a text that arrives; those of a longer one are cut.

    spec: of the Input, as `core.export.interface` has it. Raises RequestError for an empty text.
    """
    text = text.removeprefix("\ufeff")
    tokens = tokens_of(text, spec["cut_by"], spec.get("lower", False), length)
    if not tokens:
        name, one = spec["name"], spec["cut_by"]
        raise RequestError(422, f"{name} is empty.", f"Send at least one {one}.", name)
    places = {token: place for place, token in enumerate(spec["vocabulary"])}
    return token_numbers(tokens, places, length)


def text_of(numbers: Sequence[int], vocabulary: Sequence[str], cut_by: str) -> str:
    """The text that a network reads: tokens of the vocabulary without what pads them."""
    tokens = [vocabulary[number] for number in numbers if 0 < number < len(vocabulary)]
    return ("" if cut_by == "letter" else " ").join(tokens)
