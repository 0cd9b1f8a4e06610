"""Results of drops, held until the page with the matching token fetches them, one by one."""

import secrets
import threading
from collections import OrderedDict

from app.services.dropped import Opened

LIMIT = 100
_lock = threading.Lock()
_waiting: OrderedDict[tuple[str, str], Opened] = OrderedDict()


def keep(token: str, opened: Opened) -> str:
    """Keep what a drop became for the page of this token, and return its name."""
    name = secrets.token_urlsafe(12)
    with _lock:
        _waiting[token, name] = opened
        while len(_waiting) > LIMIT:
            _waiting.popitem(last=False)
    return name


def take(token: str, name: object) -> Opened | None:
    """Return what a drop became, once; None where there is none of that name for this page."""
    with _lock:
        return _waiting.pop((token, name), None) if isinstance(name, str) else None
