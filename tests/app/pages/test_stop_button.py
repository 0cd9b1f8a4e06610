"""The button of the two steps of a stop: a double click is one request."""

import pytest
from streamlit.testing.v1 import AppTest

from app.pages.shared import stop_button


def page() -> None:
    """A page with something that can be stopped; `acts` counts the requests."""
    import streamlit as st

    from app.pages.shared import stop_button

    def act() -> None:
        st.session_state["acts"] = st.session_state.get("acts", 0) + 1
        st.rerun()

    stop_button.draw("halt", st.session_state.get("acts", 0) > 0, act, "Nothing is left.")


def test_a_double_click_asks_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_button, "DOUBLE_CLICK_S", 1000.0)
    at = AppTest.from_function(page).run()
    at.button(key="halt").click().run()
    assert [button.label for button in at.button] == ["Stop now"]
    at.button(key="halt_now").click().run()
    assert at.session_state["acts"] == 1


def test_a_click_on_the_first_button_never_presses_the_second() -> None:
    at = AppTest.from_function(page).run()
    first = at.button(key="halt").click()
    at.run()
    assert at.button(key="halt_now").proto.id != first.proto.id


def test_a_later_click_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_button, "DOUBLE_CLICK_S", 0.0)
    at = AppTest.from_function(page).run()
    at.button(key="halt").click().run()
    at.button(key="halt_now").click().run()
    assert at.session_state["acts"] == 2
