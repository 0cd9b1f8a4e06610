"""Why a model cannot be imported: the reason, the place in the user's model, what to do."""

SPECIALISE, OWN_PYTHON = "specialise", "own_python"
"""Options of an import that draw what is refused without them."""


class ImportRefused(Exception):
    """A model that cannot be imported whole. place: module path and line of the user's source.

    hint: what to do, with the words of the command. advice: the same without those that name an
    option. offers: the options with which it could be drawn.
    """

    def __init__(
        self, place: str, message: str, hint: str = "", advice: str = "",
        offers: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(f"{place}: {message} {hint}".strip())
        self.place, self.message, self.hint = place, message, hint
        self.advice, self.offers = advice or (hint if not offers else ""), offers


def for_one_sample(place: str, message: str, advice: str) -> ImportRefused:
    """The refusal of what can be drawn for one sample alone. advice: without a full stop."""
    way = "have it drawn as it goes for one sample: --specialise, specialise=True."
    return ImportRefused(place, message, f"{advice}, or {way}", f"{advice}.", (SPECIALISE,))


def as_own_python(refused: ImportRefused, kind: str) -> ImportRefused:
    """The refusal with the way out that is left to a class."""
    more = f"Or have {kind} come in as a block of your own Python: --own-python."
    return type(refused)(
        refused.place, refused.message, f"{refused.hint} {more}".strip(), refused.advice,
        (*refused.offers, OWN_PYTHON),
    )  # fmt: skip


class NoSource(ImportRefused):
    """There is nothing to import: a name that is none, or a file that cannot be read as one."""


def told(error: BaseException) -> str:
    """The first line of what the user's code ended in, with its kind where that says more."""
    line = (str(error).strip().splitlines() or [""])[0][:200]
    line = "".join(c for c in line if c.isprintable())
    plain = isinstance(error, (RuntimeError, ValueError, AssertionError)) and line
    return line if plain else f"{type(error).__name__}: {line}".removesuffix(": ")
