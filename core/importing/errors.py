"""Why a model cannot be imported: the reason, the place in the user's model, what to do."""


class ImportRefused(Exception):
    """A model that cannot be imported whole. place: module path and line of the user's source."""

    def __init__(self, place: str, message: str, hint: str = "") -> None:
        super().__init__(f"{place}: {message} {hint}".strip())
        self.place, self.message, self.hint = place, message, hint


class NoSource(ImportRefused):
    """There is nothing to import: a name that is none, or a file that cannot be read as one."""


def told(error: BaseException) -> str:
    """The first line of what the user's code ended in, with its kind where that says more."""
    line = (str(error).strip().splitlines() or [""])[0][:200]
    line = "".join(c for c in line if c.isprintable())
    plain = isinstance(error, (RuntimeError, ValueError, AssertionError)) and line
    return line if plain else f"{type(error).__name__}: {line}".removesuffix(": ")
