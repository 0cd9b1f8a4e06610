"""Our routes below the address that Streamlit serves its pages under (`server.baseUrlPath`).

`st.App` mounts the routes it is given at the root, whatever path its own pages are served under; a
page asks beside itself. This middleware takes the path off before the routes are looked up.
"""

import streamlit as st
from starlette.types import ASGIApp, Receive, Scope, Send

from app.server.api.wire import PREFIX


class BasePath:
    """Middleware that serves PREFIX below the base path, too."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        base = base_path()
        if base and scope["type"] == "http" and scope["path"].startswith(f"{base}{PREFIX}/"):
            path = scope["path"].removeprefix(base)
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await self.app(scope, receive, send)


def base_path() -> str:
    """Return where pages are served, as `/user/ann`; "" at the root of the server."""
    parts = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{parts}" if parts else ""
