"""The short way to a canvas's session: a token, given to its page alone, that the route looks up.

The route answers an edit without running the page's script; Streamlit's own channel stays, for
actions, for a server that was started again, and for whenever the short way fails.
"""

import secrets
import threading
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.canvas.session import DocSession

_lock = threading.Lock()
_open: "weakref.WeakValueDictionary[str, DocSession]" = weakref.WeakValueDictionary()


def open_lane(doc: "DocSession") -> str:
    """Return the token of a session; it ends with the session."""
    token = secrets.token_urlsafe(24)
    with _lock:
        _open[token] = doc
    return token


def session_of(token: str | None) -> "DocSession | None":
    """Return the session that a token was made for, or None."""
    with _lock:
        return _open.get(token or "")
