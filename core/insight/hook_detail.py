"""How a block's output is caught, for the page. No torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HookLines:
    """code: lines that catch the output of `model`, or the statement of a block without a hook."""

    sentence: str
    code: str
