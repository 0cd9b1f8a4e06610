"""The one error of this room: data that a network cannot take, or that is not here."""


class DataError(Exception):
    """What is wrong in one sentence with the numbers, and what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} {hint}".strip())
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type["DataError"], tuple[str, str]]:
        return DataError, (self.message, self.hint)
