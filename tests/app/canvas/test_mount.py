"""The canvas as a component of a page."""

from streamlit.testing.v1 import AppTest


def _synced_before_it_is_drawn() -> None:
    from types import SimpleNamespace

    import streamlit as st

    from app.canvas import canvas

    heard: list[object] = []
    doc = SimpleNamespace(down=lambda _: {}, take_action=lambda: None, receive=heard.append)
    canvas(doc, mount=lambda **of: of["on_sync_change"]())  # pyright: ignore[reportArgumentType]
    st.text(f"heard {heard}")


def test_what_the_browser_says_to_a_run_that_never_drew_the_canvas_is_no_error():
    """So it is where the page was left while the run before was still checking the network."""
    page = AppTest.from_function(_synced_before_it_is_drawn).run()
    assert not page.exception
    assert page.text[0].value == "heard []"
