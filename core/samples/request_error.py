"""Why a request has no prediction. No imports of Layerloom."""

from typing import Any

LONGEST = 1000
"""Letters of a message: it may quote what was sent, which may be 16 MB."""


class RequestError(Exception):
    """A request without a prediction: the status, the reason, and what to do.

    place: the name of the input.
    """

    def __init__(self, status: int, message: str, hint: str = "", place: str = "") -> None:
        message = message if len(message) <= LONGEST else message[:LONGEST] + "…"
        super().__init__(message)
        self.status, self.message, self.hint, self.place = status, message, hint, place

    def json(self) -> dict[str, Any]:
        """The body of the response."""
        error = {"place": self.place, "message": self.message, "hint": self.hint}
        return {"ok": False, "error": error}


def not_served(status: int, method: str, path: str) -> RequestError:
    """A route that a server does not have."""
    message = f"{method} {path} is not served here."
    return RequestError(status, message, "Use POST /predict, which /openapi.json describes.")


def unforeseen(error: Exception) -> RequestError:
    """A fault of the server: its log has the rest."""
    return RequestError(500, f"The server itself failed ({type(error).__name__}).", "See its log.")
