"""Refusals of an import: the reason, the place in the user's model, what to do."""

from core.common.errors import ImportRefused

SPECIALISE, OWN_PYTHON = "specialise", "own_python"
"""Options of an import that draw what is refused without them."""


def for_one_sample(place: str, message: str, advice: str) -> ImportRefused:
    """The refusal of a model that could be drawn for one sample only. advice: without a full
    stop."""
    way = "draw it as it runs for one sample: --specialise, specialise=True."
    return ImportRefused(place, message, f"{advice}, or {way}", f"{advice}.", (SPECIALISE,))


def as_own_python(refused: ImportRefused, kind: str) -> ImportRefused:
    """The refusal with the offer to import the class as own Python."""
    more = f"Or have {kind} come in as a block of your own Python: --own-python."
    return type(refused)(
        refused.place,
        refused.message,
        f"{refused.hint} {more}".strip(),
        refused.advice,
        (*refused.offers, OWN_PYTHON),
    )


def error_text(error: BaseException) -> str:
    """The first line of an exception in the user's code, with its class if that is more useful."""
    line = (str(error).strip().splitlines() or [""])[0][:200]
    line = "".join(c for c in line if c.isprintable())
    plain = isinstance(error, (RuntimeError, ValueError, AssertionError)) and line
    return line if plain else f"{type(error).__name__}: {line}".removesuffix(": ")
