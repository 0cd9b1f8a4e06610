"""Results of drops, stored until the page with the matching token fetches them, one by one."""

import secrets
import threading
from collections import OrderedDict

from app.services.file_drop import DropResult

LIMIT = 100
_lock = threading.Lock()
_waiting: OrderedDict[tuple[str, str], DropResult] = OrderedDict()


def keep(token: str, opened: DropResult) -> str:
    """Store the result of a drop for the page of this token, and return its name."""
    name = secrets.token_urlsafe(12)
    with _lock:
        _waiting[token, name] = opened
        while len(_waiting) > LIMIT:
            _waiting.popitem(last=False)
    return name


def take(token: str, name: object) -> DropResult | None:
    """Return the result of a drop, once; None if this page has none of that name."""
    with _lock:
        return _waiting.pop((token, name), None) if isinstance(name, str) else None
