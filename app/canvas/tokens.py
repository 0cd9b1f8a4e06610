"""Tokens of page sessions: a route answers only requests with a valid token.

A header with the token also keeps other sites in the same browser from reading the routes.
"""

import secrets
import threading
from collections import OrderedDict

_LIMIT = 10_000
_lock = threading.Lock()
_given: OrderedDict[str, None] = OrderedDict()


def mint() -> str:
    """Return a new token; the oldest is forgotten beyond 10,000."""
    token = secrets.token_urlsafe(24)
    with _lock:
        _given[token] = None
        while len(_given) > _LIMIT:
            _given.popitem(last=False)
    return token


def known(token: str | None) -> bool:
    """Say whether the page gave this token."""
    with _lock:
        return token is not None and token in _given
