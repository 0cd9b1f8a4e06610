"""The article before a name: a Linear, an Embedding, an LSTM."""

import re


def an(name: str) -> str:
    """Write a class's name with its article, as it is spoken: letters of an abbreviation count."""
    spoken = re.match(r"[AEIOUaeiou]|[FHLMNRSX](?=[B-DF-HJ-NP-TV-Z0-9])", name)
    return f"{'an' if spoken else 'a'} {name}"
