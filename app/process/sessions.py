"""Whether a browser tab is still connected: long work for it ends when it is gone."""

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx


def current_session() -> str:
    """The browser tab whose page is being drawn; "" outside of one."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def any_connected(sessions: set[str]) -> bool:
    """Whether one of these tabs is connected. Without a server there is nothing to leave."""
    if not runtime.exists():
        return True
    return any(map(runtime.get_instance().is_active_session, sessions))


def by_history() -> bool:
    """Whether this run of the script was asked for by Back or Forward in the browser."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation
