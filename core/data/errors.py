"""The errors of this room: data that a network cannot take, or that is not here."""


class DataError(Exception):
    """What is wrong in one sentence with the numbers, and what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} {hint}".strip())
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type["DataError"], tuple[str, str]]:
        return type(self), (self.message, self.hint)


class Unread(DataError):
    """Own data that was not read yet, or has changed since; reading it is what helps."""
