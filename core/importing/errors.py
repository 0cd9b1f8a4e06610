"""Why a model cannot be imported: the reason, the place in the user's model, what to do."""


class ImportRefused(Exception):
    """A model that cannot be imported whole. place: module path and line of the user's source."""

    def __init__(self, place: str, message: str, hint: str = "") -> None:
        super().__init__(f"{place}: {message} {hint}".strip())
        self.place, self.message, self.hint = place, message, hint
